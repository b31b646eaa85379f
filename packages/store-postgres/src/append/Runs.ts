/** Job runs: everything uploaded for one pipeline, job, run and attempt on one commit and branch, added up. */
import { type Instant, type Report, Repository } from "@lazaret/domain"
import { JobRun } from "@lazaret/store"
import { Effect } from "effect"
import * as Parameter from "../database/Parameter.ts"
import * as Claim from "./Claim.ts"
import type { Session } from "../repository/Session.ts"

/**
 * A job run.
 *
 * `before` is its end as stored by earlier writes, null for a new run.
 */
export interface Run {
  readonly runNo: number
  readonly jobNo: number
  readonly commitNo: number
  readonly context: Report.RunContext
  readonly onDefaultBranch: boolean
  readonly before: Instant.Instant | null
  excused: boolean
  finishedAt: Instant.Instant
  passed: number
  failed: number
}

/** Adds reports to their runs and yields the runs by key; inserts missing runs. */
export const record = Effect.fnUntraced(function* (
  session: Session,
  reports: ReadonlyArray<Report.Report>,
  numbers: { readonly job: (run: Report.RunContext) => number; readonly commit: (run: Report.RunContext) => number }
) {
  const contexts = new Map(reports.map(({ run }) => [JobRun.key(run), run]))
  const rows = yield* select(session, [...contexts.keys()].map(Claim.hash))
  const known = new Map(rows.map((row) => [Claim.hex(row.run_hash), row]))
  const runs = new Map<string, Run>()
  for (const [runKey, context] of contexts) {
    const row = known.get(Claim.hex(Claim.hash(runKey)))
    const made = { context, jobNo: numbers.job(context), commitNo: numbers.commit(context) }
    runs.set(runKey, row === undefined ? newRun(session, made) : { ...made, ...knownRun(row) })
  }
  for (const report of reports) add(runs.get(JobRun.key(report.run)), report)
  if (runs.size > 0) yield* upsert(session, [...runs.values()])
  return runs
})

const newRun = (session: Session, parts: Pick<Run, "context" | "jobNo" | "commitNo">): Run => ({
  ...parts,
  runNo: session.head.run++,
  onDefaultBranch: Repository.isDefaultBranch(parts.context, session.defaultBranch),
  before: null,
  excused: false,
  finishedAt: 0,
  passed: 0,
  failed: 0
})

const knownRun = (row: Row) => ({
  runNo: row.run_no,
  onDefaultBranch: row.on_default_branch,
  before: row.finished_at,
  excused: row.excused,
  finishedAt: row.finished_at,
  passed: row.passed,
  failed: row.failed
})

const add = (run: Run | undefined, report: Report.Report): void => {
  if (run === undefined) return
  const { at, failed, passed } = JobRun.plus({ at: run.finishedAt, passed: run.passed, failed: run.failed }, report)
  run.finishedAt = at
  run.passed = passed
  run.failed = failed
}

interface Row {
  readonly run_no: number
  readonly run_hash: Uint8Array
  readonly on_default_branch: boolean
  readonly excused: boolean
  readonly finished_at: Instant.Instant
  readonly passed: number
  readonly failed: number
}

const select = ({ repositoryId, sql }: Session, hashes: ReadonlyArray<Uint8Array>) => sql<Row>`
  SELECT r.run_no, r.run_hash, r.on_default_branch, r.excused, r.finished_at, r.passed, r.failed
  FROM unnest(${Parameter.byteas(hashes)}) AS n (run_hash)
  CROSS JOIN LATERAL (
    SELECT run_no, run_hash, on_default_branch, excused, finished_at, passed, failed
    FROM job_runs
    WHERE repository_id = ${repositoryId} AND run_hash = n.run_hash
    OFFSET 0
  ) r`

const upsert = ({ repositoryId, sql }: Session, runs: ReadonlyArray<Run>) => sql`
  INSERT INTO job_runs (
    repository_id, run_no, run_hash, job_no, run_id, run_attempt, commit_no, branch, base_branch, on_default_branch,
    excused, finished_at, passed, failed
  )
  SELECT ${repositoryId}, n.*
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
    ${Parameter.bools(runs.map((run) => run.excused))},
    ${Parameter.instants(runs.map((run) => run.finishedAt))},
    ${Parameter.int4s(runs.map((run) => run.passed))},
    ${Parameter.int4s(runs.map((run) => run.failed))}
  ) AS n
  ON CONFLICT (repository_id, run_no) DO UPDATE
  SET finished_at = EXCLUDED.finished_at, passed = EXCLUDED.passed, failed = EXCLUDED.failed`
