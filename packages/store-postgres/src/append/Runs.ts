/** Job runs: everything uploaded for one pipeline, job, run and attempt on one commit and branch, added up. */
import { type Execution, type Instant, Outage, type Report, Repository, TestSet } from "@lazaret/domain"
import { JobRun } from "@lazaret/store"
import { Effect, Result } from "effect"
import * as TestSets from "../codec/TestSets.ts"
import * as Parameter from "../database/Parameter.ts"
import * as Claim from "./Claim.ts"
import * as Judgement from "./Judgement.ts"
import type { Session } from "../repository/Session.ts"

/**
 * A job run.
 *
 * `before` is its end as stored by earlier writes, null for a new run. `passed` and `failed` are its tests with a passed
 * or a failed execution; the totals count executions.
 */
export interface Run {
  readonly runNo: number
  readonly jobNo: number
  readonly commitNo: number
  readonly context: Report.RunContext
  readonly onDefaultBranch: boolean
  readonly before: Instant.Instant | null
  totals: JobRun.RunTotals
  passed: TestSet.TestSet
  failed: TestSet.TestSet
  standing: Judgement.Standing
}

/** The runs that reports belong to, by key, as they are stored; a missing run gets the next number. Writes nothing. */
export const select = Effect.fnUntraced(function* (
  session: Session,
  reports: ReadonlyArray<Report.Report>,
  numbers: { readonly job: (run: Report.RunContext) => number; readonly commit: (run: Report.RunContext) => number }
) {
  const contexts = new Map(reports.map(({ run }) => [JobRun.key(run), run]))
  const rows = yield* selectRows(session, [...contexts.keys()].map(Claim.hash))
  const known = new Map(rows.map((row) => [Claim.hex(row.run_hash), row]))
  const runs = new Map<string, Run>()
  for (const [runKey, context] of contexts) {
    const row = known.get(Claim.hex(Claim.hash(runKey)))
    const made = { context, jobNo: numbers.job(context), commitNo: numbers.commit(context) }
    runs.set(runKey, row === undefined ? newRun(session, made) : { ...made, ...knownRun(row) })
  }
  for (const report of reports) {
    const run = runs.get(JobRun.key(report.run))
    if (run !== undefined) run.totals = JobRun.plus(run.totals, report)
  }
  return runs
})

/** Adds the executions of a report to its run; `testNos` are the numbers of their tests. */
export const add = (run: Run, { executions }: Report.Report, testNos: Int32Array): void => {
  const tests: Record<Execution.Conclusion, Array<number>> = { passed: [], failed: [], skipped: [] }
  executions.forEach(({ conclusion }, index) => tests[conclusion].push(testNos[index] ?? 0))
  run.passed = TestSet.union(run.passed, TestSet.of(tests.passed))
  run.failed = TestSet.union(run.failed, TestSet.of(tests.failed))
}

/** A run as it is judged. */
export const judgedOf = (run: Run): Judgement.JudgedRun => ({
  runNo: run.runNo,
  key: JobRun.key(run.context),
  context: run.context,
  at: run.totals.at,
  commit: run.commitNo,
  passed: run.passed,
  failed: run.failed,
  ownShare: Outage.ownShareOf(run.totals),
  standing: run.standing
})

const newRun = (session: Session, parts: Pick<Run, "context" | "jobNo" | "commitNo">): Run => ({
  ...parts,
  runNo: session.head.run++,
  onDefaultBranch: Repository.isDefaultBranch(parts.context, session.defaultBranch),
  before: null,
  totals: JobRun.noTotals,
  passed: TestSet.empty,
  failed: TestSet.empty,
  standing: Judgement.none
})

const knownRun = (row: Row) => {
  const [passed, failed] = Result.getOrElse(TestSets.decode(row.outcomes), () => TestSets.empty)
  return {
    runNo: row.run_no,
    onDefaultBranch: row.on_default_branch,
    before: row.finished_at,
    totals: {
      at: row.finished_at,
      passed: row.passed,
      failed: row.failed,
      durationUs: row.duration_us,
      ownFailed: row.own_failed
    },
    passed,
    failed,
    standing: Judgement.standingOf(row)
  }
}

interface Row extends Judgement.StandingRow {
  readonly run_no: number
  readonly run_hash: Uint8Array
  readonly on_default_branch: boolean
  readonly finished_at: Instant.Instant
  readonly passed: number
  readonly failed: number
  readonly own_failed: number
  readonly duration_us: number
  readonly outcomes: Uint8Array
}

