/**
 * The history that facts on failures are taken from: a pure fold over job runs, bounded per identity, test and signature.
 *
 * A store may hold the same records in its own way; the benchmark `failures` replays real history through this one. Job
 * runs are recorded in the order in which they finished. A run that arrives late is recorded by folding again from the
 * records before it.
 */
import * as HashMap from "effect/HashMap"
import * as Option from "effect/Option"
import type * as Facts from "./FailureFacts.ts"
import * as CommitTally from "./CommitTally.ts"
import type { Instant } from "../time/Instant.ts"
import { identityKey, jobKey, type JobRun, type TestResult } from "./JobRun.ts"

/** How much a history keeps: commits and flakes per record, sightings per signature, runs per job, names per run. */
export const bounds = { commits: 16, runs: 4, flakes: 16, signatures: 32, sightings: 16, jobRuns: 8, names: 500 }

/** What is known about the runs of one test on one branch: pass and fail counts per commit, of its last run there. */
export interface TestRun {
  readonly commit: string
  readonly runId: string
  readonly at: Instant
  readonly passed: number
  readonly failed: number
}

/** A job run with failures, as kept for comparison with others. */
export interface FailedRun {
  readonly branch: string
  readonly base: string
  readonly commit: string
  readonly at: Instant
  readonly names: ReadonlyArray<string>
}

/**
 * Everything recorded so far.
 *
 * **Details**
 *
 * - `lines`: per identity and line the tallies of its latest commits. A line is a branch that is pushed to, all trusted
 *   pull requests together, or one branch of a fork.
 * - `real`: per identity, the latest commits on pushed branches that it failed at least twice and never passed.
 * - `tests`, `testRuns`: per test, and per test and pushed branch.
 * - `sightings`: per signature; `failedRuns`: per pipeline and job.
 * - `baseBranches`: the branches that pull requests named as their base.
 */
export interface FailureHistory {
  readonly defaultBranch: string
  readonly lines: HashMap.HashMap<string, CommitTally.Line>
  readonly real: HashMap.HashMap<string, ReadonlyArray<Facts.RealFailure>>
  readonly tests: HashMap.HashMap<string, Facts.TestRecord>
  readonly testRuns: HashMap.HashMap<string, ReadonlyArray<TestRun>>
  readonly sightings: HashMap.HashMap<string, ReadonlyArray<Facts.Sighting>>
  readonly failedRuns: HashMap.HashMap<string, ReadonlyArray<FailedRun>>
  readonly baseBranches: ReadonlyArray<string>
}

/** The history before the first job run. */
export const empty = (defaultBranch: string): FailureHistory => ({
  defaultBranch,
  lines: HashMap.empty(),
  real: HashMap.empty(),
  tests: HashMap.empty(),
  testRuns: HashMap.empty(),
  sightings: HashMap.empty(),
  failedRuns: HashMap.empty(),
  baseBranches: []
})

/** The history with one more job run. */
export const record = (history: FailureHistory, run: JobRun): FailureHistory => {
  const lines = HashMap.beginMutation(history.lines)
  const maps: Maps = {
    lines,
    real: HashMap.beginMutation(history.real),
    tests: HashMap.beginMutation(history.tests),
    testRuns: HashMap.beginMutation(history.testRuns),
    sightings: HashMap.beginMutation(history.sightings)
  }
  for (const result of run.results) recordResult(maps, run, result, baseOf(history, run))
  return {
    defaultBranch: history.defaultBranch,
    lines: HashMap.endMutation(lines),
    real: HashMap.endMutation(maps.real),
    tests: HashMap.endMutation(maps.tests),
    testRuns: HashMap.endMutation(maps.testRuns),
    sightings: HashMap.endMutation(maps.sightings),
    failedRuns: run.isFork ? history.failedRuns : withFailedRun(history, run),
    baseBranches:
      run.isFork || run.baseBranch === null || history.baseBranches.includes(run.baseBranch)
        ? history.baseBranches
        : [...history.baseBranches, run.baseBranch]
  }
}

/** The branch that a run is compared with (see `FailedExecution`). */
export const baseOf = (history: FailureHistory, run: Pick<JobRun, "branch" | "baseBranch">): string =>
  run.baseBranch ?? (history.baseBranches.includes(run.branch) ? run.branch : history.defaultBranch)

/** The line of a run. No branch is named by the empty text or with a NUL, so that these lines are never a branch. */
export const lineKey = (run: JobRun): string =>
  run.isFork ? `\0${run.branch}` : run.baseBranch === null ? run.branch : ""

/** The key of a tally in its line: the commit. The runs of a pull request are separate even on one commit: the base branch is merged into each of them. */
export const tallyKey = (run: JobRun): string => (run.baseBranch === null ? run.commit : `${run.commit}\0${run.runId}`)

