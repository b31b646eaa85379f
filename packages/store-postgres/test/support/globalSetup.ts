/**
 * One PostgreSQL for all test files of a run: started before the first, thrown away after the last.
 *
 * `LAZARET_TEST_DATABASE_URL` names another server to test on (a superuser's URL, or one that may create databases).
 */
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { EmbeddedPostgres } from "@lazaret/postgres-embedded"
import { Migrations, PostgresClient } from "@lazaret/store-postgres"
import { Clock, Effect, Exit, Layer, Redacted, Scope } from "effect"
import type { TestProject } from "vitest/node"
import * as TestServer from "./TestServer.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** The place of the databases of test files: the URL of the server, and the database that they copy. */
    readonly postgres: { readonly url: string; readonly template: string }
  }
}

export default (project: TestProject): Promise<() => Promise<void>> =>
  Effect.runPromise(
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const url = yield* Scope.provide(serverUrl, scope)
      const template = yield* Scope.provide(makeTemplate(url), scope)
      project.provide("postgres", { url, template })
      return () => Effect.runPromise(Scope.close(scope, Exit.void))
    })
  )

/** A server that may forget everything: it waits for no disk. */
const serverUrl = Effect.suspend(() => {
  const given = process.env["LAZARET_TEST_DATABASE_URL"]
  return given === undefined ? throwaway : Effect.succeed(given)
})

const throwaway = Effect.gen(function* () {
  yield* sweep
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), prefix))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )
  const settings = { fsync: "off", synchronous_commit: "off", full_page_writes: "off", max_connections: "200" }
  const context = yield* Layer.build(EmbeddedPostgres.layer({ folder, settings }))
  return yield* Effect.map(EmbeddedPostgres, ({ url }) => url).pipe(Effect.provide(context))
})

const prefix = "lazaret-test-"

/** Clears up after runs that were killed; the folder of a run that goes on is locked, or too young to be locked yet. */
const sweep = Effect.suspend(() =>
  Effect.forEach(
    readdirSync(tmpdir())
      .filter((name) => name.startsWith(prefix))
      .map((name) => join(tmpdir(), name)),
    (folder) => Effect.ignore(Effect.scoped(discard(folder))),
    { discard: true }
  )
)

const discard = Effect.fnUntraced(function* (folder: string) {
  const age = (yield* Clock.currentTimeMillis) - statSync(folder).mtimeMs
  if (age < 60_000) return
  // A start stops the server that a killed run has left behind.
  yield* Effect.scoped(Layer.build(EmbeddedPostgres.layer({ folder })))
  rmSync(folder, { recursive: true, force: true })
})

const makeTemplate = Effect.fnUntraced(function* (url: string) {
  const template = yield* TestServer.createDatabase(url, null)
  const client = PostgresClient.layer(Redacted.make(TestServer.databaseUrl(url, template)))
  yield* Migrations.run.pipe(Effect.provide(client))
  return template
})
