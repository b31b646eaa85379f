/** The settings of a repository that apply to its executions. */
import { type Instant, Repository } from "@lazaret/domain"
import { Settings, StoreError } from "@lazaret/store"
import { Effect } from "effect"
import type { PostgresClient } from "../database/PostgresClient.ts"

/**
 * The policies, the default branch in force, the first executions that it follows from when it is not set, and the
 * horizon.
 */
export interface RepositorySettings {
  readonly settings: Repository.RepositorySettings
  readonly policies: Repository.Policies
  readonly earliest: { readonly main: Instant.Instant | null; readonly master: Instant.Instant | null }
  readonly defaultBranch: string
  readonly horizon: Instant.Instant | null
}

/** The settings of a repository that exists. */
export const select = (sql: PostgresClient["Service"]["sql"], repositoryId: number) =>
  Effect.flatMap(
    sql<Row>`
      SELECT settings, earliest_main, earliest_master, horizon
      FROM repositories
      WHERE repository_id = ${repositoryId}`,
    ([row]) => of(row)
  )

/** Whether the repository with this number exists now. */
export const exists = (sql: PostgresClient["Service"]["sql"], repositoryId: number) =>
  Effect.map(sql`SELECT 1 AS one FROM repositories WHERE repository_id = ${repositoryId}`, (rows) => rows.length > 0)

/** A row of `repositories`. */
export interface Row {
  readonly settings: unknown
  readonly earliest_main: Instant.Instant | null
  readonly earliest_master: Instant.Instant | null
  readonly horizon: Instant.Instant | null
}

/** The settings in a row; the defaults without a row. */
export const of = (row: Row | undefined): Effect.Effect<RepositorySettings, StoreError> =>
  Effect.map(decode(row?.settings), (settings) => {
    const earliest = { main: row?.earliest_main ?? null, master: row?.earliest_master ?? null }
    return {
      settings,
      policies: Repository.policies(settings),
      earliest,
      defaultBranch: Repository.defaultBranch(settings, earliest),
      horizon: row?.horizon ?? null
    }
  })

/** Settings from their column. */
export const decode = (settings: unknown): Effect.Effect<Repository.RepositorySettings, StoreError> =>
  Effect.mapError(
    Settings.decode(settings ?? {}),
    (cause) => new StoreError({ operation: "RepositoryStore.get", reason: "failed", cause })
  )
