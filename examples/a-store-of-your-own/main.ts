import { MemoryStores } from "@lazaret/store"
import { Conformance } from "@lazaret/store-conformance"
import { Effect, Layer } from "effect"
import * as SqliteKeyStore from "./SqliteKeyStore.ts"

/** Every port in memory, and the keys in SQLite in its place. */
const stores = Layer.merge(MemoryStores.layer, SqliteKeyStore.layer(":memory:"))

const outcomes = await Effect.runPromise(Conformance.run(stores))

for (const outcome of outcomes.filter((each) => each.case.port === "KeyStore")) {
  console.log(`${outcome.error === null ? "kept  " : "BROKEN"} ${outcome.case.name}`)
}
const broken = outcomes.filter(({ error }) => error !== null)
console.log(broken.length === 0 ? "\nThe stores keep every law." : `\n${broken.length} laws are broken.`)
process.exitCode = broken.length === 0 ? 0 : 1
