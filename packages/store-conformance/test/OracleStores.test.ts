import { Conformance } from "@lazaret/store-conformance"
import { describe, layer } from "@effect/vitest"
import * as OracleStores from "./oracle/OracleStores.ts"

describe("the oracle", () => {
  layer(OracleStores.layer)((it) => {
    // The definitions are about everything that was ever uploaded.
    const forgets = new Set(["RetentionStore", "UpkeepStore"])
    for (const each of Conformance.cases.filter(({ port }) => !forgets.has(port))) {
      it.effect(`${each.port}: ${each.name}`, () => each.run, { timeout: 60_000 })
    }
  })
})
