/**
 * What the steps of a write to one repository share.
 *
 * @since 0.1.0
 */
import type { Repository } from "@lazaret/domain"
import { Effect } from "effect"
import type { PostgresClient } from "../PostgresClient.ts"
import * as RepositorySettings from "../RepositorySettings.ts"
import * as Head from "./Head.ts"

/**
 * The connections to PostgreSQL.
 *
 * @category models
 * @since 0.1.0
 */
export type Sql = PostgresClient["Service"]["sql"]

/**
 * A transaction that has locked the head of a repository.
 *
 * @category models
 * @since 0.1.0
 */
export interface Session {
  readonly sql: Sql
  readonly repositoryId: number
  readonly head: Head.Head
  readonly policies: Repository.Policies
  readonly defaultBranch: string
}

/**
 * Locks a repository and reads its settings.
 *
 * @category constructors
 * @since 0.1.0
 */
export const open = Effect.fnUntraced(function* (sql: Sql, repositoryId: number) {
  const head = yield* Head.lock(sql, repositoryId)
  const { defaultBranch, policies } = yield* RepositorySettings.select(sql, repositoryId)
  const session: Session = { sql, repositoryId, head, policies, defaultBranch }
  return session
})
