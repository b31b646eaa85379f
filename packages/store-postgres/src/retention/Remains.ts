/** What is left of dropped executions beside blocks: failures, uploads, runs and commits. */
import { type Instant, Outage } from "@lazaret/domain"
import { Effect } from "effect"
import * as Judgement from "../append/Judgement.ts"
import type { Session } from "../repository/Session.ts"
import * as Surrogate from "../codec/Surrogate.ts"
import * as Parameter from "../database/Parameter.ts"
import * as Names from "../blocks/Names.ts"
import * as Recalculation from "../append/Recalculation.ts"
import * as Bases from "../blocks/RetainedBases.ts"

/**
 * Notes the horizon of a repository, and which runs it cuts or takes whole; false when it stood there already, or later.
 */
export const mark = Effect.fnUntraced(function* (session: Session, horizon: Instant.Instant) {
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
 * Forgets what nothing refers to any more, and yields how many uploads that was.
 *
 * **Details**
 *
 * The states of tests name executions and commits: those are kept, but their uploads give their keys back.
 */
export const forget = Effect.fnUntraced(function* (session: Session, horizon: Instant.Instant) {
  const named = yield* namedInBases(session)
  yield* forgetFailures(session, horizon)
  const uploads = yield* forgetUploads(session, named.uploads, horizon)
  yield* forgetRuns(session, horizon)
  yield* forgetCommits(session, named.commits)
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
      const changes = Object.values(series).flatMap(({ change }) => [change.mover, change.episode])
      const marks = Names.ofMarks([...changes, ...tests.map(({ last }) => last)])
      for (const id of [...states.executions, ...marks.executions]) uploads.add(Surrogate.uploadOf(id))
      for (const commit of [...states.commits, ...marks.commits]) commits.add(commit)
    }
  }
  return { uploads: [...uploads], commits: [...commits] }
})

/** A group lives on as long as it fails, on whatever branch. */
/**
 * Here and below: what stays is put together once (`NOT IN` a query without nulls). A join would compare everything of the
 * repository with everything, because an average repository has next to nothing.
 */
const forgetFailures = Effect.fnUntraced(function* ({ repositoryId, sql }: Session, horizon: Instant.Instant) {
  const at = Parameter.instant(horizon)
  yield* sql`DELETE FROM failure_events WHERE repository_id = ${repositoryId} AND at < ${at}`
  yield* sql`
    DELETE FROM failure_groups
    WHERE repository_id = ${repositoryId} AND last_at < ${at} AND (test_id, failure_id) NOT IN (
      SELECT o.test_id, o.failure_id
      FROM failure_groups o
      WHERE o.repository_id = ${repositoryId} AND o.last_at >= ${at}
    )`
})

/** No key hashes to four bytes. */
const forgetUploads = Effect.fnUntraced(function* (
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

/** Of each job the runs are kept that stand before those since the horizon. */
const forgetRuns = Effect.fnUntraced(function* (session: Session, horizon: Instant.Instant) {
  const { repositoryId, sql } = session
  const old = yield* Judgement.selectAllBefore(session, horizon)
  const kept = [...Map.groupBy(old, (row) => row.job_no).values()].flatMap((rows) => {
    const keys = Outage.predecessors(rows.map(Judgement.totalsOf))
    return rows.filter((row) => keys.has(Judgement.keyOf(row))).map((row) => row.run_no)
  })
  yield* sql`
    DELETE FROM job_runs
    WHERE repository_id = ${repositoryId} AND finished_at < ${Parameter.instant(horizon)}
      AND run_no NOT IN (SELECT unnest(${Parameter.int4s(kept)}))`
})

const forgetCommits = ({ repositoryId, sql }: Session, named: ReadonlyArray<number>) => sql`
  DELETE FROM commits
  WHERE repository_id = ${repositoryId}
    AND commit_no NOT IN (SELECT r.commit_no FROM job_runs r WHERE r.repository_id = ${repositoryId})
    AND commit_no NOT IN (SELECT unnest(${Parameter.int4s(named)}))`
