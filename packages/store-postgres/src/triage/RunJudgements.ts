/** Job runs next to their references: the judgement on each, and how many tests it lacks. */
import { type Instant, Outage } from "@lazaret/domain"
import { JobRecords } from "@lazaret/store"
import { Effect } from "effect"
import * as Judgement from "../append/Judgement.ts"
import * as Parameter from "../database/Parameter.ts"
import type * as TriageRuns from "./TriageRuns.ts"

/** A job run next to its reference, and its tests. */
export interface ComparedRun extends JobRecords.Compared {
  readonly run: Judgement.JudgedRun | null
}

/** Job runs next to their references, by number. Reads four times, whatever the number of runs. */
export const compare = Effect.fnUntraced(function* (
  place: TriageRuns.Place,
  wanted: ReadonlyArray<TriageRuns.NumberedRun>
) {
  const found = new Map<number, ComparedRun>()
  if (wanted.length === 0) return found
  const rows = yield* Judgement.selectByNumber(
    place,
    wanted.map(({ runNo }) => runNo)
  )
  const before = yield* selectBefore(place, wanted)
  const last = yield* byNumber(
    place,
    before.map((row) => row.run_no)
  )
  const named = yield* byNumber(
    place,
    [...last.values()].flatMap(({ standing }) => standing.references)
  )
  const latest = Map.groupBy(before, (row) => row.of)
  for (const [index, row] of rows.entries()) {
    if (index % runsAtOnce === runsAtOnce - 1) yield* Effect.yieldNow
    const run = Judgement.judgedOf(row)
    const previous = (latest.get(run.runNo) ?? []).flatMap(({ run_no }) => last.get(run_no) ?? []).sort(Outage.order)
    const state = Judgement.stateAfter(previous.at(-1), named)
    const stored = row.on_default_branch ? run.standing.judgement : null
    const compared = JobRecords.compared(state, run, { policy: place.policies.outage, stored })
    found.set(run.runNo, { ...compared, run })
  }
  return found
})

/** Unpacking some sets of 50,000 tests takes milliseconds: other fibers run in between. */
const runsAtOnce = 8

const byNumber = (place: TriageRuns.Place, runs: ReadonlyArray<number>) =>
  runs.length === 0
    ? Effect.succeed<ReadonlyMap<number, Judgement.JudgedRun>>(new Map())
    : Effect.map(
        Judgement.selectByNumber(place, [...new Set(runs)]),
        (rows): ReadonlyMap<number, Judgement.JudgedRun> =>
          new Map(rows.map((row) => [row.run_no, Judgement.judgedOf(row)]))
      )

/** The last runs of the same job on the default branch before each: several when they finished at the same time. */
const selectBefore = (
  { repositoryId, sql }: TriageRuns.Place,
  runs: ReadonlyArray<{
    readonly runNo: number
    readonly jobNo: number
    readonly run: { readonly at: Instant.Instant }
  }>
) => sql<{ readonly of: number; readonly run_no: number }>`
  SELECT n.run_no AS of, r.run_no
  FROM unnest(
    ${Parameter.int4s(runs.map(({ runNo }) => runNo))},
    ${Parameter.int4s(runs.map(({ jobNo }) => jobNo))},
    ${Parameter.instants(runs.map(({ run }) => run.at))}
  ) AS n (run_no, job_no, before)
  CROSS JOIN LATERAL (
    SELECT run_no
    FROM job_runs
    WHERE repository_id = ${repositoryId} AND job_no = n.job_no AND on_default_branch AND finished_at < n.before
    ORDER BY finished_at DESC
    FETCH FIRST 1 ROWS WITH TIES
  ) r`
