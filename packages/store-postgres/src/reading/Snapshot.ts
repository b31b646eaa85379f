/** Reads of one snapshot of the database. */
import type { Repository } from "@lazaret/domain"
import type { StoreError } from "@lazaret/store"
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { PostgresClient } from "../database/PostgresClient.ts"
import type { RepositoryDirectory } from "../repository/RepositoryDirectory.ts"
import type { Failure } from "../database/StoreFailure.ts"

/** The services that every reading method uses. */
export interface Reader {
  readonly client: PostgresClient["Service"]
  readonly directory: RepositoryDirectory["Service"]
}

/** Runs statements in one snapshot, taken when the first of them runs. */
export const read = <A>(
  { client }: Reader,
  operation: string,
  statements: Effect.Effect<A, Failure>
): Effect.Effect<A, StoreError> =>
  Effect.provideService(
    client.transaction(operation, statements),
    SqlClient.BeginTransaction,
    "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
  )

/** The same for a repository by its number; `absent` when nothing has ever been written for it. */
export const ofRepository = <A>(
  reader: Reader,
  operation: string,
  ref: Repository.RepositoryRef,
  absent: A,
  statements: (repositoryId: number) => Effect.Effect<A, Failure>
): Effect.Effect<A, StoreError> =>
  read(
    reader,
    operation,
    Effect.flatMap(
      reader.directory.find(ref),
      Option.match({ onNone: () => Effect.succeed(absent), onSome: statements })
    )
  )
