/** The rows of failure groups and their events. They are stored under the names in reports: a test has those of all its names. */
import { Failure, type Instant, TestId, Text } from "@lazaret/domain"
import { Effect } from "effect"
import * as Parameter from "../database/Parameter.ts"
import type { Sql } from "../repository/Session.ts"

/** A stored group; `groupId` is its id under the name that stands for its test. */
export interface GroupRow {
  readonly groupId: string
  readonly test_id: string
  readonly failure_id: string
  readonly branch: string
  readonly exception_type: string
  readonly exception_message: string
  readonly failure_count: number
  readonly first_at: Instant.Instant
  readonly last_at: Instant.Instant
  readonly last_id: string
}

/** The groups of a test on branches. */
export const groups = Effect.fnUntraced(function* (
  sql: Sql,
  repositoryId: number,
  testName: string,
  branches: ReadonlyArray<string>
) {
  const testId = TestId.of(testName)
  const rows = yield* selectGroups(sql, repositoryId, testId, branches)
  return rows.map((row): GroupRow => ({ ...row, groupId: row.test_id === testId ? row.failure_id : idOf(testId, row) }))
})

const idOf = (testId: string, row: Omit<GroupRow, "groupId">): string =>
  Failure.groupOf(testId, { type: row.exception_type, message: row.exception_message, stacktrace: null }).id

/** The latest events of groups, the latest first. */
export const events = Effect.fnUntraced(function* (sql: Sql, repositoryId: number, rows: ReadonlyArray<GroupRow>) {
  const found = yield* selectEvents(sql, repositoryId, rows)
  const isRenamed = rows.some(({ failure_id, groupId }) => failure_id !== groupId)
  const ids = isRenamed ? yield* newIds(sql, repositoryId, found) : new Map<string, string>()
  return found
    .map((row): Failure.FailureEvent => ({
      id: ids.get(`${row.test_id} ${row.execution_id}`) ?? row.execution_id,
      failedAt: row.at,
      stacktrace: row.stacktrace,
      filepath: row.filepath,
      language: row.language,
      jobUrl: row.job_url
    }))
    .toSorted((a, b) => b.failedAt - a.failedAt || Text.compare(b.id, a.id))
    .slice(0, Failure.latestEvents)
})

const selectGroups = (sql: Sql, repositoryId: number, testId: string, branches: ReadonlyArray<string>) => sql<
  Omit<GroupRow, "groupId">
>`
  SELECT test_id, failure_id, branch, exception_type, exception_message, failure_count, first_at, last_at, last_id
  FROM failure_groups
  WHERE repository_id = ${repositoryId} AND branch = ANY(${Parameter.texts(branches)}) AND test_id IN (
    SELECT a.test_id
    FROM tests s
    JOIN tests a ON a.repository_id = s.repository_id AND a.alias_no = s.test_no
    WHERE s.repository_id = ${repositoryId} AND s.test_id = ${Parameter.uuid(testId)}
    UNION
    SELECT ${Parameter.uuid(testId)}
  )`

interface EventRow {
  readonly test_id: string
  readonly execution_id: string
  readonly at: Instant.Instant
  readonly stacktrace: string | null
  readonly filepath: string | null
  readonly language: string | null
  readonly job_url: string | null
}

const selectEvents = (sql: Sql, repositoryId: number, rows: ReadonlyArray<GroupRow>) => sql<EventRow>`
  SELECT e.test_id, e.execution_id, e.at, e.stacktrace, e.filepath, e.language, e.job_url
  FROM unnest(
    ${Parameter.uuids(rows.map((row) => row.test_id))},
    ${Parameter.uuids(rows.map((row) => row.failure_id))},
    ${Parameter.texts(rows.map((row) => row.branch))}
  ) AS n (test_id, failure_id, branch)
  JOIN failure_events e ON e.repository_id = ${repositoryId} AND e.test_id = n.test_id AND e.failure_id = n.failure_id
    AND e.branch = n.branch COLLATE "C"`

/** The ids of events under the name that stands for their test, by its own id, a space, and the id in the report. */
const newIds = (sql: Sql, repositoryId: number, rows: ReadonlyArray<EventRow>) =>
  Effect.map(
    sql<{ readonly test_id: string; readonly execution_id: string; readonly of_ordinal: number }>`
      SELECT a.test_id, f.execution_id, x.of_ordinal
      FROM (
        SELECT DISTINCT n.test_id, n.at
        FROM unnest(
          ${Parameter.uuids(rows.map((row) => row.test_id))},
          ${Parameter.instants(rows.map((row) => row.at))}
        ) AS n (test_id, at)
      ) n
      JOIN tests a ON a.repository_id = ${repositoryId} AND a.test_id = n.test_id AND a.alias_no IS NOT NULL
      JOIN failed_executions f ON f.repository_id = ${repositoryId} AND f.test_no = a.alias_no AND f.at = n.at
      JOIN aliased_executions x ON x.repository_id = ${repositoryId} AND x.test_no = a.alias_no AND x.of_test_no = a.test_no
        AND x.upload_no = f.upload_no AND x.ordinal = split_part(f.execution_id, '.', 2)::bigint`,
    (found) =>
      new Map(
        found.map((row) => {
          const report = row.execution_id.slice(0, row.execution_id.lastIndexOf("."))
          return [`${row.test_id} ${report}.${row.of_ordinal}`, row.execution_id]
        })
      )
  )
