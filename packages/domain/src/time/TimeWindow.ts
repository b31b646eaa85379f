/**
 * The span of time that a request asks about (interface 4).
 *
 * A window is half-open: its start belongs to it and its end does not, so that windows that follow one another share
 * no instant and leave none out.
 */
import { Result, Schema } from "effect"
import * as Instant from "./Instant.ts"

/**
 * The latest end of a window: the start of the last UTC day of the year 9999.
 *
 * **Details**
 *
 * It is a boundary of every bucket size, so that a window widened to whole buckets still ends in the year 9999, the
 * last that ISO 8601 writes with four digits.
 */
export const latestEnd: Instant.Instant = Date.UTC(9999, 11, 31)

/**
 * The longest window that a request may ask for, in days: a year and a month, so that a year can be compared with the
 * one before (our choice, see `docs/explanation/what-is-not-specified.md`).
 */
export const maximumDays = 400

const Bound = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: latestEnd }))

/**
 * Schema of a window: whole milliseconds from the epoch to {@link latestEnd}, the start before the end.
 *
 * **Gotchas**
 *
 * It knows no longest window: a window of {@link maximumDays} days grows when it is widened to whole buckets.
 */
export const TimeWindow = Schema.Struct({ start: Bound, end: Bound }).check(
  Schema.makeFilter((window) => (window.start < window.end ? undefined : "must end after it starts"))
)

/** A half-open span of time: `start` inclusive, `end` exclusive. */
export interface TimeWindow {
  readonly start: Instant.Instant
  readonly end: Instant.Instant
}

/** The bounds that a request gives; each may be left out (interface 4). */
export interface Bounds {
  readonly start?: Instant.Instant | undefined
  readonly end?: Instant.Instant | undefined
}

/** Why a window cannot be made: the faulty bound, and a sentence that says what to do. */
export interface Fault {
  readonly field: "start" | "end"
  readonly message: string
}

/**
 * The window that a request asks for at the instant `now`, with the defaults of interface 4, or every fault in it.
 *
 * **Details**
 *
 * - `start` left out: `end` minus 1 day. `end` left out: `start` plus 1 day if `start` is given, else `now`.
 * - A default that would leave the accepted range stops at its edge.
 * - An end that is not after the start, a window of more than {@link maximumDays} days and a bound before the epoch or
 *   after {@link latestEnd} are faults.
 *
 * @example
 * ```ts
 * import { Instant, TimeWindow } from "@lazaret/domain"
 * import { Result } from "effect"
 *
 * const now = Date.UTC(2026, 0, 31)
 * TimeWindow.resolve({}, now) // => Result.succeed({ start: now - Instant.day, end: now })
 * TimeWindow.resolve({ start: 0 }, now) // => Result.succeed({ start: 0, end: Instant.day })
 * Result.isFailure(TimeWindow.resolve({ start: now, end: now }, now)) // => true
 * ```
 */
export const resolve = (bounds: Bounds, now: Instant.Instant): Result.Result<TimeWindow, ReadonlyArray<Fault>> => {
  const outside = (["start", "end"] as const).filter((field) => isOutside(bounds[field]))
  if (outside.length > 0) return Result.fail(outside.map(rangeFault))
  const window = withDefaults(bounds, now)
  if (window.end <= window.start) return Result.fail([orderFault(bounds, window)])
  if (duration(window) > maximumDays * Instant.day) return Result.fail([lengthFault(window)])
  return Result.succeed(window)
}

/**
 * The window of {@link resolve}, which must have begun at `now`: one wholly in the future is a fault.
 *
 * @example
 * ```ts
 * import { TimeWindow } from "@lazaret/domain"
 * import { Result } from "effect"
 *
 * const now = Date.UTC(2026, 0, 31)
 * Result.isSuccess(TimeWindow.resolveBegun({ start: now }, now)) // => true
 * Result.isFailure(TimeWindow.resolveBegun({ start: now + 1 }, now)) // => true
 * ```
 */
export const resolveBegun = (bounds: Bounds, now: Instant.Instant): Result.Result<TimeWindow, ReadonlyArray<Fault>> =>
  Result.flatMap(resolve(bounds, now), (window) =>
    window.start > now ? Result.fail([futureFault(bounds, now)]) : Result.succeed(window)
  )

/**
 * The smallest window that covers a window and whose bounds are multiples of `width` milliseconds from the epoch.
 *
 * @example
 * ```ts
 * import { TimeWindow } from "@lazaret/domain"
 *
 * TimeWindow.widen({ start: 15, end: 21 }, 10) // => { start: 10, end: 30 }
 * ```
 */
export const widen = (window: TimeWindow, width: number): TimeWindow => ({
  start: Math.floor(window.start / width) * width,
  end: Math.ceil(window.end / width) * width
})

/**
 * The milliseconds from the start of a window to its end.
 *
 * @example
 * ```ts
 * import { TimeWindow } from "@lazaret/domain"
 *
 * TimeWindow.duration({ start: 1000, end: 3000 }) // => 2000
 * ```
 */
export const duration = (window: TimeWindow): number => window.end - window.start

/**
 * Whether an instant is in a window: the start is, the end is not.
 *
 * @example
 * ```ts
 * import { TimeWindow } from "@lazaret/domain"
 *
 * TimeWindow.contains({ start: 10, end: 20 }, 10) // => true
 * TimeWindow.contains({ start: 10, end: 20 }, 20) // => false
 * ```
 */
export const contains = (window: TimeWindow, at: Instant.Instant): boolean => window.start <= at && at < window.end

const isOutside = (at: Instant.Instant | undefined): boolean =>
  at !== undefined && !(Number.isInteger(at) && at >= 0 && at <= latestEnd)

const clamp = (at: Instant.Instant): Instant.Instant => Math.min(Math.max(at, 0), latestEnd)

const withDefaults = ({ end, start }: Bounds, now: Instant.Instant): TimeWindow => {
  const until = end ?? clamp(start === undefined ? now : start + Instant.day)
  return { start: start ?? clamp(until - Instant.day), end: until }
}

const rangeFault = (field: Fault["field"]): Fault => ({
  field,
  message: `Give a date from ${Instant.toIso(0)} to ${Instant.toIso(latestEnd)}.`
})

const orderFault = (bounds: Bounds, window: TimeWindow): Fault =>
  bounds.end === undefined
    ? { field: "start", message: `Give a start before ${Instant.toIso(window.end)}.` }
    : { field: "end", message: `Give an end after the start, ${Instant.toIso(window.start)}.` }

const futureFault = (bounds: Bounds, now: Instant.Instant): Fault =>
  bounds.start === undefined
    ? { field: "end", message: `Give an end of at most ${Instant.toIso(now + Instant.day)}, or a start.` }
    : { field: "start", message: `Give a start that is not in the future: at most ${Instant.toIso(now)}.` }

const lengthFault = (window: TimeWindow): Fault => ({
  field: "start",
  message:
    `A window spans at most ${maximumDays} days: ` +
    `give a start from ${Instant.toIso(window.end - maximumDays * Instant.day)} on, or an earlier end.`
})
