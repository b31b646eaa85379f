/** How the job runs of a repository ended, day by day: how many were red, and how many of those for flaky tests alone (our choice). */
import type { HealthStatus } from "./HealthStatus.ts"
import * as Instant from "../time/Instant.ts"

/**
 * The job runs of one UTC day.
 *
 * **Details**
 *
 * - `runs`: all of them. `red`: those with a failed test.
 * - `outages`: the red ones that are an outage. `flakyRuns`: the red ones, no outages, in which only flaky tests failed.
 * - `flakyUs`: how long the tests of these flaky runs took together, in whole microseconds; 0 where no report has durations.
 */
export interface RunDay {
  readonly day: number
  readonly runs: number
  readonly red: number
  readonly outages: number
  readonly flakyRuns: number
  readonly flakyUs: number
}

/**
 * A job run.
 *
 * **Details**
 *
 * `failed` is the number of its failed executions; `durationUs` how long its passed and failed executions took together;
 * `statuses` are the present statuses of the tests that failed, at most {@link mostFailures} + 1 of them, and none
 * of an outage.
 */
export interface Run {
  readonly at: Instant.Instant
  readonly failed: number
  readonly durationUs: number
  readonly isOutage: boolean
  readonly statuses: ReadonlyArray<HealthStatus>
}

/** The most failures of a run that flaky tests alone can explain: in a run with more, something else is wrong. */
export const mostFailures = 100

/**
 * Counts runs per day, from the day `first` to the day `last` (both inclusive); runs of other days are left out.
 *
 * @example
 * ```ts
 * import { RunDay } from "@lazaret/domain"
 *
 * const run = { at: 0, durationUs: 2_000_000, isOutage: false }
 * RunDay.count(
 *   [
 *     { ...run, failed: 0, statuses: [] },
 *     { ...run, failed: 1, statuses: ["flaky"] },
 *     { ...run, failed: 2, statuses: ["flaky", "broken"] }
 *   ],
 *   { first: 0, last: 0 }
 * ) // => [{ day: 0, runs: 3, red: 2, outages: 0, flakyRuns: 1, flakyUs: 2_000_000 }]
 * ```
 */
export const count = (
  runs: Iterable<Run>,
  { first, last }: { readonly first: number; readonly last: number }
): ReadonlyArray<RunDay> => {
  const days = Array.from({ length: last - first + 1 }, (_, index) => ({
    day: first + index,
    runs: 0,
    red: 0,
    outages: 0,
    flakyRuns: 0,
    flakyUs: 0
  }))
  for (const run of runs) {
    const day = days[Instant.utcDay(run.at) - first]
    if (day === undefined) continue
    day.runs += 1
    if (run.failed === 0) continue
    day.red += 1
    if (run.isOutage) day.outages += 1
    else if (isFlaky(run)) {
      day.flakyRuns += 1
      day.flakyUs += run.durationUs
    }
  }
  return days
}

const isFlaky = ({ statuses }: Run): boolean =>
  statuses.length > 0 && statuses.length <= mostFailures && statuses.every((status) => status === "flaky")
