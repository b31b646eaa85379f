/** The version of everything that is stored of a repository. */
import { Effect, Option } from "effect"
import type { Sql } from "./Session.ts"

/**
 * The version of a repository, none when it does not exist. One statement reads its parts at one moment.
 *
 * It holds the number of the repository, which another repository of the same name, created after a removal, does not have.
 */
export const select = (sql: Sql, repositoryId: number) =>
  Effect.map(
    sql<{ readonly executions: number; readonly rows: number }>`
      SELECT coalesce(h.version, 0) AS executions, coalesce(e.version, 0) AS rows
      FROM repositories r
      LEFT JOIN repository_heads h ON h.repository_id = ${repositoryId}
      LEFT JOIN event_heads e ON e.repository_id = ${repositoryId}
      WHERE r.repository_id = ${repositoryId}`,
    ([row]) =>
      Option.map(Option.fromUndefinedOr(row), ({ executions, rows }) => `${repositoryId}.${executions}.${rows}`)
  )
