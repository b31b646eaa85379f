import { Conformance } from "@lazaret/store-conformance"
import { describe, layer } from "@effect/vitest"
import * as OracleStores from "./oracle/OracleStores.ts"

describe("the oracle", () => {
  layer(OracleStores.layer)((it) => {
    for (const each of Conformance.cases) {
      it.effect(`${each.port}: ${each.name}`, () => each.run, { timeout: 60_000 })
    }
  })
})
