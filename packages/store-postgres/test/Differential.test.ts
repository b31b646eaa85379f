import { describe, it } from "@effect/vitest"
import { MemoryStores } from "@lazaret/store"
import { Differential } from "@lazaret/store-conformance"
import { PostgresStores } from "@lazaret/store-postgres"
import { Effect, Layer, Redacted } from "effect"
import * as TestDatabase from "./support/TestDatabase.ts"

const stores = Layer.unwrap(Effect.map(TestDatabase.url, (url) => PostgresStores.layer({ url: Redacted.make(url) })))

describe("Differential", () => {
  it.live(
    "PostgreSQL answers every list of commands as memory does",
    () => Differential.compare(MemoryStores.layer, stores, { runs: 25, commands: 40 }),
    240_000
  )
})
