/** Databases on the server of a test run. */
import { PostgresClient } from "@lazaret/store-postgres"
import { Effect, Redacted } from "effect"

/** A new database, a copy of `template` where there is one; it is dropped when the scope closes. */
export const createDatabase = (url: string, template: string | null) =>
  Effect.acquireRelease(
    Effect.suspend(() => {
      const name = `lazaret_test_${crypto.randomUUID().replaceAll("-", "")}`
      const options = template === null ? "ENCODING 'UTF8' LOCALE 'C' TEMPLATE template0" : `TEMPLATE ${template}`
      return Effect.as(execute(url, `CREATE DATABASE ${name} ${options}`), name)
    }),
    (name) => Effect.orDie(execute(url, `DROP DATABASE ${name} WITH (FORCE)`))
  )

/** The URL of another database on the same server. */
export const databaseUrl = (url: string, database: string): string => {
  const other = new URL(url)
  other.pathname = database
  return other.href
}

const execute = (url: string, statement: string) =>
  Effect.gen(function* () {
    const { sql } = yield* PostgresClient
    yield* sql.unsafe(statement).unprepared
  }).pipe(Effect.provide(PostgresClient.layer(Redacted.make(url), { maxConnections: 1 })))
