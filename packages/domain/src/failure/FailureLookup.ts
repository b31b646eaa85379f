/** Takes the facts on a failure from a history and from the other jobs of the same run. */
import * as HashMap from "effect/HashMap"
import * as Option from "effect/Option"
import * as CommitTally from "./CommitTally.ts"
import * as Facts from "./FailureFacts.ts"
import * as History from "./FailureHistory.ts"
import { identityKey, isSilent, jobKey, type JobRun, type TestResult, totalsOf } from "./JobRun.ts"

/**
 * The results of the job runs of one run, by test and by job: what the facts on its failures share.
 *
 * Made once per run, so that each of its failures is judged in constant time.
 */
export interface RunResults {
  readonly byTest: ReadonlyMap<string, ReadonlyArray<{ readonly run: JobRun; readonly result: TestResult }>>
  readonly totals: ReadonlyMap<string, Facts.JobTotals>
}

/** Gathers the job runs of one run; of several attempts of a job the one that finished last stands for it. */
export const gather = (runs: ReadonlyArray<JobRun>): RunResults => {
  const latest = new Map<string, JobRun>()
  for (const run of runs) {
    const other = latest.get(jobKey(run))
    if (other === undefined || other.at <= run.at) latest.set(jobKey(run), run)
  }
  const byTest = new Map<string, Array<{ readonly run: JobRun; readonly result: TestResult }>>()
  for (const run of latest.values()) {
    for (const result of run.results) {
      const found = byTest.get(result.testName)
      if (found === undefined) byTest.set(result.testName, [{ run, result }])
      else found.push({ run, result })
    }
  }
  return { byTest, totals: new Map([...latest].map(([key, run]) => [key, totalsOf(run)])) }
}

/** The facts on one failed result of a job run, from the history and from the other jobs of the same run. */
export const factsOf = (
  history: History.FailureHistory,
  run: JobRun,
  result: TestResult,
  beside: RunResults
): Facts.FailureFacts => {
  const identity = identityKey(run, result)
  const base = History.baseOf(history, run)
  const branches = base === history.defaultBranch ? [base] : [base, history.defaultBranch]
  const tally = CommitTally.find(lineOf(history, identity, run), History.tallyKey(run))
  const siblings = (beside.byTest.get(result.testName) ?? []).filter((one) => jobKey(one.run) !== jobKey(run))
  return {
    failure: failedExecution(run, result, base),
    defaultBranch: history.defaultBranch,
    reruns: (tally?.attempts ?? []).filter(({ id }) => id !== result.id),
    siblings: siblings.map((one) => ({
      pipelineName: one.run.pipelineName,
      jobName: one.run.jobName,
      conclusion: one.result.conclusion
    })),
    job: without(beside.totals.get(jobKey(run)) ?? totalsOf(run), result),
    rows: branches.flatMap((branch) =>
      Option.match(HashMap.get(history.lines, `${identity}\0${branch}`), {
        onNone: () => [],
        onSome: (line) => CommitTally.rowOf(line, { branch, commit: run.commit, before: run.at })
      })
    ),
    previousRuns: branches.flatMap((branch) => previousRunOf(history, result.testName, branch, run)),
    test: Option.getOrElse(HashMap.get(history.tests, result.testName), () => History.unknownTest),
    realFailures: Option.getOrElse(HashMap.get(history.real, identity), () => []),
    sightings:
      result.signature === null
        ? []
        : Option.getOrElse(HashMap.get(history.sightings, result.signature), () => []).filter(
            (one) => one.branch !== run.branch
          ),
    elsewhere: elsewhereOf(history, run, result),
    quarantine: null
  }
}

const failedExecution = (run: JobRun, result: TestResult, base: string): Facts.FailedExecution =>
  Facts.failedExecution(run, { ...result, attempts: result.reruns + 1 }, base)

const lineOf = (history: History.FailureHistory, identity: string, run: JobRun): CommitTally.Line =>
  Option.getOrElse(HashMap.get(history.lines, `${identity}\0${History.lineKey(run)}`), () => CommitTally.emptyLine)

const elsewhereOf = (
  history: History.FailureHistory,
  run: JobRun,
  { testName }: TestResult
): ReadonlyArray<Facts.JobRunElsewhere> => {
  const runs = Option.getOrElse(
    HashMap.get(history.failedRuns, jobKey(run)),
    (): ReadonlyArray<History.FailedRun> => []
  )
  const both = runs.filter(({ branch, names }) => branch !== run.branch && names.includes(testName))
  if (both.length === 0) return []
  const here = new Set(run.results.filter(({ conclusion }) => conclusion === "failed").map((result) => result.testName))
  return both.map(({ names, ...rest }) => ({ ...rest, shared: names.filter((name) => here.has(name)).length }))
}

const previousRunOf = (
  history: History.FailureHistory,
  testName: string,
  branch: string,
  run: JobRun
): ReadonlyArray<Facts.PreviousRun> => {
  const runs = Option.getOrElse(
    HashMap.get(history.testRuns, `${testName}\0${branch}`),
    (): ReadonlyArray<History.TestRun> => []
  )
  const previous = runs.findLast(({ at, commit }) => commit !== run.commit && at < run.at)
  return previous === undefined ? [] : [{ branch, passed: previous.passed, failed: previous.failed }]
}

const without = (totals: Facts.JobTotals, result: TestResult): Facts.JobTotals => ({
  passed: totals.passed,
  failed: Math.max(0, totals.failed - 1),
  silent: Math.max(0, totals.silent - (isSilent(result) ? 1 : 0))
})
