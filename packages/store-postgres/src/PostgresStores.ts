/** Every storage port on PostgreSQL. */
import type { MemoryStores } from "@lazaret/store"
import { Effect, Layer, type Redacted } from "effect"
import type { SqlError } from "effect/sql"
import { DatabaseError } from "./DatabaseError.ts"
import { type EmbeddedOptions, EmbeddedPostgres } from "./EmbeddedPostgres.ts"
import type { EmbeddedPostgresError } from "./EmbeddedPostgresError.ts"
import * as Migrations from "./Migrations.ts"
import { type ClientOptions, PostgresClient } from "./PostgresClient.ts"
import * as PostgresEventStore from "./PostgresEventStore.ts"
import * as PostgresExecutionStore from "./PostgresExecutionStore.ts"
import * as PostgresFailureStore from "./PostgresFailureStore.ts"
import * as PostgresKeyStore from "./PostgresKeyStore.ts"
import * as PostgresQuarantineStore from "./PostgresQuarantineStore.ts"
import * as PostgresQueueStore from "./PostgresQueueStore.ts"
import * as PostgresRefold from "./PostgresRefold.ts"
import * as PostgresRepositoryStore from "./PostgresRepositoryStore.ts"
import * as PostgresRetentionStore from "./PostgresRetentionStore.ts"
import * as PostgresSubscriptionStore from "./PostgresSubscriptionStore.ts"
import * as PostgresTestStore from "./PostgresTestStore.ts"
import * as PostgresUpkeepStore from "./PostgresUpkeepStore.ts"
import { RepositoryDirectory } from "./RepositoryDirectory.ts"

/** All storage ports over a client, whose database has the tables of this version. */
export const layerClient: Layer.Layer<MemoryStores.Stores, never, PostgresClient> = Layer.mergeAll(
  PostgresEventStore.layer,
  PostgresExecutionStore.layer,
  PostgresFailureStore.layer,
  PostgresKeyStore.layer,
  PostgresQuarantineStore.layer,
  PostgresQueueStore.layer,
  PostgresRepositoryStore.layer,
  PostgresSubscriptionStore.layer,
  PostgresTestStore.layer,
  PostgresUpkeepStore.layer,
  PostgresRetentionStore.layer
).pipe(Layer.provide([RepositoryDirectory.layer, PostgresRefold.layer]))

/**
 * All storage ports in the database at a URL (`postgres://user:password@host/database`), whose tables are brought to this
 * version first.
 */
export const layer = ({
  url,
  ...options
}: ClientOptions & { readonly url: Redacted.Redacted }): Layer.Layer<MemoryStores.Stores, DatabaseError> =>
  migrated(PostgresClient.layer(url, options))

/**
 * All storage ports in a data folder, with a PostgreSQL of their own.
 *
 * **Details**
 *
 * The folder is made when it does not exist, and one process has it at a time (`EmbeddedPostgres`). The connections are
 * closed before the server is stopped.
 */
export const layerEmbedded = (
  options: EmbeddedOptions
): Layer.Layer<MemoryStores.Stores, DatabaseError | EmbeddedPostgresError> =>
  migrated(PostgresClient.layerEmbedded()).pipe(Layer.provide(EmbeddedPostgres.layer(options)))

const migrated = <R>(client: Layer.Layer<PostgresClient, SqlError.SqlError, R>) =>
  layerClient.pipe(
    Layer.provide(Migrations.layer),
    Layer.provide(client),
    Layer.catchTag("SqlError", (error) => Layer.effectContext(Effect.fail(DatabaseError.ofFirstContact(error))))
  )
