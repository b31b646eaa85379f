/** Rollups: what a set of executions adds up to. A monoid: they combine in any grouping. */
import type { Conclusion } from "../report/Execution.ts"
import type * as Instant from "../time/Instant.ts"
import * as TimeWindow from "../time/TimeWindow.ts"

/**
 * Counts and sums over a set of executions.
 *
 * **Details**
 *
 * - `executions`: all of them, skipped ones included; `passed`, `failed`, `skipped` split them by conclusion.
 * - `flaky`: contradicted failures and in-job flaky executions (interface 2.5, `flaky_count`).
 * - `reruns`: reruns that they stand for (see `Confidence`).
 * - `durationUs`: summed duration of passed and failed ones, in whole microseconds, so that sums are exact in any order.
 */
export interface Rollup {
  readonly executions: number
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  readonly flaky: number
  readonly reruns: number
  readonly durationUs: number
}

/** The rollup of no executions: the identity of {@link combine}. */
export const empty: Rollup = {
  executions: 0,
  passed: 0,
  failed: 0,
  skipped: 0,
  flaky: 0,
  reruns: 0,
  durationUs: 0
}

/** The rollup of two disjoint sets of executions: associative, commutative, with {@link empty} as identity. */
export const combine = (a: Rollup, b: Rollup): Rollup => ({
  executions: a.executions + b.executions,
  passed: a.passed + b.passed,
  failed: a.failed + b.failed,
  skipped: a.skipped + b.skipped,
  flaky: a.flaky + b.flaky,
  reruns: a.reruns + b.reruns,
  durationUs: a.durationUs + b.durationUs
})

/** The rollup of many. */
export const combineAll = (rollups: Iterable<Rollup>): Rollup => {
  let total = empty
  for (const rollup of rollups) total = combine(total, rollup)
  return total
}

/** The rollup of one execution. */
export const of = (execution: {
  readonly conclusion: Conclusion
  readonly durationMs: number
  readonly flaky: boolean
  readonly reruns: number
}): Rollup => ({
  executions: 1,
  passed: execution.conclusion === "passed" ? 1 : 0,
  failed: execution.conclusion === "failed" ? 1 : 0,
  skipped: execution.conclusion === "skipped" ? 1 : 0,
  flaky: execution.flaky ? 1 : 0,
  reruns: execution.reruns,
  durationUs: execution.conclusion === "skipped" ? 0 : Math.round(execution.durationMs * 1000)
})

/**
 * The share of failed executions among the passed and failed ones, 0 without any.
 *
 * @example
 * ```ts
 * import { Rollup } from "@lazaret/domain"
 *
 * Rollup.failureRatio({ ...Rollup.empty, passed: 3, failed: 1 }) // => 0.25
 * Rollup.failureRatio(Rollup.empty) // => 0
 * ```
 */
export const failureRatio = (rollup: Rollup): number => ratio(rollup.failed, rollup)

/** The share of passed executions among the passed and failed ones, 0 without any. */
export const successRatio = (rollup: Rollup): number => ratio(rollup.passed, rollup)

/** The share of flaky executions among the passed and failed ones, 0 without any. */
export const flakinessRatio = (rollup: Rollup): number => ratio(rollup.flaky, rollup)

/** The mean duration of passed and failed executions in seconds, 0 without any. */
export const meanDurationSeconds = (rollup: Rollup): number => ratio(rollup.durationUs, rollup) / 1_000_000

const ratio = (part: number, rollup: Rollup): number => {
  const concluded = rollup.passed + rollup.failed
  return concluded === 0 ? 0 : part / concluded
}

/**
 * The rollups of the buckets of a window from those of its `ClockSkew.reach`, as seen at the instant `now`.
 *
 * **Details**
 *
 * Results whose time has not come are counted in the bucket of the present; a window in the future has none of them.
 */
export const settle = (
  rollups: ReadonlyArray<Rollup>,
  { width, window }: { readonly window: TimeWindow.TimeWindow; readonly width: number },
  now: Instant.Instant
): ReadonlyArray<Rollup> => {
  const { end, start } = TimeWindow.widen(window, width)
  const present = window.start < now ? Math.floor((now - 1 - start) / width) : -1
  return Array.from({ length: (end - start) / width }, (_, index) => {
    if (index < present) return rollups[index] ?? empty
    return index > present ? empty : combineAll(rollups.slice(present))
  })
}
