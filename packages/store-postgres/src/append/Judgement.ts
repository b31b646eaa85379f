/**
 * Judges the runs of the default branch: which of them are outages (`Outage.step`).
 *
 * A judgement depends on earlier runs of the job alone. A new or changed run can therefore change its own judgement and
 * those of later runs, but not that of an earlier run. With every run its {@link Standing} is stored: what is said of it,
 * and the state of its job after it, so that the judgement of the next run reads three rows, whatever the history is.
 */
import { type Instant, Outage, TestSet } from "@lazaret/domain"
import { JobRun } from "@lazaret/store"
import { Effect, Result } from "effect"
import * as TestSets from "../codec/TestSets.ts"
import * as Parameter from "../database/Parameter.ts"
import type { Session } from "../repository/Session.ts"

/**
 * The judgement on a run, and the state of its job after it.
 *
 * **Details**
 *
 * - `tally`: the tests that ran and passed in the runs of its commit so far (`Outage.Tally`), packed; null when they are
 *   those of the run itself.
 * - `expected`: how many tests ran on the reference of the commit.
 * - `references`: the numbers of the runs after which the references stood, latest first; `row`: the numbers of commits.
 */
export interface Standing {
  readonly judgement: Outage.Judgement
  readonly tally: Uint8Array | null
  readonly expected: number
  readonly references: ReadonlyArray<number>
  readonly row: ReadonlyArray<number>
}

/** The standing of a run that is not of the default branch. */
export const none: Standing = { judgement: Outage.calm, tally: null, expected: 0, references: [], row: [] }

/** A run with its number and its standing. */
export interface JudgedRun extends Outage.Run<number> {
  readonly context: JobRun.RunName
  readonly runNo: number
  readonly standing: Standing
}

/** A run with a new standing; `isCounted` is whether its executions count otherwise than before. */
export interface Change {
  readonly run: JudgedRun | null
  readonly runNo: number
  readonly standing: Standing
  readonly isCounted: boolean
}

/** The judgements on a run before and after, as `JobRun.newOutages` compares them. */
export const judgementsOf = ({ run, standing }: Change) =>
  run === null
    ? []
    : [
        {
          run: { key: run.key, at: run.at, context: run.context, judgement: run.standing.judgement },
          judgement: standing.judgement
        }
      ]

/** Changed standings, and the end of the last run after which the state of the job differs: infinite without a later one. */
export interface Judged {
  readonly changes: ReadonlyArray<Change>
  readonly end: Instant.Instant
}

/**
 * The changed standings of the runs of a job from an instant on.
 *
 * **Details**
 *
 * `changed` are runs as they are now, in the place of those that are stored under their numbers. Writes nothing.
 */
export const judge = Effect.fnUntraced(function* (
  session: Session,
  jobNo: number,
  from: Instant.Instant,
  changed: ReadonlyArray<JudgedRun>
) {
  const start = Math.max(from, session.horizon ?? -Infinity)
  const numbers = changed.map(({ runNo }) => runNo)
  const later = (yield* selectFrom(session, jobNo, start)).filter(({ run_no }) => !numbers.includes(run_no))
  const before = yield* stateBefore(session, jobNo, start, numbers)
  const runs = [...changed, ...later.map(judgedOf)]
  const changes = changesAmong(before, runs, session.policies.outage)
  const touched = new Set([...numbers, ...changes.map(({ runNo }) => runNo)])
  const sorted = runs.sort(Outage.order)
  const next = sorted[sorted.findLastIndex(({ runNo }) => touched.has(runNo)) + 1]
  return { changes, end: next?.at ?? Infinity } satisfies Judged
})

/** Judges every run of a repository again, and writes the changed standings. Runs before the horizon stay judged. */
export const judgeAll = Effect.fnUntraced(function* (session: Session) {
  for (const { job_no } of yield* selectJobs(session)) {
    yield* save(session, (yield* judge(session, job_no, -Infinity, [])).changes)
  }
  const strays = yield* selectStrays(session)
  const changes = strays.map(({ run_no }): Change => ({ run: null, runNo: run_no, standing: none, isCounted: true }))
  yield* save(session, changes)
})

