/** Job runs: what ran together, over all its uploads, and which of them are outages. */
import { type Execution, FailureMessage, type Instant, Outage, type Report, type JobRunEvents } from "@lazaret/domain"

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

/**
 * How many executions of a run passed and failed, and when the last of them finished.
 *
 * `durationUs` is how long they took together, in whole microseconds; `ownFailed` how many of the failed ones have an error of their own
 * (`FailureMessage.isOwn`).
 */
export interface RunTotals {
  readonly at: Instant.Instant
  readonly passed: number
  readonly failed: number
  readonly durationUs: number
  readonly ownFailed: number
}

/** The totals of a run without executions. */
export const noTotals: RunTotals = { at: 0, passed: 0, failed: 0, durationUs: 0, ownFailed: 0 }

/** The totals of a run with the executions of one more upload. */
export const plus = (totals: RunTotals, { executions }: { readonly executions: ReadonlyArray<Summed> }): RunTotals => {
  let { at, durationUs, failed, ownFailed, passed } = totals
  const isOwn = ownErrors()
  for (const execution of executions) {
    at = Math.max(at, execution.at)
    if (execution.conclusion === "skipped") continue
    if (execution.conclusion === "passed") passed += 1
    else {
      failed += 1
      if (isOwn(execution.exception ?? null)) ownFailed += 1
    }
    durationUs += Math.round(execution.durationMs * 1000)
  }
  return { at, passed, failed, durationUs, ownFailed }
}

/** An execution that is summed; packed ones have no exception. */
export type Summed = Pick<Execution.Execution, "at" | "conclusion" | "durationMs"> & {
  readonly exception?: Execution.ExceptionReport | null
}

/** Says which exceptions are errors of their own, equal short messages once: many tests fail with the same one. */
export const ownErrors = (): ((exception: Pick<Execution.ExceptionReport, "type" | "message"> | null) => boolean) => {
  const known = new Map<string, boolean>()
  return (exception) => {
    if (exception === null) return false
    const text = `${exception.type ?? ""}\0${exception.message ?? ""}`
    const found = known.get(text) ?? FailureMessage.isOwn(exception.type, exception.message)
    if (text.length <= longestKey) known.set(text, found)
    return found
  }
}

const longestKey = 200

/** A run of the default branch as it is stored, with what is said of it and the state of its job after it. */
export interface JudgedRun extends Outage.Run {
  readonly context: RunName
  readonly judgement: Outage.Judgement
  readonly after: Outage.State
}

/** The judgement on a run from now on. */
export interface Judged<Run> {
  readonly run: Run
  readonly judgement: Outage.Judgement
  readonly after: Outage.State
}

/**
 * The runs of one job of which the judgement, or the state after them, changes, in the order of runs.
 *
 * **Details**
 *
 * `start` is the state after the last run before the others. A judgement depends on earlier runs alone.
 */
export const judge = <Run extends JudgedRun>(
  start: Outage.State,
  runs: ReadonlyArray<Run>,
  policy: Outage.OutagePolicy
): ReadonlyArray<Judged<Run>> =>
  Outage.judge(start, runs, policy).flatMap(({ judgement, run, state }) =>
    isSame(run.judgement, judgement) && Outage.isSame(run.after, state) ? [] : [{ run, judgement, after: state }]
  )

/** The runs that are found to be outages, as events report them. */
export const newOutages = (
  changes: ReadonlyArray<{
    readonly run: Pick<JudgedRun, "at" | "key" | "judgement"> & { readonly context: RunName }
    readonly judgement: Outage.Judgement
  }>
): ReadonlyArray<JobRunEvents.OutageRun> =>
  changes.flatMap(({ judgement, run }) => {
    if (!judgement.outage || run.judgement.outage) return []
    const { commit, jobName, pipelineName, runAttempt, runId } = run.context
    return [{ key: run.key, at: run.at, context: { pipelineName, jobName, runId, runAttempt, commit }, judgement }]
  })

/** Whether two judgements say the same. */
export const isSame = (a: Outage.Judgement, b: Outage.Judgement): boolean =>
  a.outage === b.outage &&
  a.excused === b.excused &&
  a.many === b.many &&
  a.hit === b.hit &&
  a.passedBefore === b.passedBefore

/** Whether the executions of a run count the same under two judgements. */
export const countsSame = (a: Outage.Judgement, b: Outage.Judgement): boolean =>
  a.outage === b.outage && a.excused === b.excused && a.many === b.many
