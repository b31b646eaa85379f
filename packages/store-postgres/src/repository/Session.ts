/** The context that the steps of a write to one repository share. */
import { Effect } from "effect"
import type { PostgresClient } from "../database/PostgresClient.ts"
import * as RepositorySettings from "./RepositorySettings.ts"
import { type Failure, RepositoryRemoved } from "../database/StoreFailure.ts"
import * as Head from "./Head.ts"

/** The connections to PostgreSQL. */
export type Sql = PostgresClient["Service"]["sql"]

/** A transaction that has locked the head of a repository. */
export interface Session extends RepositorySettings.RepositorySettings {
  readonly sql: Sql
  readonly repositoryId: number
  readonly head: Head.Head
  readonly chunksPerBase: number
}

/**
 * The options of the store.
 *
 * **Details**
 *
 * `chunksPerBase` (8): a block gets a new base after this many chunks. A late execution refolds between this many
 * chunks and twice as many.
 */
export interface Options {
  readonly chunksPerBase?: number
}

/** Locks a repository and reads its settings. Fails when the repository has been removed. */
export const open = Effect.fnUntraced(function* (sql: Sql, repositoryId: number, options: Options = {}) {
  const { head, isNew } = yield* Head.lock(sql, repositoryId)
  if (isNew && !(yield* RepositorySettings.exists(sql, repositoryId))) {
    return yield* new RepositoryRemoved({ repositoryId })
  }
  const settings = yield* RepositorySettings.select(sql, repositoryId)
  const session: Session = { sql, repositoryId, head, chunksPerBase: options.chunksPerBase ?? 8, ...settings }
  return session
})

/** Runs writes in transactions of their own that hold the same lock as appends to the repository. */
export const write =
  ({ sql, transaction }: PostgresClient["Service"], operation: string, repositoryId: number) =>
  <A>(work: (session: Session) => Effect.Effect<A, Failure>) =>
    transaction(
      operation,
      Effect.gen(function* () {
        const session = yield* open(sql, repositoryId)
        const done = yield* work(session)
        yield* Head.save(sql, repositoryId, session.head)
        return done
      })
    )
