/** The tests that stand for others by the aliases that hold. */
import type { Sql } from "./Session.ts"

/**
 * The id of the test that stands for the one with the id in `column`, as an expression.
 *
 * **Details**
 *
 * An alias holds in every job: either all rows of a name have it, or no row has.
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
