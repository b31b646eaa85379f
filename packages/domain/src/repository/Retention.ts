/** Retention: how long executions are kept (our choice, see `docs/how-to/retention.md`). */
import * as Instant from "../time/Instant.ts"
import * as Week from "../time/Week.ts"

/**
 * The days for which executions are kept by default, and the fewest and the most that can be set.
 *
 * **Details**
 *
 * Search and statistics show the last 30 days, and need the executions of all of them. Ten years stand for "for ever".
 */
export const defaultDays = 90
export const fewestDays = 30
export const mostDays = 3650

/** Executions are dropped in whole weeks: their length, and the start of the week of an instant. */
export { length as week, startOf as startOfWeek } from "../time/Week.ts"

/**
 * The instant before which executions are dropped, so that the last `days` UTC days are kept, today included.
 *
 * **Details**
 *
 * Whole weeks are dropped: up to six days more are kept.
 *
 * @example
 * ```ts
 * import { Retention } from "@lazaret/domain"
 *
 * Retention.horizon(Date.UTC(2026, 4, 20, 12), 90) // => Date.UTC(2026, 1, 16)
 * ```
 */
export const horizon = (now: Instant.Instant, days: number): Instant.Instant =>
  Week.startOf(Instant.startOfLastDays(now, days))
