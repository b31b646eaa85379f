/**
 * The removal of one test: its names, failures and derived rows are deleted; its packed executions, which lie between those of its
 * neighbours, cannot be reached without its number any more, and are deleted with their week.
 */
import type { TestId } from "@lazaret/domain"
import { Effect } from "effect"
import * as Parameter from "../database/Parameter.ts"
import * as Head from "../repository/Head.ts"
import type { Session } from "../repository/Session.ts"

/**
 * Removes a test from all of its jobs, and yields whether it was there.
 *
 * **Details**
 *
 * Numbers of tests are never used twice. The write counts as one that recomputed everything, so that every process reads the tests
 * of the repository again.
 */
export const remove = Effect.fnUntraced(function* (session: Session, testId: TestId.TestId) {
  const { repositoryId, sql } = session
  const tests = (yield* selectTests(session, testId)).map((row) => row.test_no)
  if (tests.length === 0) return false
  const numbers = Parameter.int4s(tests)
  const seen = yield* selectSightings(session, tests)
  yield* sql`DELETE FROM failed_executions WHERE repository_id = ${repositoryId} AND test_no = ANY(${numbers})`
  yield* sightAgain(session, seen)
  yield* sql`DELETE FROM branch_contradictions WHERE repository_id = ${repositoryId} AND test_no = ANY(${numbers})`
  yield* sql`DELETE FROM failure_events WHERE repository_id = ${repositoryId} AND test_id = ${Parameter.uuid(testId)}`
  yield* sql`DELETE FROM failure_groups WHERE repository_id = ${repositoryId} AND test_id = ${Parameter.uuid(testId)}`
  yield* sql`DELETE FROM test_sources WHERE repository_id = ${repositoryId} AND test_no = ANY(${numbers})`
  yield* sql`DELETE FROM tests WHERE repository_id = ${repositoryId} AND test_no = ANY(${numbers})`
  yield* Head.markRecalculated(sql, repositoryId, session.head)
  yield* Head.save(sql, repositoryId, session.head)
  return true
})

const selectTests = ({ repositoryId, sql }: Session, testId: TestId.TestId) => sql<{ readonly test_no: number }>`
  SELECT test_no FROM tests WHERE repository_id = ${repositoryId} AND test_id = ${Parameter.uuid(testId)}`

interface Seen {
  readonly upload_no: number
  readonly signature: string
}

const selectSightings = ({ repositoryId, sql }: Session, tests: ReadonlyArray<number>) => sql<Seen>`
  SELECT DISTINCT upload_no, signature
  FROM failed_executions
  WHERE repository_id = ${repositoryId} AND test_no = ANY(${Parameter.int4s(tests)}) AND is_failed AND signature IS NOT NULL`

/** Sightings of uploads with the failures that are left: other tests may have failed in the same way. */
const sightAgain = Effect.fnUntraced(function* ({ repositoryId, sql }: Session, seen: ReadonlyArray<Seen>) {
  const uploads = Parameter.int4s(seen.map((row) => row.upload_no))
  const signatures = Parameter.uuids(seen.map((row) => row.signature))
  yield* sql`
    DELETE FROM failure_sightings s
    USING unnest(${uploads}, ${signatures}) AS n (upload_no, signature)
    WHERE s.repository_id = ${repositoryId} AND s.signature = n.signature AND s.upload_no = n.upload_no`
  yield* sql`
    INSERT INTO failure_sightings (repository_id, signature, at, upload_no, run_no)
    SELECT ${repositoryId}, f.signature, max(f.at), f.upload_no, f.run_no
    FROM unnest(${uploads}, ${signatures}) AS n (upload_no, signature)
    JOIN uploads u ON u.repository_id = ${repositoryId} AND u.upload_no = n.upload_no
    JOIN failed_executions f
      ON f.repository_id = ${repositoryId} AND f.run_no = u.run_no AND f.upload_no = n.upload_no AND f.signature = n.signature
        AND f.is_failed
    GROUP BY f.signature, f.upload_no, f.run_no
    ON CONFLICT DO NOTHING`
})
