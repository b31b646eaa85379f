/** Stores of PostgreSQL for tests of crashes. */
import { PostgresClient, PostgresStores } from "@lazaret/store-postgres"
import { Effect, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { inject } from "vitest"

const execute = (url: string, statement: string) =>
  PostgresClient.use(({ sql }) => sql.unsafe(statement).unprepared).pipe(
    Effect.provide(PostgresClient.layer(Redacted.make(url), { maxConnections: 1 }))
  )

/** Stores in a database of their own. */
export const stores = Effect.gen(function* () {
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
