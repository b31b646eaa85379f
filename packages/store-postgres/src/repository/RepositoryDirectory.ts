/** The numbers of repositories: every other table knows a repository by its number alone. */
import { type Instant, Repository } from "@lazaret/domain"
import type { StoreError } from "@lazaret/store"
import { Context, Effect, Layer, Option } from "effect"
import type { SqlError } from "effect/sql"
import * as Parameter from "../database/Parameter.ts"
import { PostgresClient } from "../database/PostgresClient.ts"

/**
 * Finds and gives out the numbers of repositories. A number never changes, so what has been found is remembered.
 *
 * **Details**
 *
 * Both are plain statements, to be run within `PostgresClient.run` or `PostgresClient.transaction`.
 */
export class RepositoryDirectory extends Context.Service<
  RepositoryDirectory,
  {
    /** The number of a repository, none when nothing has ever been written for it. */
    readonly find: (ref: Repository.RepositoryRef) => Effect.Effect<Option.Option<number>, SqlError.SqlError>
    /** The number of a repository; makes it, with the spelling of `ref`, when it does not exist. */
    readonly ensure: (ref: Repository.RepositoryRef, at: Instant.Instant) => Effect.Effect<number, SqlError.SqlError>
  }
>()("@lazaret/store-postgres/RepositoryDirectory") {
  /** The directory in the database, with a memory in the process. */
  static readonly layer: Layer.Layer<RepositoryDirectory, never, PostgresClient> = Layer.effect(
    RepositoryDirectory,
    Effect.map(PostgresClient, ({ sql }) => make(sql))
  )
}

/** How an operation is run, such as `PostgresClient.run`. */
export type Around = <A>(operation: string, effect: Effect.Effect<A, SqlError.SqlError>) => Effect.Effect<A, StoreError>

/** Operations on repositories that are there; they yield `empty` when there is no such repository. */
export const whenKnown =
  (directory: RepositoryDirectory["Service"], around: Around) =>
  <A>(
    operation: string,
    ref: Repository.RepositoryRef,
    empty: A,
    statements: (repositoryId: number) => Effect.Effect<A, SqlError.SqlError>
  ): Effect.Effect<A, StoreError> =>
    around(
      operation,
      Effect.flatMap(directory.find(ref), (found) =>
        Option.isNone(found) ? Effect.succeed(empty) : statements(found.value)
      )
    )

type Sql = PostgresClient["Service"]["sql"]

const make = (sql: Sql): RepositoryDirectory["Service"] => {
  const known = new Map<string, number>()
  // A number that a transaction has given out is nobody's until the transaction is committed.
  const remember = (key: string, id: number) => sql.afterCommit(Effect.sync(() => known.set(key, id)))

  const find = Effect.fnUntraced(function* (ref: Repository.RepositoryRef) {
    const key = Repository.key(ref)
    const remembered = known.get(key)
    if (remembered !== undefined) return Option.some(remembered)
    const found = yield* selectId(sql, key)
    if (Option.isSome(found)) yield* remember(key, found.value)
    return found
  })

  const ensure = Effect.fnUntraced(function* (ref: Repository.RepositoryRef, at: Instant.Instant) {
    const found = yield* find(ref)
    if (Option.isSome(found)) return found.value
    yield* insertRepository(sql, ref, at)
    // Made just now, or by somebody else between the two statements.
    return yield* Effect.flatMap(find(ref), Option.match({ onSome: Effect.succeed, onNone: () => Effect.die("gone") }))
  })

  return { find, ensure }
}

const selectId = (sql: Sql, key: string) =>
  Effect.map(
    sql<{ readonly repository_id: number }>`SELECT repository_id FROM repositories WHERE key = ${key}`,
    (rows) => Option.map(Option.fromUndefinedOr(rows[0]), (row) => row.repository_id)
  )

const insertRepository = (sql: Sql, ref: Repository.RepositoryRef, at: Instant.Instant) =>
  sql`
    INSERT INTO repositories (key, owner, name, settings, created_at)
    VALUES (
      ${Repository.key(ref)}, ${ref.owner}, ${ref.repository},
      ${Parameter.json(Repository.defaultSettings)}, ${Parameter.instant(at)}
    )
    ON CONFLICT (key) DO NOTHING`
