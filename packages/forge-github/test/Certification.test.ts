/** The cases of a certification on the simulated GitHub; each one can fail. `CertificationOnGit.test.ts` has them over git. */
import { assert, describe, it } from "@effect/vitest"
import { BrokenDrives } from "@lazaret/forge-conformance"
import { Certification, CertificationCase } from "@lazaret/services"
import { Effect } from "effect"
import { certifies, platform } from "./certified.ts"
import { ref } from "./connection.ts"

describe("the certification of a platform", () => {
  certifies("memory")

  for (const { name, run } of CertificationCase.cases) {
    it.effect(`a platform that breaks this case is not certified: ${name}`, () =>
      Effect.gen(function* () {
        const ports = yield* platform("memory")
        const broken = BrokenDrives.of(ports, name)
        const [outcome] = yield* Certification.run({ ...ports, ...broken }, ref, "1", { all: [{ name, run }] })
        assert.isString(outcome?.fault)
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
