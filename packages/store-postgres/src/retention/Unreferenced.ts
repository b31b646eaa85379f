/** Removes failures, uploads, runs and commits that are unreferenced after executions were dropped. */
import type { Instant } from "@lazaret/domain"
import { Effect } from "effect"
import * as Judgement from "../append/Judgement.ts"
import type { Session } from "../repository/Session.ts"
import * as Surrogate from "../codec/Surrogate.ts"
import * as Parameter from "../database/Parameter.ts"
import * as Names from "../blocks/Names.ts"
import * as Recalculation from "../append/Recalculation.ts"
import * as Bases from "../blocks/RetainedBases.ts"

/**
 * Stores the horizon of a repository, and marks the runs that it cuts; does nothing when the stored horizon is the same
 * or later.
 */
export const setHorizon = Effect.fnUntraced(function* (session: Session, horizon: Instant.Instant) {
  if (session.horizon !== null && session.horizon >= horizon) return
  const { repositoryId, sql } = session
  yield* sql`UPDATE repositories SET horizon = ${Parameter.instant(horizon)} WHERE repository_id = ${repositoryId}`
  yield* sql`
    UPDATE job_runs r
    SET is_partial = true
    FROM uploads u
    WHERE r.repository_id = ${repositoryId} AND u.repository_id = ${repositoryId} AND u.run_no = r.run_no
      AND u.earliest_at < ${Parameter.instant(horizon)} AND NOT r.is_partial`
})

/**
 * Removes unreferenced rows, and yields the number of removed uploads.
 *
 * **Details**
 *
 * Uploads and commits that the state of a test refers to are kept, but the idempotency keys of these uploads are
 * released.
 */
export const remove = Effect.fnUntraced(function* (session: Session, horizon: Instant.Instant) {
  const named = yield* namedInBases(session)
  yield* removeFailures(session, horizon)
  const uploads = yield* removeUploads(session, named.uploads, horizon)
  yield* removeRuns(session, horizon)
  yield* removeCommits(session, named.commits)
  const { repositoryId, sql } = session
  yield* sql`UPDATE repositories SET dropped_to = ${Parameter.instant(horizon)} WHERE repository_id = ${repositoryId}`
  return uploads
})

const namedInBases = Effect.fnUntraced(function* (session: Session) {
  const uploads = new Set<number>()
  const commits = new Set<number>()
  for (let start = 0; start < session.head.block; start += Recalculation.blocksAtOnce) {
    yield* Effect.yieldNow
    const blocks = Array.from({ length: Recalculation.blocksAtOnce }, (_, index) => start + index)
    for (const { series, slots } of (yield* Bases.selectIntact(session, blocks)).values()) {
      const tests = slots.filter((slot) => slot !== undefined)
      const states = Names.ofStates(tests.map(({ state }) => state))
      const changes = Object.values(series).flatMap(({ change }) => [change.trigger, change.episode])
      const marks = Names.ofMarks([...changes, ...tests.map(({ last }) => last)])
      for (const id of [...states.executions, ...marks.executions]) uploads.add(Surrogate.uploadOf(id))
      for (const commit of [...states.commits, ...marks.commits]) commits.add(commit)
    }
  }
  return { uploads: [...uploads], commits: [...commits] }
})

/**
 * Removes what is kept of failures before an instant. A group stays as long as it fails on any branch.
 *
 * Here and below, the rows that stay are collected once (`NOT IN` a query without nulls). A join would be a nested
 * loop, because the planner assumes an average, nearly empty repository.
 */
export const removeFailures = Effect.fnUntraced(function* ({ repositoryId, sql }: Session, horizon: Instant.Instant) {
  const at = Parameter.instant(horizon)
  yield* sql`DELETE FROM failure_events WHERE repository_id = ${repositoryId} AND at < ${at}`
  yield* sql`DELETE FROM failed_executions WHERE repository_id = ${repositoryId} AND at < ${at}`
  yield* sql`DELETE FROM branch_contradictions WHERE repository_id = ${repositoryId} AND at < ${at}`
  yield* sql`DELETE FROM aliased_executions WHERE repository_id = ${repositoryId} AND at < ${at}`
  yield* sql`DELETE FROM failure_sightings WHERE repository_id = ${repositoryId} AND at < ${at}`
  yield* sql`
    DELETE FROM failure_groups
    WHERE repository_id = ${repositoryId} AND last_at < ${at} AND (test_id, failure_id) NOT IN (
      SELECT o.test_id, o.failure_id
      FROM failure_groups o
      WHERE o.repository_id = ${repositoryId} AND o.last_at >= ${at}
    )`
})

/** No key hashes to four bytes. */
const removeUploads = Effect.fnUntraced(function* (
  { repositoryId, sql }: Session,
  named: ReadonlyArray<number>,
  horizon: Instant.Instant
) {
  const removed = yield* sql<{ readonly was_claimed: boolean }>`
    DELETE FROM uploads
    WHERE repository_id = ${repositoryId} AND latest_at < ${Parameter.instant(horizon)}
      AND upload_no NOT IN (SELECT unnest(${Parameter.int4s(named)}))
    RETURNING octet_length(key_hash) = 32 AS was_claimed`
  const released = yield* sql`
    UPDATE uploads
    SET key_hash = int4send(upload_no), content_hash = int4send(upload_no)
    WHERE repository_id = ${repositoryId} AND latest_at < ${Parameter.instant(horizon)} AND octet_length(key_hash) = 32
    RETURNING upload_no`
  return removed.filter(({ was_claimed: wasClaimed }) => wasClaimed).length + released.length
})

/** Keeps of each job the runs that the judgement of the next run depends on. */
const removeRuns = Effect.fnUntraced(function* (session: Session, horizon: Instant.Instant) {
  const { repositoryId, sql } = session
  const kept: Array<number> = []
  for (const { job_no } of yield* Judgement.selectJobs(session)) {
    const { numbers } = yield* Judgement.stateBefore(session, job_no, horizon, [])
    kept.push(...numbers.values())
  }
  yield* sql`
    DELETE FROM job_runs
    WHERE repository_id = ${repositoryId} AND finished_at < ${Parameter.instant(horizon)}
      AND run_no NOT IN (SELECT unnest(${Parameter.int4s(kept)}))`
})

const removeCommits = ({ repositoryId, sql }: Session, named: ReadonlyArray<number>) => sql`
  DELETE FROM commits
  WHERE repository_id = ${repositoryId}
    AND commit_no NOT IN (SELECT r.commit_no FROM job_runs r WHERE r.repository_id = ${repositoryId})
    AND commit_no NOT IN (SELECT unnest(r.row_commits) FROM job_runs r WHERE r.repository_id = ${repositoryId})
    AND commit_no NOT IN (SELECT unnest(${Parameter.int4s(named)}))`