/** The runs of a job. */
export const selectOfJob = (session: Pick<Session, "sql" | "repositoryId">, jobNo: number) => session.sql<RunRow>`
  ${columns(session)}
  WHERE n.repository_id = ${session.repositoryId} AND n.job_no = ${jobNo}`

/** The runs with the given numbers. */
export const selectByNumber = (
  session: Pick<Session, "sql" | "repositoryId">,
  runs: ReadonlyArray<number>
) => session.sql<RunRow>`
  ${columns(session)}
  WHERE n.repository_id = ${session.repositoryId} AND n.run_no = ANY(${Parameter.int4s(runs)})`

/** The changed standings among runs of a job that follow a state. */
export const changesAmong = (
  { numbers, state }: Before,
  runs: ReadonlyArray<JudgedRun>,
  policy: Outage.OutagePolicy
): ReadonlyArray<Change> => {
  const runNos = new Map(numbers)
  for (const { key, runNo } of runs) runNos.set(key, runNo)
  return Outage.judge(state, runs, policy).flatMap(({ judgement, run, state: after }) => {
    const standing = standingAfter(run, judgement, after, runNos)
    if (isSame(standing, run.standing)) return []
    const isCounted = !JobRun.countsSame(judgement, run.standing.judgement)
    return [{ run, runNo: run.runNo, standing, isCounted }]
  })
}

/** The state of a job before a run, and the numbers of the runs that it names, by key. */
export interface Before {
  readonly state: Outage.State<number>
  readonly numbers: ReadonlyMap<string, number>
}

const beginning: Before = { state: Outage.initial(), numbers: new Map() }

/** The state of a job after its last run on the default branch before an instant, other than `except`. */
export const stateBefore = Effect.fnUntraced(function* (
  session: Pick<Session, "sql" | "repositoryId">,
  jobNo: number,
  before: Instant.Instant,
  except: ReadonlyArray<number>
) {
  const rows = yield* selectBefore(session, jobNo, before, except)
  const last = rows.map(judgedOf).sort(Outage.order).at(-1)
  if (last === undefined) return beginning
  const { references } = last.standing
  const others = references.length === 0 ? [] : yield* selectByNumber(session, references)
  const named = new Map(others.map((row) => [row.run_no, judgedOf(row)]))
  const found = referencesOf(last, named)
  const state = stateAfter(last, named)
  return { state, numbers: new Map([last, ...found].map(({ key, runNo }) => [key, runNo])) } satisfies Before
})

/** The state of a job after its last run, from the runs that its standing names; the first state without a run. */
export const stateAfter = (last: JudgedRun | undefined, named: ReadonlyMap<number, JudgedRun>): Outage.State<number> =>
  last === undefined
    ? Outage.initial()
    : { current: tallyOf(last), references: referencesOf(last, named).map(tallyOf), row: last.standing.row }

const referencesOf = ({ standing }: JudgedRun, named: ReadonlyMap<number, JudgedRun>): ReadonlyArray<JudgedRun> =>
  standing.references.flatMap((runNo) => named.get(runNo) ?? [])

/** The tally after a run. */
const tallyOf = (run: JudgedRun): Outage.Tally<number> => {
  const { commit, key, standing } = run
  const [ran, passed] = standing.tally === null ? ownTally(run, standing.judgement) : unpacked(standing.tally)
  return { run: key, commit, ran, passed, expected: standing.expected }
}

/** The tally of a commit with this run alone. */
const ownTally = (run: JudgedRun, { excused }: Outage.Judgement): TestSets.TestSets =>
  excused ? TestSets.empty : [TestSet.union(run.passed, run.failed), Outage.passedIn(run)]

const standingAfter = (
  run: JudgedRun,
  judgement: Outage.Judgement,
  { current, references, row }: Outage.State<number>,
  runNos: ReadonlyMap<string, number>
): Standing => {
  const own = TestSets.encode(ownTally(run, judgement))
  const tally = current === null ? own : TestSets.encode([current.ran, current.passed])
  return {
    judgement,
    tally: isSameBytes(own, tally) ? null : tally,
    expected: current?.expected ?? 0,
    references: references.map((reference) => runNos.get(reference.run) ?? missing(reference.run)),
    row
  }
}

