/** What the steps of a write to one repository share. */
import type { Repository } from "@lazaret/domain"
import { Effect } from "effect"
import type { PostgresClient } from "../database/PostgresClient.ts"
import * as RepositorySettings from "./RepositorySettings.ts"
import type { Failure } from "../database/StoreFailure.ts"
import * as Head from "./Head.ts"

/** The connections to PostgreSQL. */
export type Sql = PostgresClient["Service"]["sql"]

/** A transaction that has locked the head of a repository. */
export interface Session {
  readonly sql: Sql
  readonly repositoryId: number
  readonly head: Head.Head
  readonly policies: Repository.Policies
  readonly defaultBranch: string
  readonly earliest: RepositorySettings.RepositorySettings["earliest"]
  readonly horizon: RepositorySettings.RepositorySettings["horizon"]
  readonly chunksPerBase: number
}

/**
 * How the store works, where it may be told.
 *
 * **Details**
 *
 * `chunksPerBase` (8): a block is given a new base after this many chunks. So many are folded again for a late
 * execution, or twice as many.
 */
export interface Options {
  readonly chunksPerBase?: number
}

/** Locks a repository and reads its settings. */
export const open = Effect.fnUntraced(function* (sql: Sql, repositoryId: number, options: Options = {}) {
  const head = yield* Head.lock(sql, repositoryId)
  const { defaultBranch, earliest, horizon, policies } = yield* RepositorySettings.select(sql, repositoryId)
  const chunksPerBase = options.chunksPerBase ?? 8
  const session: Session = { sql, repositoryId, head, policies, defaultBranch, earliest, horizon, chunksPerBase }
  return session
})

/** Writes in transactions of their own, that have the lock which appends to the repository take. */
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
