/** Job runs: what ran together, added up over all its uploads, and which of them are excused. */
import { Outage, type Report } from "@lazaret/domain"

/** The parts of a run's context that tell runs apart. */
export type RunName = Pick<
  Report.RunContext,
  "pipelineName" | "jobName" | "runId" | "runAttempt" | "commit" | "branch" | "baseBranch"
>

/**
 * A text that is equal for uploads of one job run only. A run id may be used on several commits and branches: only what
 * ran together is one run.
 */
export const key = (run: RunName): string =>
  [run.pipelineName, run.jobName, run.runId, run.runAttempt, run.commit, run.branch ?? "", run.baseBranch ?? ""].join(
    "\0"
  )

/** What a run adds up to with the executions of one more upload. */
export const plus = <Totals extends Pick<Outage.RunTotals, "at" | "passed" | "failed">>(
  totals: Totals,
  { executions }: Pick<Report.Report, "executions">
): Totals => {
  let { at, failed, passed } = totals
  for (const execution of executions) {
    at = Math.max(at, execution.at)
    if (execution.conclusion === "passed") passed += 1
    if (execution.conclusion === "failed") failed += 1
  }
  return { ...totals, at, passed, failed }
}

/** A run of the default branch, and whether its failures are excused now. */
export interface JudgedRun extends Outage.RunTotals {
  readonly excused: boolean
}

/** A run whose failures are excused from now on, or not any more. */
export interface Judgement<Run> {
  readonly run: Run
  readonly excused: boolean
}

/**
 * The runs of one job of which the judgement changes, in the order given.
 *
 * **Details**
 *
 * A run depends on itself and its predecessor alone: `earlier` are runs before the others that are judged already, enough
 * to hold every predecessor.
 */
export const judge = <Run extends JudgedRun>(
  earlier: ReadonlyArray<Outage.RunTotals>,
  runs: ReadonlyArray<Run>,
  policy: Outage.OutagePolicy
): ReadonlyArray<Judgement<Run>> => {
  const excused = Outage.excused([...earlier, ...runs], policy)
  return runs.flatMap((run) => {
    const verdict = excused.has(run.key)
    return verdict === run.excused ? [] : [{ run, excused: verdict }]
  })
}

/** Whether the judgement of runs depends on runs before them. */
export const needsPredecessors = (runs: ReadonlyArray<JudgedRun>, policy: Outage.OutagePolicy): boolean =>
  runs.some((run) => run.excused || Outage.isOutage(run, policy))
