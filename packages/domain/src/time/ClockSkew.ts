/**
 * Clocks that run ahead: results whose time lies after their arrival.
 *
 * Clocks of CI machines differ by seconds to minutes. A result keeps the time that its machine states, so that the order
 * of arrival plays no part; until that time has come, it counts as happening now.
 */
import * as Instant from "./Instant.ts"
import * as TimeWindow from "./TimeWindow.ts"

/** How far a stated time may lie after the arrival, in milliseconds: ten minutes, more than clocks of machines differ. */
export const mostAhead = 10 * Instant.minute

/** Whether a stated time lies further after the arrival than clocks differ. */
export const isTooFarAhead = (at: Instant.Instant, receivedAt: Instant.Instant): boolean => at > receivedAt + mostAhead

/**
 * The time of a result: the stated one, unless it is too far ahead.
 *
 * **Details**
 *
 * A case that states no time, or one too far ahead, has that of its run. A run too far ahead has the arrival.
 *
 * @example
 * ```ts
 * import { ClockSkew, Instant } from "@lazaret/domain"
 *
 * const arrival = { finishedAt: 1000, receivedAt: 5000 }
 * ClockSkew.instantOf(5000 + Instant.minute, arrival) // => 65000
 * ClockSkew.instantOf(5000 + Instant.hour, arrival) // => 1000
 * ```
 */
export const instantOf = (
  at: Instant.Instant | null,
  run: { readonly finishedAt: Instant.Instant; readonly receivedAt: Instant.Instant }
): Instant.Instant => {
  if (at !== null && !isTooFarAhead(at, run.receivedAt)) return at
  return isTooFarAhead(run.finishedAt, run.receivedAt) ? run.receivedAt : run.finishedAt
}

/** When a result happened, as seen at the instant `now`: one whose time has not come happens in this millisecond. */
export const seenAt = (at: Instant.Instant, now: Instant.Instant): Instant.Instant => Math.min(at, now - 1)

/**
 * The window of the stated times of the results that happened in a window, as seen at the instant `now`.
 *
 * **Details**
 *
 * It is the window itself, and when that holds the present, the time that clocks may run ahead. The end of a window
 * belongs to what has happened up to it: a window that ends now holds the present.
 */
export const reach = (window: TimeWindow.TimeWindow, now: Instant.Instant): TimeWindow.TimeWindow =>
  window.start < now && window.end >= now ? { start: window.start, end: Math.max(window.end, now + mostAhead) } : window
