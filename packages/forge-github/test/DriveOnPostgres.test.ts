/** Scenarios of a driven queue over PostgreSQL, in each of which a server dies: they end as in memory without a death. */
import { assert, describe, it } from "@effect/vitest"
import { PostgresClient, PostgresStores } from "@lazaret/store-postgres"
import { Effect, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { inject } from "vitest"
import * as Crash from "./drive/crash.ts"

/** At how many moments of each scenario a server dies: in memory it does at all of them, which takes an hour here. */
const deaths = Number(process.env["DEATHS"] ?? 1)

/** The seed of these moments. */
const seed = Number(process.env["LAWS_SEED"] ?? 1)

const execute = (url: string, statement: string) =>
  PostgresClient.use(({ sql }) => sql.unsafe(statement).unprepared).pipe(
    Effect.provide(PostgresClient.layer(Redacted.make(url), { maxConnections: 1 }))
  )

/** Stores in a database of their own. */
const stores = Effect.gen(function* () {
  const { template, url } = inject("postgres")
  const name = `lazaret_drive_${crypto.randomUUID().replaceAll("-", "")}`
  const own = new URL(url)
  own.pathname = name
  yield* Effect.acquireRelease(execute(url, `CREATE DATABASE ${name} TEMPLATE ${template}`), () =>
    Effect.orDie(execute(url, `DROP DATABASE ${name} WITH (FORCE)`))
  )
  // Connections are opened in real time: the days of a scenario pass while one is being opened.
  return yield* TestClock.withLive(
    Layer.build(PostgresStores.layer({ url: Redacted.make(own.href), maxConnections: 4 }))
  )
})

describe("a driven queue on PostgreSQL whose server dies", () => {
  for (const [index, scenario] of Crash.scenarios.entries()) {
    it(`(51) ${scenario.name}`, { timeout: 600_000 }, () =>
      Effect.gen(function* () {
        const whole = yield* Crash.end(scenario, 0)
        const numRuns = Math.min(deaths, whole.points)
        const points = fc.sample(fc.integer({ min: 1, max: whole.points }), { numRuns, seed: seed + index })
        const found = yield* Effect.forEach(points, (at) => Crash.faults(scenario, whole, at, { stores }))
        assert.deepStrictEqual(found.flat(), [])
      }).pipe(Effect.runPromise)
    )
  }
})
