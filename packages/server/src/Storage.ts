/** The storage of a server. This module alone chooses the adapter. */
import { EngineStore, MemoryStores, type Stores } from "@lazaret/store"
import { EmbeddedPostgres, type EmbeddedPostgresError } from "@lazaret/postgres-embedded"
import { DatabaseError, Distribution, Migrations, PostgresClient, PostgresStores } from "@lazaret/store-postgres"
import { Clock, Context, Effect, Layer, type Redacted } from "effect"

/** A choice of storage: memory, the embedded PostgreSQL in a folder, or a PostgreSQL at a URL. */
export type Storage =
  | { readonly _tag: "Memory" }
  | { readonly _tag: "Embedded"; readonly folder: string }
  | { readonly _tag: "Postgres"; readonly url: Redacted.Redacted }

/** The reason why storage cannot be used; the message is written for people. */
export type StorageError = DatabaseError | EmbeddedPostgresError

/** All storage ports, on tables that are migrated to this version. */
export const layer = (storage: Storage): Layer.Layer<Stores.Stores, StorageError> => {
  switch (storage._tag) {
    case "Memory":
      return MemoryStores.layer
    case "Embedded":
      return Layer.tap(
        EmbeddedPostgres.layerOn({ folder: storage.folder }, (url) => PostgresStores.layer({ url })),
        takenOver
      )
    case "Postgres":
      return PostgresStores.layer({ url: storage.url })
  }
}

/** One server at a time uses a data folder: whatever is leased was left by one that died. */
const takenOver = (stores: Context.Context<Stores.Stores>) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => Context.get(stores, EngineStore).abandon(now, "all")).pipe(
    Effect.catch((error) => Effect.logWarning("The merge queues of an earlier server could not be taken over", error))
  )

/** Refuses storage that this version cannot use, and writes nothing. */
export const check = (storage: Storage): Effect.Effect<void, StorageError> => {
  switch (storage._tag) {
    case "Memory":
      return Effect.void
    case "Embedded":
      return EmbeddedPostgres.check(storage.folder)
    case "Postgres":
      return Effect.provide(Migrations.check, PostgresClient.layer(storage.url), { local: true }).pipe(
        Effect.catchTag("SqlError", (error) => Effect.fail(DatabaseError.ofFirstContact(error)))
      )
  }
}

/** Migrates the tables to this version, without a server, and yields the names of the migrations that ran. */
export const migrate = (storage: Exclude<Storage, { readonly _tag: "Memory" }>) =>
  Effect.provide(Migrations.run, client(storage), { local: true })

/** Distributes the tables over the nodes of a cluster, and yields the names of those that were not distributed before. */
export const distribute = (storage: Exclude<Storage, { readonly _tag: "Memory" }>) =>
  Effect.provide(Distribution.run, client(storage), { local: true })

const client = (storage: Exclude<Storage, { readonly _tag: "Memory" }>) =>
  storage._tag === "Embedded"
    ? EmbeddedPostgres.layerOn({ folder: storage.folder }, PostgresClient.layer)
    : PostgresClient.layer(storage.url)
