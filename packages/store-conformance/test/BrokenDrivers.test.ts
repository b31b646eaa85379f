import { Driver, MemoryDriver, Stores } from "@lazaret/store"
import { Conformance, RuleCases } from "@lazaret/store-conformance"
import { assert, describe } from "@effect/vitest"
import { test } from "@lazaret/tools/steps"
import { Effect, Exit, Layer } from "effect"
import type { Broken } from "./broken/Broken.ts"
import * as BrokenDrivers from "./BrokenDrivers.ts"

/** All ports over a driver with a fault. */
const storesOver = ({ change }: Broken): Layer.Layer<Stores.Stores> =>
  Layer.provide(Stores.layer, Layer.provide(Layer.effect(Driver, Effect.map(Driver, change)), MemoryDriver.layer))

const lawOf = ({ law }: Broken) => [...Conformance.cases, ...RuleCases.cases].find(({ name }) => name === law)

describe("the suite against broken drivers", () => {
  for (const broken of BrokenDrivers.all) {
    test(`a driver that ${broken.fault} breaks the law "${broken.law}"`, function* () {
      const law = lawOf(broken)
      assert(law !== undefined, `no case is called "${broken.law}"`)
      const exit = yield* Effect.exit(Effect.provide(law.run, Layer.fresh(storesOver(broken))))
      assert.isTrue(Exit.isFailure(exit), "the law was kept")
    })
  }
})
