import { layer } from "@effect/vitest"
import { Stores } from "@lazaret/store"
import { Conformance, DriverCases } from "@lazaret/store-conformance"
import { PostgresDriver } from "@lazaret/store-postgres"
import { Layer } from "effect"
import * as TestDatabase from "./support/TestDatabase.ts"

const stores = Layer.provideMerge(Stores.layer, Layer.provide(PostgresDriver.layer, TestDatabase.layer))

layer(stores, { excludeTestServices: true })("PostgreSQL", (it) => {
  for (const each of [...DriverCases.cases, ...Conformance.cases]) {
    it.effect(`${each.port}: ${each.name}`, () => each.run)
  }
})
