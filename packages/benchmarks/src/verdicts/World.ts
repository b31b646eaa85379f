/**
 * A made-up suite whose truth is known: which tests are healthy, flaky or broken on each commit of the main branch, and the
 * job runs that its CI would report.
 *
 * Truth changes only at commits. A broken test always fails, a flaky one fails by chance, a healthy one passes. An outage makes
 * tests fail in a job run without changing their truth.
 */
import type { HealthStatus, Instant } from "@lazaret/domain"
import { seeded } from "../histories.ts"
import * as Life from "./Life.ts"
import * as Runs from "./Runs.ts"
import type { Scenario } from "./Scenario.ts"

/**
 * The results of one job run. `outcomes[i]` and `signatures[i]` belong to `tests[i]`.
 *
 * **Details**
 *
 * - `together` has the runs of every job in the same round of CI, this one included. A rule that reads them judges with
 *   results that may arrive later: it is measured at its best.
 * - `signatures` are null where a test passed.
 */
export interface JobRun {
  readonly at: Instant.Instant
  readonly commit: string
  /** The branch of a pull request; null on the main branch. */
  readonly branch: string | null
  readonly fork: boolean
  readonly runId: string
  readonly attempt: number
  readonly job: number
  readonly tests: ReadonlyArray<number>
  readonly outcomes: ReadonlyArray<Outcome>
  readonly signatures: ReadonlyArray<string | null>
  readonly together: ReadonlyArray<JobRun>
}

/** The outcome of one test in a job run; `flaky` failed and passed inside the job. */
export type Outcome = "passed" | "failed" | "flaky"

/** A world: its job runs in the order of time, and the truth of each test at the end of each day. */
export interface World {
  readonly scenario: Scenario
  readonly runs: ReadonlyArray<JobRun>
  readonly truth: (test: number, at: Instant.Instant) => HealthStatus.HealthStatus
  /** The first commit, as an instant, at which a test became flaky; null when it never did. */
  readonly flakySince: (test: number) => Instant.Instant | null
  /** The tests that a mass break broke, with the commits of the main branch from the breaking one on. */
  readonly broken: ReadonlyArray<{ readonly test: number; readonly commits: ReadonlyArray<string> }>
}

/** Makes the world of a scenario; the same seed makes the same world. */
export const make = (scenario: Scenario, seed: number): World => {
  const random = seeded(seed)
  const commits = scenario.days * scenario.commitsPerDay
  const gap = Runs.gap(scenario)
  const lives = Life.all(scenario, random)
  const sources: Runs.Sources = { random, signatures: seeded(seed + 1_000_000), stateAt: lives.stateAt }
  const runs = [...Runs.onMain(scenario, sources), ...Runs.ofPulls(scenario, sources)]
  return {
    scenario,
    runs: runs.sort((a, b) => a.at - b.at),
    truth: (test, at) => lives.stateAt(test, Math.min(commits - 1, Math.floor(at / gap))).status,
    flakySince: (test) => {
      const from = lives.flakyFrom(test)
      return from === null ? null : from * gap
    },
    broken: lives.breaks.flatMap(({ from, tests, until }) =>
      [...tests].map((test) => ({
        test,
        commits: Array.from({ length: Math.min(until, commits) - from }, (_, index) => Runs.shaOf(from + index))
      }))
    )
  }
}
