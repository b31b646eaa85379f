/** Priorities of queued pull requests and their names (interface 2.11). */
import { Option, Schema } from "effect"

/** The named priorities. Each lies a thousand above the one before, so that there is room between them. */
export const aliases = { low: 1000, medium: 2000, high: 3000 } as const

/** The priority of a pull request that was queued without one: medium. */
export const fallback: QueuePriority = aliases.medium

/**
 * Schema of a priority: any whole number of 32 bits, the higher the earlier.
 *
 * **Details**
 *
 * The interface gives no range. 32 bits are what every store and every client can hold (our choice).
 */
export const QueuePriority = Schema.Int.check(Schema.isBetween({ minimum: -2_147_483_648, maximum: 2_147_483_647 }))

/** A priority: the higher the earlier. */
export type QueuePriority = typeof QueuePriority.Type

/**
 * Schema of a priority as people write it: a number, or one of `low`, `medium` and `high`. It is encoded as the number.
 *
 * @example
 * ```ts
 * import { QueuePriority } from "@lazaret/queue"
 * import { Option, Schema } from "effect"
 *
 * Schema.decodeUnknownSync(QueuePriority.Written)("high") // => 3000
 * Schema.decodeUnknownSync(QueuePriority.Written)(1500) // => 1500
 * ```
 */
export const Written = Schema.Union([
  QueuePriority,
  Schema.Literals(["low", "medium", "high"]).transform([aliases.low, aliases.medium, aliases.high])
])

/**
 * The priority that a person wrote; null for any other text.
 *
 * @example
 * ```ts
 * import { QueuePriority } from "@lazaret/queue"
 *
 * QueuePriority.parse("High") // => 3000
 * QueuePriority.parse("urgent") // => null
 * ```
 */
export const parse = (text: string): QueuePriority | null => {
  const given = /^-?\d+$/u.test(text) ? Number(text) : text.toLowerCase()
  return Option.getOrNull(Schema.decodeUnknownOption(Written)(given))
}

/**
 * The text of a priority: its name where it has one, else the number.
 *
 * @example
 * ```ts
 * import { QueuePriority } from "@lazaret/queue"
 *
 * QueuePriority.alias(2000) // => "medium"
 * QueuePriority.alias(2001) // => "2001"
 * ```
 */
export const alias = (priority: QueuePriority): string => {
  if (priority === aliases.low) return "low"
  if (priority === aliases.medium) return "medium"
  return priority === aliases.high ? "high" : String(priority)
}
