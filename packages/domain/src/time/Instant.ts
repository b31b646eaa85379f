/**
 * Points in time as the domain computes with them.
 *
 * An instant is a whole number of milliseconds since the Unix epoch, in UTC: cheap to compare in folds over millions of
 * executions, and exact to the millisecond in every store. Dates become ISO 8601 text only at the edges.
 */
import { Schema } from "effect"

/** A point in time: milliseconds since the Unix epoch, UTC. */
export type Instant = number

/** The latest instant that is accepted: the end of the year 9999, the last that ISO 8601 writes with four digits. */
export const latest: Instant = 253_402_300_799_999

/** Schema of an instant from the epoch to the end of the year 9999. */
export const Instant = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: latest }))

/** Milliseconds in one second, minute, hour and day. */
export const second = 1000
export const minute = 60 * second
export const hour = 60 * minute
export const day = 24 * hour

/**
 * The number of the UTC day that holds an instant, counted from 1970-01-01 as 0.
 *
 * @example
 * ```ts
 * import { Instant } from "@lazaret/domain"
 *
 * Instant.utcDay(Date.UTC(1970, 0, 2)) // => 1
 * ```
 */
export const utcDay = (at: Instant): number => Math.floor(at / day)

/** The first instant of the next UTC day. */
export const endOfDay = (at: Instant): Instant => (utcDay(at) + 1) * day

/**
 * The start of the last `days` UTC days, the day of `now` included.
 *
 * "The last 30 days" always means this: the window starts at midnight, so that a count changes at midnight and not with
 * every second (our choice, see `docs/explanation/what-is-not-specified.md`).
 *
 * @example
 * ```ts
 * import { Instant } from "@lazaret/domain"
 *
 * Instant.startOfLastDays(Date.UTC(2026, 0, 31, 15), 30) // => Date.UTC(2026, 0, 2)
 * ```
 */
export const startOfLastDays = (now: Instant, days: number): Instant => (utcDay(now) - days + 1) * day

/**
 * The ISO 8601 text of an instant, with milliseconds and `Z`.
 *
 * @example
 * ```ts
 * import { Instant } from "@lazaret/domain"
 *
 * Instant.toIso(0) // => "1970-01-01T00:00:00.000Z"
 * ```
 */
export const toIso = (at: Instant): string => new Date(at).toISOString()