const selectRows = ({ repositoryId, sql }: Session, hashes: ReadonlyArray<Uint8Array>) => sql<Row>`
  SELECT r.*
  FROM unnest(${Parameter.byteas(hashes)}) AS n (run_hash)
  CROSS JOIN LATERAL (
    SELECT run_no, run_hash, on_default_branch, finished_at, passed, failed, own_failed, duration_us, outcomes, excused, is_outage,
      many_failed, hit, passed_before, tally, expected, reference_runs, row_commits
    FROM job_runs
    WHERE repository_id = ${repositoryId} AND run_hash = n.run_hash
    OFFSET 0
  ) r`

/** Writes runs with their standings. */
export const save = ({ repositoryId, sql }: Session, runs: ReadonlyArray<Run>) => sql`
  INSERT INTO job_runs (
    repository_id, run_no, run_hash, job_no, run_id, run_attempt, commit_no, branch, base_branch, on_default_branch,
    finished_at, passed, failed, own_failed, duration_us, outcomes, excused, is_outage, many_failed, hit,
    passed_before, tally, expected, reference_runs, row_commits
  )
  SELECT ${repositoryId}, n.run_no, n.run_hash, n.job_no, n.run_id, n.run_attempt, n.commit_no, n.branch, n.base_branch,
    n.on_default_branch, n.finished_at, n.passed, n.failed, n.own_failed, n.duration_us, n.outcomes, n.excused, n.is_outage,
    n.many_failed, n.hit, n.passed_before, n.tally, n.expected, string_to_array(n.reference_runs, ',')::int[],
    string_to_array(n.row_commits, ',')::int[]
  FROM unnest(
    ${Parameter.int4s(runs.map((run) => run.runNo))},
    ${Parameter.byteas(runs.map((run) => Claim.hash(JobRun.key(run.context))))},
    ${Parameter.int4s(runs.map((run) => run.jobNo))},
    ${Parameter.texts(runs.map((run) => run.context.runId))},
    ${Parameter.int4s(runs.map((run) => run.context.runAttempt))},
    ${Parameter.int4s(runs.map((run) => run.commitNo))},
    ${Parameter.texts(runs.map((run) => run.context.branch))},
    ${Parameter.texts(runs.map((run) => run.context.baseBranch))},
    ${Parameter.bools(runs.map((run) => run.onDefaultBranch))},
    ${Parameter.instants(runs.map(({ totals }) => totals.at))},
    ${Parameter.int4s(runs.map(({ totals }) => totals.passed))},
    ${Parameter.int4s(runs.map(({ totals }) => totals.failed))},
    ${Parameter.int4s(runs.map(({ totals }) => totals.ownFailed))},
    ${Parameter.int8s(runs.map(({ totals }) => totals.durationUs))},
    ${Parameter.byteas(runs.map((run) => TestSets.encode([run.passed, run.failed])))},
    ${Parameter.bools(runs.map(({ standing }) => standing.judgement.excused))},
    ${Parameter.bools(runs.map(({ standing }) => standing.judgement.outage))},
    ${Parameter.bools(runs.map(({ standing }) => standing.judgement.many))},
    ${Parameter.int4s(runs.map(({ standing }) => standing.judgement.hit))},
    ${Parameter.int4s(runs.map(({ standing }) => standing.judgement.passedBefore))},
    ${Parameter.byteas(runs.map(({ standing }) => standing.tally))},
    ${Parameter.int4s(runs.map(({ standing }) => standing.expected))},
    ${Parameter.texts(runs.map(({ standing }) => Judgement.arrayText(standing.references)))},
    ${Parameter.texts(runs.map(({ standing }) => Judgement.arrayText(standing.row)))}
  ) AS n (
    run_no, run_hash, job_no, run_id, run_attempt, commit_no, branch, base_branch, on_default_branch, finished_at, passed,
    failed, own_failed, duration_us, outcomes, excused, is_outage, many_failed, hit, passed_before, tally, expected, reference_runs,
    row_commits
  )
  ON CONFLICT (repository_id, run_no) DO UPDATE
  SET finished_at = EXCLUDED.finished_at, passed = EXCLUDED.passed, failed = EXCLUDED.failed,
    own_failed = EXCLUDED.own_failed, duration_us = EXCLUDED.duration_us, outcomes = EXCLUDED.outcomes,
    excused = EXCLUDED.excused, is_outage = EXCLUDED.is_outage, many_failed = EXCLUDED.many_failed, hit = EXCLUDED.hit,
    passed_before = EXCLUDED.passed_before, tally = EXCLUDED.tally, expected = EXCLUDED.expected,
    reference_runs = EXCLUDED.reference_runs, row_commits = EXCLUDED.row_commits`
