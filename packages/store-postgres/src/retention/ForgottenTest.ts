/**
 * The removal of one test: its names, failures and derived rows are deleted; its packed executions, which lie between those of its
 * neighbours, cannot be reached without its number any more, and are deleted with their week.
 */
import type { TestId } from "@lazaret/domain"
import { Effect } from "effect"
import * as Parameter from "../database/Parameter.ts"
import * as Head from "../repository/Head.ts"
import type { Session } from "../repository/Session.ts"
import * as StandIns from "../repository/StandIns.ts"

/**
 * Removes a test from all of its jobs, under all of its names, and yields whether it was there.
 *
 * **Details**
 *
 * Numbers of tests are never used twice. The write counts as one that recomputed everything, so that every process reads the tests
 * of the repository again.
 */
export const remove = Effect.fnUntraced(function* (session: Session, testId: TestId.TestId) {
  const { repositoryId, sql } = session
  const rows = yield* selectTests(session, testId)
  if (rows.length === 0) return false
  const tests = rows.map((row) => row.test_no)
  const numbers = Parameter.int4s(tests)
  const ids = Parameter.uuids([...new Set(rows.map((row) => row.test_id))])
  const seen = yield* selectSightings(session, tests)
  yield* sql`DELETE FROM failed_executions WHERE repository_id = ${repositoryId} AND test_no = ANY(${numbers})`
  yield* sightAgain(session, seen)
  yield* sql`DELETE FROM branch_contradictions WHERE repository_id = ${repositoryId} AND test_no = ANY(${numbers})`
  yield* sql`DELETE FROM failure_events WHERE repository_id = ${repositoryId} AND test_id = ANY(${ids})`
  yield* sql`DELETE FROM failure_groups WHERE repository_id = ${repositoryId} AND test_id = ANY(${ids})`
  yield* sql`DELETE FROM aliased_executions WHERE repository_id = ${repositoryId} AND test_no = ANY(${numbers})`
  yield* sql`DELETE FROM test_sources WHERE repository_id = ${repositoryId} AND test_no = ANY(${numbers})`
  yield* sql`DELETE FROM tests WHERE repository_id = ${repositoryId} AND test_no = ANY(${numbers})`
  yield* Head.markRecalculated(sql, repositoryId, session.head)
  yield* Head.save(sql, repositoryId, session.head)
  return true
})

/** The test that stands for the one with an id, and all those that it stands for. */
const selectTests = ({ repositoryId, sql }: Session, testId: TestId.TestId) => sql<{
  readonly test_no: number
  readonly test_id: string
}>`
  SELECT t.test_no, t.test_id
  FROM (
    SELECT ${StandIns.id(sql, repositoryId, "n.asked_id")} AS test_id
    FROM unnest(${Parameter.uuids([testId])}) AS n (asked_id)
    OFFSET 0
  ) i
  JOIN tests t ON t.repository_id = ${repositoryId} AND (
    t.test_id = i.test_id OR t.alias_no IN (
      SELECT test_no
      FROM tests
      WHERE repository_id = ${repositoryId} AND test_id = i.test_id
    )
  )`

interface Seen {
  readonly run_no: number
  readonly signature: string
}

const selectSightings = ({ repositoryId, sql }: Session, tests: ReadonlyArray<number>) => sql<Seen>`
  SELECT DISTINCT run_no, signature
  FROM failed_executions
  WHERE repository_id = ${repositoryId} AND test_no = ANY(${Parameter.int4s(tests)}) AND is_failed AND signature IS NOT NULL`

/** Sightings of job runs with the failures that are left: other tests may have failed in the same way. */
const sightAgain = Effect.fnUntraced(function* ({ repositoryId, sql }: Session, seen: ReadonlyArray<Seen>) {
  const runs = Parameter.int4s(seen.map((row) => row.run_no))
  const signatures = Parameter.uuids(seen.map((row) => row.signature))
  yield* sql`
    DELETE FROM failure_sightings s
    USING unnest(${runs}, ${signatures}) AS n (run_no, signature)
    WHERE s.repository_id = ${repositoryId} AND s.signature = n.signature AND s.run_no = n.run_no`
  yield* sql`
    INSERT INTO failure_sightings (repository_id, signature, at, run_no)
    SELECT ${repositoryId}, f.signature, max(f.at), f.run_no
    FROM unnest(${runs}, ${signatures}) AS n (run_no, signature)
    JOIN failed_executions f
      ON f.repository_id = ${repositoryId} AND f.run_no = n.run_no AND f.signature = n.signature AND f.is_failed
    GROUP BY f.signature, f.run_no
    ON CONFLICT DO NOTHING`
})
