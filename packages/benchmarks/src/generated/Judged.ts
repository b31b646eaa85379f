/**
 * Judges generated failures: every job run is recorded in a store in memory in the order of arrival, and the store is asked
 * when the last job run of an attempt has arrived, as a service does.
 */
import { type FailureFacts, FailurePolicy, type FailureVerdict, Report } from "@lazaret/domain"
import { ExecutionStore, MemoryStores, TriageStore } from "@lazaret/store"
import { Effect, Layer, Option } from "effect"
import * as Judge from "../failures/Judge.ts"
import { generate, type JobRun } from "./Generate.ts"
import type { Regime } from "./Regime.ts"
import * as Truth from "./Truth.ts"

/**
 * A judged failure.
 *
 * **Details**
 *
 * - `unit`: failures that were drawn together: those of a regime, or of a commit of a real history.
 * - `stage`: at first sight its commit had not run before; afterwards it is judged after each further attempt.
 * - `weight`: the failures of one cause in one attempt count at most {@link most} together.
 * - `runs`: how many runs the store knew, the run itself included.
 */
export interface Judged {
  readonly unit: string
  readonly commit: string
  readonly stage: "first" | "again"
  readonly row: Truth.Row
  readonly isOnMain: boolean
  readonly passesAgain: boolean
  readonly weight: number
  readonly runs: number
  readonly facts: FailureFacts.FailureFacts
  readonly verdict: FailureVerdict.FailureVerdict
}

/** How much the failures of one cause in one attempt count together: one outage would outweigh everything else. */
const most = 8

/** The judged failures of one repository of a regime. */
export const judged = (regime: Regime, replica: number): Promise<ReadonlyArray<Judged>> =>
  Effect.runPromise(Effect.provide(walk(regime, replica), Layer.fresh(MemoryStores.layer)))

const ref = { owner: "generated", repository: "generated" }
const pipelineName = "CI"

const walk = Effect.fnUntraced(function* (regime: Regime, replica: number) {
  const executions = yield* ExecutionStore
  const triage = yield* TriageStore
  const past = pastOf()
  const found: Array<Judged> = []
  for (const jobRun of generate(regime, replica)) {
    yield* executions.append(ref, reportOf(regime, jobRun))
    remember(past, jobRun)
    if (!jobRun.isLast) continue
    const attempts = past.attempts.get(jobRun.run.id) ?? []
    if (attempts.some(({ failed }) => failed.size > 0)) {
      const subject = { _tag: "Run", runId: jobRun.run.id } as const
      const answer = yield* triage.failures(ref, subject, FailurePolicy.defaults)
      const judge = Option.match(answer, { onNone: () => [], onSome: Judge.verdicts })
      for (const each of judge) {
        const one = judgedOf(past, jobRun, each)
        if (one !== null) found.push({ ...one, unit: String(regime.seed), runs: past.runs.size })
      }
    }
    settle(past, jobRun)
  }
  return weighted(found)
})

/** The reports that have arrived so far. */
interface Past {
  readonly attempts: Map<string, Array<JobRun>>
  readonly runs: Set<string>
  /** The identities that ran on each commit in an earlier attempt or run, and when each first ran on main. */
  readonly ran: Map<string, Set<string>>
  readonly onMain: Map<string, number>
  readonly firstHit: Map<object, string>
}

const pastOf = (): Past => ({
  attempts: new Map(),
  runs: new Set(),
  ran: new Map(),
  onMain: new Map(),
  firstHit: new Map()
})

const remember = ({ attempts, firstHit, onMain, runs }: Past, jobRun: JobRun): void => {
  const { failed, finishedAt, job, run, tests } = jobRun
  runs.add(run.id)
  attempts.set(run.id, [...(attempts.get(run.id) ?? []), jobRun])
  for (const { cause } of failed.values()) {
    if (cause.kind === "outage" && !firstHit.has(cause)) firstHit.set(cause, run.commit)
  }
  if (run.base !== null) return
  for (const name of [...tests.map((test) => test.name), ...failed.keys()]) {
    const key = `${job} ${name}`
    if (!onMain.has(key)) onMain.set(key, finishedAt)
  }
}

/** Notes what ran on a commit, once the attempt has been judged. */
const settle = ({ attempts, ran }: Past, { run }: JobRun): void => {
  const names = ran.get(run.commit) ?? new Set()
  ran.set(run.commit, names)
  for (const { failed, job } of attempts.get(run.id) ?? [])
    for (const name of failed.keys()) names.add(`${job} ${name}`)
  names.add("any")
}

type Answer = readonly [FailureFacts.FailureFacts, FailureVerdict.FailureVerdict]

const judgedOf = (past: Past, { attempt, run }: JobRun, [facts, verdict]: Answer) => {
  const runs = past.attempts.get(run.id) ?? []
  const { jobName, testName } = facts.failure
  const asOf = Math.min(...runs.map(({ finishedAt }) => finishedAt))
  const failing = runs.findLast((each) => each.job === jobName && each.failed.has(testName))?.failed.get(testName)
  if (failing === undefined) return null
  const isOnMain = (past.onMain.get(`${jobName} ${testName}`) ?? Infinity) < asOf
  const row = Truth.rowOf({ run, failing, asOf, isOnMain, firstHit: past.firstHit })
  const hasRun = past.ran.get(run.commit)?.has("any") === true
  return {
    commit: run.commit,
    stage: attempt === 1 && !hasRun ? ("first" as const) : ("again" as const),
    row,
    isOnMain,
    passesAgain: failing.passesAgain,
    weight: 1,
    facts,
    verdict,
    group: `${run.id} ${attempt} ${row}`
  }
}

const weighted = (found: ReadonlyArray<Judged & { readonly group?: string }>): ReadonlyArray<Judged> => {
  const sizes = new Map<string, number>()
  for (const { group = "" } of found) sizes.set(group, (sizes.get(group) ?? 0) + 1)
  return found.map(({ group = "", ...one }) => {
    const size = sizes.get(group) ?? 1
    return { ...one, weight: Math.min(most, size) / size }
  })
}

/** The report of a job run of a regime. */
export const reportOf = (
  { messages, reruns }: Regime,
  { attempt, failed, finishedAt, job, receivedAt, retried, run, tests }: JobRun
) => {
  const key = `${run.id} ${job} ${attempt}`
  const filepath = (file: string) => (messages.files ? file : null)
  const passed = tests
    .filter(({ name }) => !failed.has(name))
    .map(({ file, name }) => {
      const exception = retried.get(name)
      return Report.caseOf({
        testName: name,
        conclusion: "passed",
        filepath: filepath(file.name),
        ...(exception === undefined ? {} : { flaky: true, reruns: 1, exception: { ...exceptionOf(exception) } })
      })
    })
  const failures = [...failed].map(([name, exception]) =>
    Report.caseOf({
      testName: name,
      conclusion: "failed",
      filepath: filepath(name.split(" › ")[0] ?? name),
      reruns: exception.cause.kind === "break" && exception.cause.file !== null ? 0 : reruns.inJob,
      exception: exceptionOf(exception)
    })
  )
  const { base, branch, commit, id } = run
  return Report.make({
    key,
    digest: key,
    receivedAt,
    finishedAt,
    run: Report.contextOf({
      pipelineName,
      jobName: job,
      commit,
      branch,
      baseBranch: base,
      runId: id,
      runAttempt: attempt
    }),
    cases: [...passed, ...failures]
  })
}

const exceptionOf = ({ message, type }: { readonly type: string | null; readonly message: string | null }) => ({
  type,
  message,
  stacktrace: null
})