/** The record of a test that nothing is known about. */
export const unknownTest: Facts.TestRecord = { flakes: [], signatures: [] }

interface Maps {
  readonly lines: HashMap.HashMap<string, CommitTally.Line>
  readonly real: HashMap.HashMap<string, ReadonlyArray<Facts.RealFailure>>
  readonly tests: HashMap.HashMap<string, Facts.TestRecord>
  readonly testRuns: HashMap.HashMap<string, ReadonlyArray<TestRun>>
  readonly sightings: HashMap.HashMap<string, ReadonlyArray<Facts.Sighting>>
}

const recordResult = (maps: Maps, run: JobRun, result: TestResult, base: string): void => {
  const identity = identityKey(run, result)
  const key = `${identity}\0${lineKey(run)}`
  const line = Option.getOrElse(HashMap.get(maps.lines, key), () => CommitTally.emptyLine)
  const before = CommitTally.find(line, tallyKey(run))
  const after = CommitTally.added(before, { run, result, commit: tallyKey(run) })
  HashMap.set(maps.lines, key, CommitTally.put(line, after, bounds.commits))
  if (run.isFork) return
  const change = CommitTally.changeBetween(before, after)
  if (run.baseBranch === null) {
    if (change.real !== 0) {
      const known = Option.getOrElse(HashMap.get(maps.real, identity), (): ReadonlyArray<Facts.RealFailure> => [])
      const others = known.filter(({ commit }) => commit !== run.commit)
      const latest = change.real > 0 ? [...others, { commit: run.commit, at: run.at }] : others
      HashMap.set(maps.real, identity, latest.slice(-bounds.flakes))
    }
    recordTestRun(maps, run, result)
  }
  if (change.flaky) recordFlake(maps, run, result, after.signatures)
  if (result.conclusion === "failed" && result.signature !== null) recordSighting(maps, run, result, base)
}

const recordFlake = (maps: Maps, run: JobRun, { testName }: TestResult, signatures: ReadonlyArray<string>): void => {
  const known = Option.getOrElse(HashMap.get(maps.tests, testName), () => unknownTest)
  HashMap.set(maps.tests, testName, {
    flakes: [...known.flakes, { commit: run.commit, jobName: run.jobName, at: run.at }].slice(-bounds.flakes),
    signatures: [...new Set([...known.signatures.filter((one) => !signatures.includes(one)), ...signatures])].slice(
      -bounds.signatures
    )
  })
}

const recordTestRun = (maps: Maps, run: JobRun, { conclusion, testName }: TestResult): void => {
  const key = `${testName}\0${run.branch}`
  const runs = Option.getOrElse(HashMap.get(maps.testRuns, key), (): ReadonlyArray<TestRun> => [])
  const same = runs.find(({ commit, runId }) => commit === run.commit && runId === run.runId)
  const counts = { passed: same?.passed ?? 0, failed: same?.failed ?? 0 }
  const latest: TestRun = {
    commit: run.commit,
    runId: run.runId,
    at: run.at,
    passed: counts.passed + (conclusion === "passed" ? 1 : 0),
    failed: counts.failed + (conclusion === "failed" ? 1 : 0)
  }
  HashMap.set(maps.testRuns, key, [...runs.filter(({ commit }) => commit !== run.commit), latest].slice(-bounds.runs))
}

const recordSighting = (maps: Maps, run: JobRun, { signature }: TestResult, base: string): void => {
  if (signature === null) return
  const sightings = Option.getOrElse(HashMap.get(maps.sightings, signature), (): ReadonlyArray<Facts.Sighting> => [])
  const latest = { branch: run.branch, base, commit: run.commit, at: run.at }
  const others = sightings.filter(({ branch }) => branch !== run.branch)
  HashMap.set(maps.sightings, signature, [...others, latest].slice(-bounds.sightings))
}

const withFailedRun = (history: FailureHistory, run: JobRun): FailureHistory["failedRuns"] => {
  const names = run.results.filter(({ conclusion }) => conclusion === "failed").map(({ testName }) => testName)
  if (names.length === 0) return history.failedRuns
  const runs = Option.getOrElse(HashMap.get(history.failedRuns, jobKey(run)), (): ReadonlyArray<FailedRun> => [])
  const latest: FailedRun = {
    branch: run.branch,
    base: baseOf(history, run),
    commit: run.commit,
    at: run.at,
    names: names.slice(0, bounds.names)
  }
  const others = runs.filter(({ branch }) => branch !== run.branch)
  return HashMap.set(history.failedRuns, jobKey(run), [...others, latest].slice(-bounds.jobRuns))
}
