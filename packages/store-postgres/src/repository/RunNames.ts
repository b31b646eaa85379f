/** The names that a row of a job run has numbers for. */
import type { Fragment } from "effect/sql/Statement"
import type { Sql } from "./Session.ts"

/**
 * A join that adds `sha`, `pipeline_name` and `job_name` to rows `r` with `commit_no` and `job_no`.
 *
 * **Details**
 *
 * The ranges of one value and the order keep the planner at the index, whatever its statistics are.
 */
export const joined = ({ repositoryId, sql }: { readonly sql: Sql; readonly repositoryId: number }): Fragment => sql`
  CROSS JOIN LATERAL (
    SELECT sha
    FROM commits
    WHERE repository_id = ${repositoryId} AND commit_no BETWEEN r.commit_no AND r.commit_no
    ORDER BY commit_no
    LIMIT 1
  ) c
  CROSS JOIN LATERAL (
    SELECT pipeline_name, job_name
    FROM jobs
    WHERE repository_id = ${repositoryId} AND job_no BETWEEN r.job_no AND r.job_no
    ORDER BY job_no
    LIMIT 1
  ) j`