/** Never called: a state names runs that were judged, or that it was read with. */
const missing = (key: string): never => {
  throw new Error(`a state names a run without a number: ${key}`)
}

const isSame = (a: Standing, b: Standing): boolean =>
  JobRun.isSame(a.judgement, b.judgement) &&
  a.expected === b.expected &&
  String(a.references) === String(b.references) &&
  String(a.row) === String(b.row) &&
  (a.tally === b.tally || (a.tally !== null && b.tally !== null && isSameBytes(a.tally, b.tally)))

const isSameBytes = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0

/** Damaged sets count as empty until a refold makes them again. */
const unpacked = (bytes: Uint8Array | null): TestSets.TestSets =>
  bytes === null ? TestSets.empty : Result.getOrElse(TestSets.decode(bytes), () => TestSets.empty)

/** A run as it is stored. */
export interface RunRow {
  readonly run_no: number
  readonly job_no: number
  readonly run_id: string
  readonly run_attempt: number
  readonly commit_no: number
  readonly sha: string
  readonly branch: string | null
  readonly base_branch: string | null
  readonly pipeline_name: string
  readonly job_name: string
  readonly on_default_branch: boolean
  readonly finished_at: Instant.Instant
  readonly is_partial: boolean
  readonly passed: number
  readonly failed: number
  readonly own_failed: number
  readonly duration_us: number
  readonly outcomes: Uint8Array
  readonly excused: boolean
  readonly is_outage: boolean
  readonly many_failed: boolean
  readonly hit: number
  readonly passed_before: number
  readonly tally: Uint8Array | null
  readonly expected: number
  readonly reference_runs: ReadonlyArray<number>
  readonly row_commits: ReadonlyArray<number>
}

/** A run as it is judged. */
export const judgedOf = (row: RunRow): JudgedRun => {
  const [passed, failed] = unpacked(row.outcomes)
  const { commit_no: commit, finished_at: at, run_no: runNo } = row
  const context = contextOf(row)
  const ownShare = Outage.ownShareOf({ failed: row.failed, ownFailed: row.own_failed })
  return { runNo, key: JobRun.key(context), context, at, commit, passed, failed, ownShare, standing: standingOf(row) }
}

/** The columns of a standing. */
export type StandingRow = Pick<
  RunRow,
  | "excused"
  | "is_outage"
  | "many_failed"
  | "hit"
  | "passed_before"
  | "tally"
  | "expected"
  | "reference_runs"
  | "row_commits"
>

/** The standing in a row. */
export const standingOf = (row: StandingRow): Standing => ({
  judgement: {
    outage: row.is_outage,
    excused: row.excused,
    many: row.many_failed,
    hit: row.hit,
    passedBefore: row.passed_before
  },
  tally: row.tally,
  expected: row.expected,
  references: row.reference_runs,
  row: row.row_commits
})

/** The context that a run is known by (`JobRun.key`). */
const contextOf = (row: RunRow): JobRun.RunName => ({
  pipelineName: row.pipeline_name,
  jobName: row.job_name,
  runId: row.run_id,
  runAttempt: row.run_attempt,
  commit: row.sha,
  branch: row.branch,
  baseBranch: row.base_branch
})

const columns = ({ sql }: Pick<Session, "sql">) => sql`
  SELECT n.run_no, n.job_no, n.run_id, n.run_attempt, n.commit_no, c.sha, n.branch, n.base_branch, j.pipeline_name,
    j.job_name, n.on_default_branch, n.finished_at, n.is_partial, n.passed, n.failed, n.own_failed, n.duration_us, n.outcomes, n.excused,
    n.is_outage, n.many_failed, n.hit, n.passed_before, n.tally, n.expected, n.reference_runs, n.row_commits
  FROM job_runs n
  JOIN commits c ON c.repository_id = n.repository_id AND c.commit_no = n.commit_no
  JOIN jobs j ON j.repository_id = n.repository_id AND j.job_no = n.job_no`

