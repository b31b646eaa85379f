/** Application keys in PostgreSQL. */
import type { ApplicationKey } from "@lazaret/domain"
import { KeyStore } from "@lazaret/store"
import { Effect, Layer, Option } from "effect"
import * as Parameter from "./Parameter.ts"
import { PostgresClient } from "./PostgresClient.ts"
import * as StorableText from "./StorableText.ts"

/** The key port on PostgreSQL. */
export const layer: Layer.Layer<KeyStore, never, PostgresClient> = Layer.effect(
  KeyStore,
  Effect.map(PostgresClient, ({ run, sql }) =>
    KeyStore.of({
      insert: (key) =>
        Effect.andThen(
          StorableText.guard("KeyStore.insert", [key.id, key.name, key.owner, key.hash]),
          run("KeyStore.insert", insertKey(sql, key))
        ),
      find: (hash) =>
        StorableText.is(hash) ? run("KeyStore.find", selectByHash(sql, hash)) : Effect.succeed(Option.none()),
      list: run("KeyStore.list", selectAll(sql)),
      revoke: (id, at) =>
        StorableText.is(id) ? run("KeyStore.revoke", updateRevoked(sql, id, at)) : Effect.succeed(false)
    })
  )
)

type Sql = PostgresClient["Service"]["sql"]
type Key = ApplicationKey.ApplicationKey

const columns = (sql: Sql) =>
  sql.literal(`key_id AS id, name, owner, scope, hash, created_at AS "createdAt", revoked_at AS "revokedAt"`)

const insertKey = (sql: Sql, key: Key) =>
  Effect.map(
    sql`
      INSERT INTO application_keys (key_id, name, owner, scope, hash, created_at, revoked_at)
      VALUES (
        ${key.id}, ${key.name}, ${key.owner}, ${key.scope}, ${key.hash},
        ${Parameter.instant(key.createdAt)}, ${Parameter.instant(key.revokedAt)}
      )
      ON CONFLICT DO NOTHING
      RETURNING key_id`,
    (rows) => rows.length > 0
  )

const selectByHash = (sql: Sql, hash: string) =>
  Effect.map(sql<Key>`SELECT ${columns(sql)} FROM application_keys WHERE hash = ${hash}`, (rows) =>
    Option.fromUndefinedOr(rows[0])
  )

const selectAll = (sql: Sql) =>
  sql<Key>`SELECT ${columns(sql)} FROM application_keys ORDER BY created_at, key_id COLLATE "C"`

const updateRevoked = (sql: Sql, id: string, at: number) =>
  Effect.map(
    sql`
      UPDATE application_keys SET revoked_at = ${Parameter.instant(at)}
      WHERE key_id = ${id} AND revoked_at IS NULL
      RETURNING key_id`,
    (rows) => rows.length > 0
  )
