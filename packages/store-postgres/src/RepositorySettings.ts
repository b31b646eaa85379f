/** The settings of a repository as they hold for its executions. */
import { type Instant, Repository } from "@lazaret/domain"
import { Effect } from "effect"
import type { PostgresClient } from "./PostgresClient.ts"

/**
 * Policies, the default branch in force and what it follows from when it is not set, and the instant before which nothing
 * is kept.
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
  Effect.map(
    sql<Row>`
      SELECT settings, earliest_main, earliest_master, horizon
      FROM repositories
      WHERE repository_id = ${repositoryId}`,
    ([row]) => of(row)
  )

/** A row of `repositories`. */
export interface Row {
  readonly settings: Repository.RepositorySettings
  readonly earliest_main: Instant.Instant | null
  readonly earliest_master: Instant.Instant | null
  readonly horizon: Instant.Instant | null
}

/** The settings in a row; those of a repository that nobody has set anything for where there is none. */
export const of = (row: Row | undefined): RepositorySettings => {
  const settings = { ...Repository.defaultSettings, ...row?.settings }
  const earliest = { main: row?.earliest_main ?? null, master: row?.earliest_master ?? null }
  return {
    settings,
    policies: Repository.policies(settings),
    earliest,
    defaultBranch: Repository.defaultBranch(settings, earliest),
    horizon: row?.horizon ?? null
  }
}
