/** Every storage port on PostgreSQL. */
import { Stores } from "@lazaret/store"
import { Effect, Layer, type Redacted } from "effect"
import type { SqlError } from "effect/sql"
import { DatabaseError } from "../database/DatabaseError.ts"
import * as Migrations from "../database/Migrations.ts"
import { type ClientOptions, PostgresClient } from "../database/PostgresClient.ts"
import * as PostgresDriver from "./PostgresDriver.ts"

/** All storage ports over a client. The database must have the tables of this version. */
export const layerClient: Layer.Layer<Stores.Stores, never, PostgresClient> = Layer.provide(
  Stores.layer,
  PostgresDriver.layer
)

/**
 * All storage ports in the database at a URL (`postgres://user:password@host/database`). Runs missing migrations first.
 */
export const layer = ({
  url,
  ...options
}: ClientOptions & { readonly url: Redacted.Redacted }): Layer.Layer<Stores.Stores, DatabaseError> =>
  migrated(PostgresClient.layer(url, options))

const migrated = <R>(client: Layer.Layer<PostgresClient, SqlError.SqlError, R>) =>
  layerClient.pipe(
    Layer.provide(Migrations.layer),
    Layer.provide(client),
    Layer.catchTag("SqlError", (error) => Layer.effectContext(Effect.fail(DatabaseError.ofFirstContact(error))))
  )
