/** Weeks in UTC. */
import * as Instant from "./Instant.ts"

/** Milliseconds in a week. */
export const length = 7 * Instant.day

/** The first Monday after the epoch is the fifth of January 1970. */
const monday = 4 * Instant.day

/**
 * The start of the week of an instant: Monday at midnight, UTC.
 *
 * @example
 * ```ts
 * import { Week } from "@lazaret/domain"
 *
 * Week.startOf(Date.UTC(2026, 4, 20, 12)) // => Date.UTC(2026, 4, 18)
 * Week.startOf(Date.UTC(2026, 4, 18)) // => Date.UTC(2026, 4, 18)
 * ```
 */
export const startOf = (at: Instant.Instant): Instant.Instant => Math.floor((at - monday) / length) * length + monday
