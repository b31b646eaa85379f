/** Reads that see one moment. */
import type { Repository } from "@lazaret/domain"
import type { StoreError } from "@lazaret/store"
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { PostgresClient } from "../database/PostgresClient.ts"
import type { RepositoryDirectory } from "../repository/RepositoryDirectory.ts"
import type { Failure } from "../database/StoreFailure.ts"

/** What every reading method needs. */
export interface Reader {
  readonly client: PostgresClient["Service"]
  readonly directory: RepositoryDirectory["Service"]
}

/** Statements that all see the database as it was when the first of them ran. */
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
