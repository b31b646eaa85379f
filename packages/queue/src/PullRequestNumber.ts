/** Pull request numbers of the merge queue (interface 2.11). */
import { Schema } from "effect"

/**
 * The largest accepted pull request number.
 *
 * **Details**
 *
 * The interface allows numbers up to 9223372036854776000. A double, which is what JSON numbers are to most readers,
 * holds whole numbers exactly only up to this one. A larger number is refused and not rounded, because a rounded number
 * names another pull request (our choice, see `docs/explanation/what-is-not-specified.md`).
 */
export const largest = Number.MAX_SAFE_INTEGER

const message = `must be a whole number from 0 to ${largest}`

/**
 * Schema of a pull request number: a whole number from 0 to {@link largest}, both included.
 *
 * @example
 * ```ts
 * import { PullRequestNumber } from "@lazaret/queue"
 * import { Schema } from "effect"
 *
 * const isNumber = Schema.is(PullRequestNumber.PullRequestNumber)
 * isNumber(9007199254740991) // => true
 * isNumber(9223372036854776000) // => false
 * ```
 */
export const PullRequestNumber = Schema.Number.check(
  Schema.isInt({ message }),
  Schema.isBetween({ minimum: 0, maximum: largest }, { message })
)

/** The number of a pull request within its repository. */
export type PullRequestNumber = typeof PullRequestNumber.Type
