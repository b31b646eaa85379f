/** The numbers of repositories: every other table refers to a repository by its number. */
import { type Instant, Repository } from "@lazaret/domain"
import type { StoreError } from "@lazaret/store"
import { Clock, Context, Effect, Layer, Option } from "effect"
import type { SqlError } from "effect/sql"
import * as Parameter from "../database/Parameter.ts"
import { PostgresClient } from "../database/PostgresClient.ts"

/**
 * Finds and assigns the numbers of repositories.
 *
 * **Details**
 *
 * - Plain statements: run them inside `PostgresClient.run` or `PostgresClient.transaction`.
 * - A number is never used twice, and a repository keeps its number until it is removed. Found numbers are cached for five
 *   seconds. A removal deletes the number from the cache of its own process at once. Other processes may read with the
 *   number of a removed repository until then, and find nothing; a write (`within`) and a read of the version find that the
 *   number is gone.
 */
export class RepositoryDirectory extends Context.Service<
  RepositoryDirectory,
  {
    /** The number of a repository; none when nothing was ever written for it. */
    readonly find: (ref: Repository.RepositoryRef) => Effect.Effect<Option.Option<number>, SqlError.SqlError>
    /** The number of a repository; creates a missing repository with the spelling of `ref`. */
    readonly ensure: (ref: Repository.RepositoryRef, at: Instant.Instant) => Effect.Effect<number, SqlError.SqlError>
    /** Deletes the number of a repository from the cache. */
    readonly forget: (ref: Repository.RepositoryRef) => Effect.Effect<void>
    /** Runs the statements of a write; when the repository is gone, deletes its number from the cache. */
    readonly within: <A, E extends { readonly _tag: string }, R>(
      ref: Repository.RepositoryRef,
      statements: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E, R>
  }
>()("@lazaret/store-postgres/RepositoryDirectory") {
  /** The directory in the database, with a cache in the process. */
  static readonly layer: Layer.Layer<RepositoryDirectory, never, PostgresClient> = Layer.effect(
    RepositoryDirectory,
    Effect.map(PostgresClient, ({ sql }) => make(sql))
  )
}

/** A way to run an operation, such as `PostgresClient.run`. */
export type Around = <A>(operation: string, effect: Effect.Effect<A, SqlError.SqlError>) => Effect.Effect<A, StoreError>

/** Operations on existing repositories; they yield `empty` when the repository does not exist. */
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

/** How long a found number is cached, in milliseconds. */
const freshness = 5_000

const make = (sql: Sql): RepositoryDirectory["Service"] => {
  const known = new Map<string, { readonly id: number; readonly until: Instant.Instant }>()
  // A number assigned in a transaction may be cached only after the commit.
  const remember = (key: string, id: number) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      sql.afterCommit(Effect.sync(() => known.set(key, { id, until: now + freshness })))
    )

  const find = Effect.fnUntraced(function* (ref: Repository.RepositoryRef) {
    const key = Repository.key(ref)
    const remembered = known.get(key)
    if (remembered !== undefined && (yield* Clock.currentTimeMillis) < remembered.until) {
      return Option.some(remembered.id)
    }
    const found = yield* selectId(sql, key)
    if (Option.isSome(found)) yield* remember(key, found.value)
    return found
  })

  const ensure = Effect.fnUntraced(function* (ref: Repository.RepositoryRef, at: Instant.Instant) {
    const found = yield* find(ref)
    if (Option.isSome(found)) return found.value
    yield* insertRepository(sql, ref, at)
    // Inserted by this statement, or by another transaction between the two statements.
    return yield* Effect.flatMap(find(ref), Option.match({ onSome: Effect.succeed, onNone: () => Effect.die("gone") }))
  })

  const forget = (ref: Repository.RepositoryRef) => Effect.sync(() => void known.delete(Repository.key(ref)))

  return {
    find,
    ensure,
    forget,
    within: (ref, statements) =>
      Effect.tapError(statements, ({ _tag }) => (_tag === "RepositoryRemoved" ? forget(ref) : Effect.void))
  }
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
