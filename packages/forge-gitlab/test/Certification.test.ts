/** The cases of a certification on the simulated GitLab; each one can fail. */
import { assert, describe, it } from "@effect/vitest"
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

describe("the certification of GitLab", () => {
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
