/** Statistics: time series of one test (interface 2.5, 4.1.3) and of a repository (interface 2.10, 4.1.12). */
import { Schema } from "effect"
import type { Conclusion } from "../report/Execution.ts"
import * as Flakiness from "./Flakiness.ts"
import * as Health from "./Health.ts"
import type { HealthStatus } from "./HealthStatus.ts"
import * as Instant from "../time/Instant.ts"
import * as Rollup from "./Rollup.ts"
import * as TimeWindow from "../time/TimeWindow.ts"

/** The statistics of one test (interface 4.1.3). */
export const TestStatistic = Schema.Literals(["success_count", "failure_count", "flaky_count", "mean_duration"])

/** A statistic of one test (interface 4.1.3). */
export type TestStatistic = typeof TestStatistic.Type

/** The statistics of a repository (interface 4.1.12). */
export const RepositoryStatistic = Schema.Literals([
  "total_tests",
  "healthy_tests",
  "broken_tests",
  "flaky_tests",
  "failed_executions"
])

/** A statistic of a repository (interface 4.1.12). */
export type RepositoryStatistic = typeof RepositoryStatistic.Type

/** One value over a half-open span of time (interface 2.5). */
export interface Bucket {
  readonly start: Instant.Instant
  readonly end: Instant.Instant
  readonly value: number
}

/** A summary over the whole window and the value per bucket, oldest first, empty buckets included. */
export interface Series {
  readonly value: number
  readonly valueOverTime: ReadonlyArray<Bucket>
}

/**
 * The executions of one identity in a window (start inclusive, end exclusive) added up per bucket: one rollup for each,
 * empty ones included.
 *
 * **Details**
 *
 * The buckets are those of `TimeWindow.widen(window, width)`. The first and the last hold only the executions in the
 * window, so that the sum of the buckets is that of the window.
 * `history` is everything kept of the identity, since a pass outside the window can contradict a failure inside it;
 * `base` is its state before that.
 */
export const rollups = <Commit>(
  history: ReadonlyArray<Execution<Commit>>,
  window: TimeWindow.TimeWindow,
  width: number,
  base: Health.State<unknown, Commit> = Health.initialOf()
): Array<Rollup.Rollup> => {
  const { end, start } = TimeWindow.widen(window, width)
  const buckets = Array.from({ length: (end - start) / width }, () => Rollup.empty)
  const isFlaky = Flakiness.among([...Flakiness.remembered(base), ...history])
  for (const execution of history) {
    if (!TimeWindow.contains(window, execution.at)) continue
    const index = Math.floor((execution.at - start) / width)
    const single = Rollup.of({ ...execution, flaky: isFlaky(execution) })
    buckets[index] = Rollup.combine(buckets[index] ?? Rollup.empty, single)
  }
  return buckets
}

/** The fields of an execution that {@link rollups} reads. */
export interface Execution<Commit = string> extends Flakiness.Outcome<Commit> {
  readonly at: Instant.Instant
  readonly conclusion: Conclusion
  readonly durationMs: number
  readonly reruns: number
}

/**
 * One statistic of a test from its rollups per bucket: counts are sums, the duration is the mean in seconds over all
 * executions of the span (interface 2.5).
 *
 * @example
 * ```ts
 * import { Rollup, Statistic } from "@lazaret/domain"
 *
 * const buckets = [{ ...Rollup.empty, failed: 2 }, Rollup.empty]
 * Statistic.series("failure_count", buckets, 0, 10)
 * // => { value: 2, valueOverTime: [{ start: 0, end: 10, value: 2 }, { start: 10, end: 20, value: 0 }] }
 * ```
 */
export const series = (
  statistic: TestStatistic,
  buckets: ReadonlyArray<Rollup.Rollup>,
  start: Instant.Instant,
  width: number
): Series => ({
  value: valueOf(statistic, Rollup.combineAll(buckets)),
  valueOverTime: buckets.map((rollup, index) => ({
    start: start + index * width,
    end: start + (index + 1) * width,
    value: valueOf(statistic, rollup)
  }))
})

/** The health status that a repository statistic counts; null when it counts every test. */
export const statusOf = (statistic: RepositoryStatistic): HealthStatus | null => {
  switch (statistic) {
    case "healthy_tests":
      return "healthy"
    case "broken_tests":
      return "broken"
    case "flaky_tests":
      return "flaky"
    default:
      return null
  }
}

const valueOf = (statistic: TestStatistic, rollup: Rollup.Rollup): number => {
  switch (statistic) {
    case "success_count":
      return rollup.passed
    case "failure_count":
      return rollup.failed
    case "flaky_count":
      return rollup.flaky
    case "mean_duration":
      return Rollup.meanDurationSeconds(rollup)
  }
}

/**
 * A repository statistic (interface 2.10): the summary now, and failed executions per UTC day, oldest first.
 *
 * **Details**
 *
 * `value` is the number of tests, or for `failed_executions` the sum of the days. The last of `failedPerDay` is the day
 * of `now`.
 *
 * @example
 * ```ts
 * import { Instant, Statistic } from "@lazaret/domain"
 *
 * const series = Statistic.perDay("failed_executions", 12, [3, 4], 5 * Instant.day + 1)
 * series.value // => 7
 * series.valueOverTime.map((bucket) => bucket.start / Instant.day) // => [4, 5]
 * ```
 */
export const perDay = (
  statistic: RepositoryStatistic,
  tests: number,
  failedPerDay: ReadonlyArray<number>,
  now: Instant.Instant
): Series => {
  const start = Instant.startOfLastDays(now, failedPerDay.length)
  return {
    value: statistic === "failed_executions" ? failedPerDay.reduce((sum, failed) => sum + failed, 0) : tests,
    valueOverTime: failedPerDay.map((value, index) => ({
      start: start + index * Instant.day,
      end: start + (index + 1) * Instant.day,
      value
    }))
  }
}
