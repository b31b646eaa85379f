import { Conformance, DriverCases, RuleCases } from "@lazaret/store-conformance"
import { describe, layer } from "@effect/vitest"
import { MemoryDriver, MemoryStores } from "@lazaret/store"

describe("the in-memory layer", () => {
  layer(MemoryDriver.layer)((it) => {
    for (const each of DriverCases.cases) it.effect(`Driver: ${each.name}`, () => each.run)
  })

  layer(MemoryStores.layer)((it) => {
    for (const each of [...Conformance.cases, ...RuleCases.cases]) {
      it.effect(`${each.port}: ${each.name}`, () => each.run)
    }
  })
})
