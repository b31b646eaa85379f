import { readFileSync } from "node:fs"
import { gunzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Repository } from "@lazaret/domain"
import { RepositoryStore, UpkeepStore } from "@lazaret/store"
import { Answer, Plain, Sample } from "@lazaret/store-conformance"
import { Migrations, PostgresClient } from "@lazaret/store-postgres"
import { Effect, Layer, Option, Redacted, Schema } from "effect"
import { inject } from "vitest"
import * as Contents from "./migrations/contents.ts"
import * as Fixture from "./migrations/Fixture.ts"
import * as Servers from "./support/Servers.ts"
import * as TestDatabase from "./support/TestDatabase.ts"
import * as TestServer from "./support/TestServer.ts"

const fixture = Schema.decodeUnknownSync(Schema.fromJsonString(Fixture.Fixture))(
  gunzipSync(readFileSync(new URL("migrations/0.1.0.json.gz", import.meta.url))).toString()
)

const clientOf = (url: string) => Layer.fresh(PostgresClient.layer(Redacted.make(url)))

/** The URL of a database as 0.1.0 has left it. */
const release = Effect.gen(function* () {
  const { url: server } = inject("postgres")
  const url = TestServer.databaseUrl(server, yield* TestServer.createDatabase(server, null))
  const [first = ""] = Object.keys(Migrations.all)
  const tables = Migrations.runOf({ [first]: Migrations.all[first] ?? [] })
  yield* Effect.provide(Effect.andThen(tables, Fixture.load(fixture)), clientOf(url))
  return url
})

/** A later migration, which changes a table with rows; `end` is a statement in the middle of it. */
const withLater = (end: ReadonlyArray<string>): Migrations.Migrations => ({
  ...Migrations.all,
  [`${String(Object.keys(Migrations.all).length + 1).padStart(4, "0")}_made_up`]: [
    `ALTER TABLE tests ADD COLUMN note text COLLATE "C" NOT NULL DEFAULT ''`,
    "UPDATE tests SET note = 'test ' || test_no",
    ...end,
    "CREATE TABLE made_up (repository_id bigint PRIMARY KEY, tests int NOT NULL)",
    "INSERT INTO made_up SELECT repository_id, count(*) FROM tests GROUP BY repository_id"
  ]
})

/** Lets messages make no difference to outages: 0.1.0 read none, and what it judged before the horizon stays. */
const asBefore = RepositoryStore.use((store) =>
  Effect.flatMap(store.get(Contents.repository), (known) => {
    const settings = Option.match(known, { onNone: () => Repository.defaultSettings, onSome: (one) => one.settings })
    const { receivedAt } = Sample.report("first", {}, [])
    return store.set(Contents.repository, { ...settings, outage: { ownShare: 1 } }, receivedAt)
  })
)

/** Everything that can be asked about the repository. */
const answers = (url: string) =>
  Effect.provide(Answer.everything(Contents.repository), Servers.layer(url, 16)).pipe(Effect.map(Plain.of))

const rows = (url: string) => Effect.provide(Fixture.dump, clientOf(url))

describe("the upgrade of a database of 0.1.0", () => {
  it.live("an upgraded database of 0.1.0 answers like one in which this version has recorded the same reports", () =>
    Effect.gen(function* () {
      const [old, fresh] = [yield* release, yield* TestDatabase.url]
      yield* Effect.provide(Migrations.run, clientOf(old))
      yield* Effect.provide(Effect.andThen(asBefore, Contents.record(Contents.repository)), Servers.layer(fresh, 16))
      yield* Effect.gen(function* () {
        const { outdated, refold, verify } = yield* UpkeepStore
        yield* asBefore
        for (const ref of yield* outdated) yield* refold(ref)
        assert.deepStrictEqual(yield* verify(Contents.repository), [])
      }).pipe(Effect.provide(Servers.layer(old, 16)))
      assert.deepStrictEqual(yield* answers(old), yield* answers(fresh))
    })
  )

  it.live("a connection that ends between two statements of a migration leaves the database of 0.1.0 as it was", () =>
    Effect.gen(function* () {
      const url = yield* release
      const before = yield* rows(url)
      const killed = withLater(["SELECT pg_terminate_backend(pg_backend_pid())"])
      const error = yield* Effect.flip(Effect.provide(Migrations.runOf(killed), clientOf(url)))
      assert.strictEqual(error.reason, "failed")
      assert.deepStrictEqual(yield* rows(url), before)

      const done = yield* Effect.provide(Migrations.runOf(withLater([])), clientOf(url))
      assert.deepStrictEqual(done.slice(-1), Object.keys(withLater([])).slice(-1))
      const { tables } = yield* rows(url)
      assert.strictEqual(tables["tests"]?.length, before.tables["tests"]?.length)
      assert.deepStrictEqual(tables["tests"]?.[0]?.["note"], `test ${String(tables["tests"]?.[0]?.["test_no"])}`)
      assert.deepStrictEqual(tables["made_up"]?.[0]?.["tests"], tables["tests"]?.length)
      const refused = yield* Effect.flip(Effect.provide(Migrations.run, clientOf(url)))
      assert.strictEqual(refused.reason, "newer")
    })
  )
})
