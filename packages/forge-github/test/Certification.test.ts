/** The cases of a certification on the simulated GitHub; each one can fail. `CertificationOnGit.test.ts` has them over git. */
import { assert, describe, it } from "@effect/vitest"
import { Certification, CertificationCase, type DriveForge } from "@lazaret/services"
import { Effect, Option } from "effect"
import { certifies, platform } from "./certified.ts"
import { ref } from "./connection.ts"

type Drive = DriveForge["Service"]

/** Platforms that break one promise each, by the case that notices. */
const broken: Readonly<Record<string, (drive: Drive) => Partial<Drive>>> = {
  "a branch is created once": (drive) => ({
    publish: (of, branch) =>
      Effect.andThen(Effect.andThen(drive.discard(of, branch.name), drive.publish(of, branch)), Effect.succeed(true))
  }),
  "a batch is built member by member": (drive) => ({
    build: (of, asked) => drive.build(of, { ...asked, members: asked.members.slice(0, 1) })
  }),
  "a head on the tip of its base": (drive) => ({
    build: (of, asked) =>
      asked.inPlace
        ? Effect.map(drive.build(of, asked), (built) =>
            Option.map(built, (each) => ({
              ...each,
              steps: each.steps.map((step) => ({ ...step, commit: asked.members[0]?.head ?? "" }))
            }))
          )
        : drive.build(of, asked)
  }),
  "a landing never drops a commit": (drive) => ({
    land: (of, move) => Effect.as(drive.land(of, move), { kind: "landed", sha: move.to, tree: "" } as const)
  }),
  "a pull request is merged at its head alone": (drive) => ({
    merge: (of, asked) =>
      Effect.flatMap(drive.merge(of, asked), (landed) =>
        landed.kind === "moved"
          ? Effect.succeed({ kind: "landed", sha: "", tree: "" } as const)
          : Effect.succeed(landed)
      )
  }),
  "a pull request that was landed by another commit is closed": () => ({ close: () => Effect.void }),
  "a branch that is discarded twice": () => ({ discard: () => Effect.void }),
  "the message of a commit": (drive) => ({
    describe: (of, number) =>
      Effect.map(drive.describe(of, number), (found) =>
        Option.orElse(found, () =>
          Option.some({ number, reference: "#1", title: "", body: "", login: "", url: "", authors: [] })
        )
      )
  })
}

describe("the certification of a platform", () => {
  certifies("memory")

  for (const [name, change] of Object.entries(broken)) {
    it.effect(`a platform that breaks this case is not certified: ${name}`, () =>
      Effect.gen(function* () {
        const ports = yield* platform("memory")
        const meant = CertificationCase.cases.filter((each) => each.name.startsWith(name))
        const drive = { ...ports.drive, ...change(ports.drive) }
        const [outcome, ...others] = yield* Certification.run({ ...ports, drive }, ref, "1", { all: meant })
        assert.deepStrictEqual([typeof outcome?.fault, others.length], ["string", 0])
      })
    )
  }

  it.effect("an app without the permission to push is not certified, and the fault says so", () =>
    Effect.gen(function* () {
      const ports = yield* platform("memory")
      ports.github.grant({ contents: "read" })
      const [outcome] = yield* Certification.run(ports, ref, "1", { all: CertificationCase.cases.slice(0, 1) })
      assert.match(outcome?.fault ?? "", /Resource not accessible by integration/u)
    })
  )
})
