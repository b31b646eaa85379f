/**
 * Writes `0.1.0.json.gz`: the rows of a database with {@link Contents.record}, made by the version that is checked out. Run it on the commit of
 * a release, under the name of that release: `npm run fixture -- 0.1.0`.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { EmbeddedPostgres } from "@lazaret/postgres-embedded"
import { Migrations, PostgresClient } from "@lazaret/store-postgres"
import { Effect, Layer, Redacted } from "effect"
import * as Servers from "../support/Servers.ts"
import * as Contents from "./contents.ts"
import * as Fixture from "./Fixture.ts"

const folder = mkdtempSync(join(tmpdir(), "lazaret-fixture-"))
const [, , release = "0.1.0"] = process.argv

const program = Effect.gen(function* () {
  const { url } = yield* EmbeddedPostgres
  const client = Layer.fresh(PostgresClient.layer(Redacted.make(url)))
  yield* Effect.provide(Migrations.run, client)
  yield* Effect.provide(Contents.record(Contents.repository), Servers.layer(url, 16))
  const rows = yield* Effect.provide(Fixture.dump, client)
  writeFileSync(new URL(`${release}.json.gz`, import.meta.url), gzipSync(JSON.stringify(rows), { level: 9 }))
}).pipe(Effect.provide(EmbeddedPostgres.layer({ folder })))

await Effect.runPromise(program).finally(() => rmSync(folder, { recursive: true, force: true }))