const selectFrom = (session: Session, jobNo: number, from: Instant.Instant) => session.sql<RunRow>`
  ${columns(session)}
  WHERE n.repository_id = ${session.repositoryId} AND n.job_no = ${jobNo} AND n.on_default_branch
    AND n.finished_at >= ${Parameter.instant(Number.isFinite(from) ? from : 0)}`

/** The last runs before an instant: several when they finished at the same time. */
const selectBefore = (
  session: Pick<Session, "sql" | "repositoryId">,
  jobNo: number,
  before: Instant.Instant,
  except: ReadonlyArray<number>
) => session.sql<RunRow>`
  ${columns(session)}
  WHERE n.repository_id = ${session.repositoryId} AND n.job_no = ${jobNo} AND n.on_default_branch
    AND NOT n.run_no = ANY(${Parameter.int4s(except)})
    AND n.finished_at = (
      SELECT o.finished_at
      FROM job_runs o
      WHERE o.repository_id = ${session.repositoryId} AND o.job_no = ${jobNo} AND o.on_default_branch
        AND o.finished_at < ${Parameter.instant(Number.isFinite(before) ? before : 0)}
        AND NOT o.run_no = ANY(${Parameter.int4s(except)})
      ORDER BY o.finished_at DESC
      LIMIT 1
    )`

/** The numbers of the jobs of a repository. */
export const selectJobs = ({ repositoryId, sql }: Pick<Session, "sql" | "repositoryId">) => sql<{
  readonly job_no: number
}>`
  SELECT job_no
  FROM jobs
  WHERE repository_id = ${repositoryId}
  ORDER BY job_no`

const selectStrays = ({ horizon, repositoryId, sql }: Session) => sql<{ readonly run_no: number }>`
  SELECT run_no
  FROM job_runs
  WHERE repository_id = ${repositoryId} AND NOT on_default_branch AND finished_at >= ${Parameter.instant(horizon ?? 0)}
    AND (excused OR is_outage OR many_failed OR hit > 0 OR passed_before > 0 OR tally IS NOT NULL OR expected > 0
      OR reference_runs <> '{}' OR row_commits <> '{}')`

/** Writes standings. */
export const save = ({ repositoryId, sql }: Pick<Session, "sql" | "repositoryId">, changes: ReadonlyArray<Change>) =>
  changes.length === 0
    ? Effect.void
    : sql`
        UPDATE job_runs r
        SET excused = m.excused, is_outage = m.is_outage, many_failed = m.many_failed, hit = m.hit,
          passed_before = m.passed_before, tally = m.tally, expected = m.expected,
          reference_runs = string_to_array(m.reference_runs, ',')::int[],
          row_commits = string_to_array(m.row_commits, ',')::int[]
        FROM unnest(
          ${Parameter.int4s(changes.map(({ runNo }) => runNo))},
          ${Parameter.bools(changes.map(({ standing }) => standing.judgement.excused))},
          ${Parameter.bools(changes.map(({ standing }) => standing.judgement.outage))},
          ${Parameter.bools(changes.map(({ standing }) => standing.judgement.many))},
          ${Parameter.int4s(changes.map(({ standing }) => standing.judgement.hit))},
          ${Parameter.int4s(changes.map(({ standing }) => standing.judgement.passedBefore))},
          ${Parameter.byteas(changes.map(({ standing }) => standing.tally))},
          ${Parameter.int4s(changes.map(({ standing }) => standing.expected))},
          ${Parameter.texts(changes.map(({ standing }) => arrayText(standing.references)))},
          ${Parameter.texts(changes.map(({ standing }) => arrayText(standing.row)))}
        ) AS m (run_no, excused, is_outage, many_failed, hit, passed_before, tally, expected, reference_runs, row_commits)
        WHERE r.repository_id = ${repositoryId} AND r.run_no = m.run_no`

/**
 * An `int[]` as text for `string_to_array`: PostgreSQL unnests arrays of arrays to single numbers. A cast of a whole text to an
 * array is STABLE, and Citus refuses an UPDATE with one.
 */
export const arrayText = (numbers: ReadonlyArray<number>): string => numbers.join(",")
