/** Health transitions: the edges of a health series that is sampled per bucket (interface 2.6, 4.1.4). */
import type { Mark } from "./Health.ts"
import type { Change } from "./HealthSeries.ts"
import type { HealthStatus } from "./HealthStatus.ts"
import type { Instant } from "../time/Instant.ts"
import * as TimeWindow from "../time/TimeWindow.ts"

/**
 * One edge of the sampled series (interface 2.6).
 *
 * **Details**
 *
 * - `at`: start of the bucket in which the verdict changed to `status`.
 * - `episode`: first failing execution of the episode that the edge opens; null for a recovery and for a first edge
 *   of a test that was already unhealthy when the window opened, or whose episode began before it. Its commit leads to
 *   the pull request.
 * - `exceptionType`: exception of that execution, null where unknown.
 */
export interface HealthTransition {
  readonly at: Instant
  readonly status: HealthStatus
  readonly episode: Mark | null
  readonly exceptionType: string | null
}

/**
 * The edges of the sampled series, oldest first; consecutive entries differ.
 *
 * **Details**
 *
 * The verdict of a bucket of `TimeWindow.widen(window, width)` is that of every execution before its end, null before the first one;
 * the last bucket ends with the window. The first edge is the earliest one, at the start of its bucket. When a
 * verdict changes several times in one bucket, the edge is attributed to the change that last left the sampled verdict,
 * or health. `series` is the test's whole series in order, so that the verdict before the window is known.
 *
 * @example
 * ```ts
 * import { Execution, Health, HealthPolicy, HealthSeries, HealthTransition, Instant } from "@lazaret/domain"
 *
 * const run = (hour: number, commit: string, conclusion: "passed" | "failed") =>
 *   Execution.observed({ id: `${hour}`, at: hour * Instant.hour, commit, conclusion })
 * const history = [run(1, "c1", "passed"), run(5, "c2", "failed"), run(6, "c2", "passed")]
 * const series = HealthSeries.changes(Health.initial, history, HealthPolicy.defaults)
 * const edges = HealthTransition.edges(series, { start: 0, end: 12 * Instant.hour }, 4 * Instant.hour)
 * edges.map((edge) => [edge.at / Instant.hour, edge.status]) // => [[0, "healthy"], [4, "flaky"]]
 * ```
 */
export const edges = (
  series: ReadonlyArray<Change>,
  window: TimeWindow.TimeWindow,
  width: number
): Array<HealthTransition> => {
  const found: Array<HealthTransition> = []
  let next = series.findIndex((change) => change.trigger.at >= window.start)
  if (next === -1) next = series.length
  let verdict = series[next - 1]?.status ?? null
  for (let start = firstBucket(window, width); start < window.end; start += width) {
    const end = Math.min(start + width, window.end)
    const sampled = verdict
    let opening: Change | null = null
    for (let change = series[next]; change !== undefined && change.trigger.at < end; change = series[next]) {
      if (isHealthy(verdict) || verdict === sampled) opening = change
      verdict = change.status
      next += 1
    }
    if (verdict !== null && (verdict !== sampled || found.length === 0)) {
      const isOld = found.length === 0 && (!isHealthy(sampled) || beganBefore(opening, window.start))
      found.push(edge(start, verdict, isOld ? null : opening))
    }
  }
  return found
}

const firstBucket = (window: TimeWindow.TimeWindow, width: number): Instant => TimeWindow.widen(window, width).start

/** The verdict may change in the window by an episode that is older: a late pass on the commit of an old failure. */
const beganBefore = (opening: Change | null, at: Instant): boolean =>
  opening !== null && opening.episode !== null && opening.episode.at < at

/** Before its first execution nothing is wrong with a test. */
const isHealthy = (verdict: HealthStatus | null): boolean => verdict === null || verdict === "healthy"

const edge = (at: Instant, status: HealthStatus, opening: Change | null): HealthTransition =>
  status === "healthy" || opening === null
    ? { at, status, episode: null, exceptionType: null }
    : { at, status, episode: opening.episode, exceptionType: opening.exceptionType }
