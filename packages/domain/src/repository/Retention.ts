/** Retention: how long executions are kept (our choice, see `docs/how-to/retention.md`). */
import * as Instant from "../time/Instant.ts"

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

/**
 * The start of the week of an instant: Monday at midnight, UTC.
 *
 * @example
 * ```ts
 * import { Retention } from "@lazaret/domain"
 *
 * Retention.startOfWeek(Date.UTC(2026, 4, 20, 12)) // => Date.UTC(2026, 4, 18)
 * Retention.startOfWeek(Date.UTC(2026, 4, 18)) // => Date.UTC(2026, 4, 18)
 * ```
 */
export const startOfWeek = (at: Instant.Instant): Instant.Instant => Math.floor((at - monday) / week) * week + monday

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
  startOfWeek(Instant.startOfLastDays(now, days))

/** Milliseconds in a week. */
export const week = 7 * Instant.day

/** The first Monday after the epoch is the fifth of January 1970. */
const monday = 4 * Instant.day
