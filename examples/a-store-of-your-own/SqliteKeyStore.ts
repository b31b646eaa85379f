/** Application keys in a SQLite database: one port of your own, beside others that you leave as they are. */
import { DatabaseSync } from "node:sqlite"
import { ApplicationKey, Text } from "@lazaret/domain"
import { KeyStore, StoreError } from "@lazaret/store"
import { Effect, Layer, Option, Schema } from "effect"

const Row = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  owner: Schema.NullOr(Schema.String),
  scope: ApplicationKey.Scope,
  hash: Schema.String,
  createdAt: Schema.Int,
  revokedAt: Schema.NullOr(Schema.Int)
})

const decode = Schema.decodeUnknownSync(Row)

const table = `CREATE TABLE keys (
  id TEXT PRIMARY KEY, name TEXT NOT NULL, owner TEXT, scope TEXT NOT NULL, hash TEXT NOT NULL UNIQUE,
  createdAt INTEGER NOT NULL, revokedAt INTEGER
)`

/** A port has one error; what SQLite throws becomes that one. */
const attempt = <A>(operation: string, body: () => A): Effect.Effect<A, StoreError> =>
  Effect.try({ try: body, catch: (cause) => new StoreError({ operation, reason: "failed", cause }) })

/** No store takes what another could not: text with a NUL or half a character is the caller's mistake. */
const requireStorable = (operation: string, texts: ReadonlyArray<string | null>): Effect.Effect<void, StoreError> =>
  texts.every((text) => text === null || isStorable(text))
    ? Effect.void
    : Effect.fail(new StoreError({ operation, reason: "invalid", cause: new Error("text cannot be stored") }))

const isStorable = Schema.is(Text.Storable)

export const layer = (file: string): Layer.Layer<KeyStore, StoreError> =>
  Layer.effect(
    KeyStore,
    Effect.gen(function* () {
      const open = attempt("KeyStore.open", () => {
        const database = new DatabaseSync(file)
        database.exec(table)
        return database
      })
      const database = yield* Effect.acquireRelease(open, (opened) => Effect.sync(() => opened.close()))
      const insert = database.prepare("INSERT OR IGNORE INTO keys VALUES (?, ?, ?, ?, ?, ?, ?)")
      const find = database.prepare("SELECT * FROM keys WHERE hash = ?")
      const list = database.prepare("SELECT * FROM keys ORDER BY createdAt, id")
      const revoke = database.prepare("UPDATE keys SET revokedAt = ? WHERE id = ? AND revokedAt IS NULL")
      return KeyStore.of({
        insert: ({ createdAt, hash, id, name, owner, revokedAt, scope }) =>
          Effect.andThen(
            requireStorable("KeyStore.insert", [id, name, owner, hash]),
            attempt(
              "KeyStore.insert",
              () => insert.run(id, name, owner, scope, hash, createdAt, revokedAt).changes === 1
            )
          ),
        find: (hash) => attempt("KeyStore.find", () => Option.map(Option.fromUndefinedOr(find.get(hash)), decode)),
        list: attempt("KeyStore.list", () => list.all().map((row) => decode(row))),
        revoke: (id, at) => attempt("KeyStore.revoke", () => revoke.run(at, id).changes === 1)
      })
    })
  )
