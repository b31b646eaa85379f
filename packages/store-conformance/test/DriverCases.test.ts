import { Driver, MemoryDriver } from "@lazaret/store"
import { DriverCases } from "@lazaret/store-conformance"
import { assert, describe, it } from "@effect/vitest"
import { test } from "@lazaret/tools/steps"
import { Effect, Exit, Layer } from "effect"
import * as Broken from "./broken/drivers.ts"

describe("the law of the driver against broken drivers", () => {
  for (const { change, fault, laws } of Broken.all) {
    test(`a driver that ${fault} breaks its laws`, function* () {
      for (const name of laws) {
        const law = DriverCases.cases.find((each) => each.name === name)
        assert(law !== undefined, `no case is called "${name}"`)
        const driver = Layer.effect(Driver, Effect.map(Driver, change))
        const exit = yield* Effect.exit(Effect.provide(law.run, Layer.fresh(Layer.provide(driver, MemoryDriver.layer))))
        assert.isTrue(Exit.isFailure(exit), `"${name}" was kept`)
      }
    })
  }

  it("every law of the driver is broken by one of them", () => {
    const broken = new Set(Broken.all.flatMap(({ laws }) => laws))
    assert.deepStrictEqual(
      DriverCases.cases.filter(({ name }) => !broken.has(name)).map(({ name }) => name),
      []
    )
  })
})
