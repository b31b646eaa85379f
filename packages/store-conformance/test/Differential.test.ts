import { MemoryStores } from "@lazaret/store"
import { Differential } from "@lazaret/store-conformance"
import { describe, it } from "@effect/vitest"
import * as OracleStores from "./oracle/OracleStores.ts"

describe("Differential", () => {
  it.effect(
    "memory answers every list of commands as the definitions do",
    () =>
      Differential.compare(MemoryStores.layer, OracleStores.layer, {
        runs: 80,
        commands: 60,
        seed: 7,
        without: ["Retain"]
      }),
    { timeout: 120_000 }
  )
})
