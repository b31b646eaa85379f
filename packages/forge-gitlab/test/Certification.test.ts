/** The cases of a certification on the simulated GitLab; each one can fail. */
import { assert, describe, it } from "@effect/vitest"
import { BrokenDrives } from "@lazaret/forge-conformance"
import { Lab } from "@lazaret/forge-simulated"
import { Certification, CertificationCase, DriveForge, QueueForge, ScratchForge } from "@lazaret/services"
import { Effect, Layer } from "effect"
import { layer, ref, started } from "./connection.ts"

/** The platform with a project that has a commit. */
const platform = Effect.gen(function* () {
  const { gitLab, project } = yield* started
  const { objects } = project
  const tree = objects.tree(null, { readme: "hello", "src/main": "main" })
  project.branches.set("main", objects.write({ tree, parents: [], message: "first" }))
  const context = yield* Layer.build(layer(gitLab))
  const [drive, queue, scratch] = yield* Effect.provide(Effect.all([DriveForge, QueueForge, ScratchForge]), context)
  return { drive, queue, scratch, project, gitLab }
})

/** GitLabs that go wrong in one way each, by the beginning of the sentence of a case that has to notice. */
const broken: Readonly<Record<string, readonly [string, (project: Lab.Project) => void]>> = {
  "a merge makes another tree than the files have": [
    "a pull request is merged at its head alone",
    (project) => {
      const { objects } = project
      const merge = (...trees: Parameters<typeof objects.merge>) => objects.tree(objects.merge(...trees), { "!": "!" })
      Object.assign(project, { objects: { ...objects, merge } })
    }
  ],
  "a change that is picked is lost": [
    "a batch is built member by member",
    (project) => {
      const { objects } = project
      Object.assign(project, { objects: { ...objects, merge: (_: string, ours: string) => ours } })
    }
  ],
  "a push is never processed": [
    "a pull request whose head lands is merged",
    ({ later }) => void Object.assign(later, { push: () => later.length })
  ],
  "a merge request stays open": [
    "a pull request that was landed by another commit is closed",
    ({ mergeRequests }) => {
      const push = (made: Lab.MergeRequest) =>
        Array.prototype.push.call(
          mergeRequests,
          Object.defineProperty(made, "state", { get: () => "opened", set: () => {} })
        )
      Object.assign(mergeRequests, { push })
    }
  ],
  "a branch is never removed": [
    "a branch that is discarded twice",
    ({ branches }) => void Object.assign(branches, { delete: () => true })
  ],
  "the token may only read": [
    "a branch is created once",
    ({ members }) => void members.set("server-token", Lab.roles.reporter)
  ]
}

describe("the certification of GitLab", () => {
  for (const { name, run } of CertificationCase.cases) {
    it.live(`a platform that breaks this case is not certified: ${name}`, () =>
      Effect.gen(function* () {
        const ports = yield* platform
        const [outcome] = yield* Certification.run({ ...ports, ...BrokenDrives.of(ports, name) }, ref, "1", {
          all: [{ name, run }]
        })
        assert.isString(outcome?.fault)
      })
    )
  }

  for (const [name, [beginning, breaks]] of Object.entries(broken)) {
    it.live(`a GitLab is not certified at which this is so: ${name}`, () =>
      Effect.gen(function* () {
        const ports = yield* platform
        breaks(ports.project)
        const all = CertificationCase.cases.filter((each) => each.name.startsWith(beginning))
        const outcomes = yield* Certification.run(ports, ref, "1", { all })
        assert.deepStrictEqual(
          outcomes.map(({ fault }) => typeof fault),
          ["string"]
        )
      })
    )
  }

  it.live("every case holds on the simulated GitLab, and nothing is left behind", () =>
    Effect.gen(function* () {
      const ports = yield* platform
      const outcomes = yield* Certification.run(ports, ref, "1")
      assert.deepStrictEqual(
        outcomes.filter(({ fault }) => fault !== null),
        []
      )
      assert.lengthOf(outcomes, CertificationCase.cases.length)
      assert.deepStrictEqual([...ports.project.branches.keys()], ["main"])
    })
  )
})
