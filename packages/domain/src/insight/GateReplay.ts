/** The job runs, commits and pull requests that would have stayed red with the recommended gate and automatic quarantine. */
import * as AutoQuarantine from "../quarantine/AutoQuarantine.ts"
import * as Instant from "../time/Instant.ts"
import { type Colour, worse } from "./CostRun.ts"
import * as Steps from "./Steps.ts"

/**
 * A red job run as the gate sees it.
 *
 * **Details**
 *
 * `blocking`: the failed tests that the gate does not let pass by their first verdicts; null when no failed test is known.
 */
export interface RedRun {
  readonly at: Instant.Instant
  readonly colour: Colour
  readonly blocking: ReadonlyArray<string> | null
}

/** The red job runs of a commit; `at` is its first job run, `pull` names its pull request. */
export interface RedCommit {
  readonly at: Instant.Instant
  readonly pull: string | null
  readonly colour: Colour
  readonly runs: ReadonlyArray<RedRun>
}

/** The commits that proved each test to be flaky: the end of each, once, in any order. */
export type Proofs = ReadonlyMap<string, Array<Instant.Instant>>

/** The replay of a commit: the job runs that pass, and the colour of the commit with these as green. */
export interface Replayed {
  readonly commit: RedCommit
  readonly passing: ReadonlyArray<RedRun>
  readonly colour: Colour
}

/**
 * Replays red commits, in steps.
 *
 * **Details**
 *
 * A job run passes when each of its failed tests passes by its first verdict or is in quarantine. A test is in quarantine while
 * `flakyCommits` commits of the last `days` days before have proven it flaky (`AutoQuarantine`): by a pass of the same code, or by a person.
 * The other terms of an automatic quarantine are not replayed.
 */
export function* of(commits: ReadonlyArray<RedCommit>, proofs: Proofs): Steps.Steps<ReadonlyArray<Replayed>> {
  const ordered = new Map(
    yield* Steps.map(proofs, perProof, ([testName, ends]) => [testName, ends.toSorted((a, b) => a - b)] as const)
  )
  const isQuarantined = (testName: string, at: Instant.Instant): boolean => {
    const ends = ordered.get(testName) ?? []
    // Of the commits before, the one that makes it as many.
    const earliest = ends[countBefore(ends, at) - flakyCommits]
    return earliest !== undefined && earliest >= at - days * Instant.day
  }
  const passes = ({ at, blocking }: RedRun): boolean =>
    blocking?.every((testName) => isQuarantined(testName, at)) === true
  return yield* Steps.map(commits, perTest, (commit): Replayed => {
    const passing = commit.runs.filter(passes)
    const isPassing = new Set(passing)
    const rest = commit.runs.filter((run) => !isPassing.has(run))
    return { commit, passing, colour: rest.reduce((colour: Colour, run) => worse(colour, run.colour), "green") }
  })
}

const { days, flakyCommits } = AutoQuarantine.defaults

const perProof = {
  most: 5000,
  weightOf: ([, { length }]: readonly [string, ReadonlyArray<Instant.Instant>]) => 1 + length
}

/** How many of some instants in order are before another one. */
const countBefore = (ordered: ReadonlyArray<Instant.Instant>, at: Instant.Instant): number => {
  let [low, high] = [0, ordered.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ordered[middle] ?? Infinity) < at) low = middle + 1
    else high = middle
  }
  return low
}

const perTest = {
  most: 2000,
  weightOf: ({ runs }: RedCommit) => runs.reduce((sum, { blocking }) => sum + 1 + (blocking?.length ?? 0), 0)
}
