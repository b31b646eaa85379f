/** The tests that stand for the names that ids are of. */
import type { Sql } from "./Session.ts"

/**
 * The id of the test that stands for the one with the id in `column`, as an expression.
 *
 * **Details**
 *
 * All rows of one name have an alias, or none: an alias holds in every job.
 */
export const id = (sql: Sql, repositoryId: number, column: string) => sql`
  coalesce(
    (
      SELECT s.test_id
      FROM tests a
      JOIN tests s ON s.repository_id = a.repository_id AND s.test_no = a.alias_no
      WHERE a.repository_id = ${repositoryId} AND a.test_id = ${sql.literal(column)} AND a.alias_no IS NOT NULL
      LIMIT 1
    ),
    ${sql.literal(column)}
  )`
