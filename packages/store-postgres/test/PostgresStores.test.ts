import { layer } from "@effect/vitest"
import { Conformance } from "@lazaret/store-conformance"
import { PostgresStores } from "@lazaret/store-postgres"
import { Effect, Layer, Redacted } from "effect"
import * as TestDatabase from "./support/TestDatabase.ts"

const stores = Layer.unwrap(Effect.map(TestDatabase.url, (url) => PostgresStores.layer({ url: Redacted.make(url) })))

layer(stores, { excludeTestServices: true })("PostgreSQL", (it) => {
  for (const each of Conformance.cases) it.effect(`${each.port}: ${each.name}`, () => each.run)
})
