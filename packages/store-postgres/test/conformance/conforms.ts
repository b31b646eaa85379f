/** The conformance suite on PostgreSQL, in three files that run side by side. */
import { describe, layer } from "@effect/vitest"
import { Stores } from "@lazaret/store"
import { Conformance, DriverCases, Law } from "@lazaret/store-conformance"
import { PostgresDriver } from "@lazaret/store-postgres"
import { Effect, Layer } from "effect"
import * as TestDatabase from "../support/TestDatabase.ts"

const stores = Layer.provideMerge(Stores.layer, Layer.provide(PostgresDriver.layer, TestDatabase.layer))

/** The ports whose laws take most of the time, by the file that has their cases. */
const apart = { executions: ["ExecutionStore"], tests: ["TestStore", "TestAliasStore", "TriageStore"] }

/** `npm test` tries each law with a fifth of its facts, `npm run check` with half of them, `LAWS_RUNS=400 npm run vitest:long` with all. */
const thoroughness = Math.min(1, Number(process.env["LAWS_RUNS"] ?? 80) / 400)

/** Tests the cases of a group of ports; `rest` are those of all ports that no other group has. */
export const conforms = (group: keyof typeof apart | "rest"): void => {
  const elsewhere = Object.values(apart).flat()
  const has = (port: string) => (group === "rest" ? !elsewhere.includes(port) : apart[group].includes(port))
  describe("PostgreSQL", () => {
    layer(stores, { excludeTestServices: true })((it) => {
      for (const each of [...DriverCases.cases, ...Conformance.cases].filter(({ port }) => has(port))) {
        it.effect(`${each.port}: ${each.name}`, () => Effect.provideService(each.run, Law.Thoroughness, thoroughness))
      }
    })
  })
}
