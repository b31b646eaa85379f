/** The verdicts that a write has moved, and the events that tell of them. */
import { Event, type HealthStatus } from "@lazaret/domain"
import { Effect } from "effect"
import * as BlockCounts from "../codec/BlockCounts.ts"
import type { BlockState } from "../codec/BlockState.ts"
import type * as Surrogate from "../codec/Surrogate.ts"
import * as EventLog from "../EventLog.ts"
import * as Parameter from "../Parameter.ts"
import * as Pulls from "../Pulls.ts"
import * as Names from "../reading/Names.ts"
import * as BlockRows from "./BlockRows.ts"
import type { Session } from "./Session.ts"

/** A verdict that has moved; `state` has surrogate names, null for a test that has no executions any more. */
export interface Moved {
  readonly testNo: number
  readonly from: HealthStatus.HealthStatus
  readonly to: HealthStatus.HealthStatus
  readonly state: Surrogate.State | null
}

/** The verdicts of a block that have moved: a byte per test is compared. */
export const between = (
  blockNo: number,
  before: BlockCounts.BlockCounts | null,
  after: { readonly counts: BlockCounts.BlockCounts; readonly slots: BlockState }
): ReadonlyArray<Moved> => {
  const moved: Array<Moved> = []
  for (let slot = 0; slot < BlockCounts.slots; slot++) {
    const from = before === null ? "healthy" : BlockCounts.statusOf(before, slot)
    const to = BlockCounts.statusOf(after.counts, slot)
    if (from === to) continue
    moved.push({ testNo: blockNo * BlockCounts.slots + slot, from, to, state: after.slots[slot]?.state ?? null })
  }
  return moved
}

/** The verdicts on tests that a computation has moved which does not say so itself. */
export const around = Effect.fnUntraced(function* <E>(
  session: Session,
  tests: ReadonlySet<number>,
  computation: Effect.Effect<void, E>
) {
  const blocks = [...new Set([...tests].map((testNo) => Math.floor(testNo / BlockCounts.slots)))]
  const before = yield* BlockRows.selectIntact(session, blocks)
  yield* computation
  const moved: Array<Moved> = []
  for (const [blockNo, after] of yield* BlockRows.selectIntact(session, blocks)) {
    moved.push(...between(blockNo, before.get(blockNo)?.counts ?? null, after))
  }
  return moved.filter(({ testNo }) => tests.has(testNo))
})

/** Appends the events of moved verdicts to the log. */
export const tell = Effect.fnUntraced(function* (
  session: Session,
  moved: ReadonlyArray<Moved>,
  upload: Pick<Event.Cause, "id" | "at">
) {
  if (moved.length === 0) return
  const cause = { ...upload, branch: session.defaultBranch }
  const events =
    moved.length > Event.mostMoves
      ? [Event.manyHealthChanged(moved, cause)]
      : Event.healthChanged(yield* named(session, moved), cause)
  yield* EventLog.append(session.sql, session.repositoryId, events)
})

const named = Effect.fnUntraced(function* (session: Session, moved: ReadonlyArray<Moved>) {
  const { repositoryId, sql } = session
  const rows = yield* selectTests(
    session,
    moved.map(({ testNo }) => testNo)
  )
  const tests = new Map(rows.map((row) => [row.test_no, row]))
  const names = yield* Names.select(sql, repositoryId, {
    executions: [],
    commits: moved.flatMap(({ state }) => state?.mover?.commit ?? [])
  })
  const commits = moved.map(({ state }) => (state?.mover ? names.commit(state.mover.commit) : null))
  const pulls = yield* Pulls.select(sql, repositoryId, [...new Set(commits.filter((commit) => commit !== null))])
  return moved.flatMap(({ from, state, testNo, to }, index): ReadonlyArray<Event.Move> => {
    const test = tests.get(testNo)
    if (test === undefined) return []
    const identity = { testName: test.test_name, pipelineName: test.pipeline_name, jobName: test.job_name }
    const commit = commits[index] ?? null
    const pull = commit === null ? null : (pulls.get(commit) ?? null)
    return [{ identity, from, to, rule: state?.rule ?? "start", commit, pull }]
  })
})

interface TestRow {
  readonly test_no: number
  readonly test_name: string
  readonly pipeline_name: string
  readonly job_name: string
}

const selectTests = ({ repositoryId, sql }: Session, tests: ReadonlyArray<number>) => sql<TestRow>`
  SELECT t.test_no, t.test_name, j.pipeline_name, j.job_name
  FROM unnest(${Parameter.int4s(tests)}) AS n (test_no)
  CROSS JOIN LATERAL (
    SELECT test_no, job_no, test_name
    FROM tests
    WHERE repository_id = ${repositoryId} AND test_no = n.test_no
    OFFSET 0
  ) t
  CROSS JOIN LATERAL (
    SELECT pipeline_name, job_name
    FROM jobs
    WHERE repository_id = ${repositoryId} AND job_no = t.job_no
    OFFSET 0
  ) j`
