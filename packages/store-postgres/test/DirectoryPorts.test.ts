import { layer } from "@effect/vitest"
import { MemoryStores } from "@lazaret/store"
import { Conformance } from "@lazaret/store-conformance"
import { PostgresKeyStore, PostgresQuarantineStore, PostgresRepositoryStore, Refold } from "@lazaret/store-postgres"
import { Layer } from "effect"
import * as TestDatabase from "./support/TestDatabase.ts"

const ports = new Set(["KeyStore", "QuarantineStore", "RepositoryStore"])

/** Cases that look at one port through another one, which is memory here: they hold for all ports together. */
const together = new Set([
  "owner and name match in any case in every port, and are shown as first written",
  "pull requests are kept per commit, whole, and a later fact replaces an earlier one"
])
const cases = Conformance.cases.filter(({ name, port }) => ports.has(port) && !together.has(name))

const stores = Layer.mergeAll(
  PostgresKeyStore.layer,
  PostgresQuarantineStore.layer,
  PostgresRepositoryStore.layer
).pipe(Layer.provide([TestDatabase.layerDirectory, Refold.layerNone]))

layer(Layer.mergeAll(MemoryStores.layer, stores), { excludeTestServices: true })("PostgreSQL", (it) => {
  for (const each of cases) it.effect(`${each.port}: ${each.name}`, () => each.run)
})
