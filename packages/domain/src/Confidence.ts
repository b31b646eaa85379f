/**
 * How sure a health status is, from how often the test has been rerun (interface 2.3).
 *
 * @since 0.1.0
 */
import { Schema } from "effect"
import type * as Order from "effect/Order"

/**
 * Schema of a health confidence (interface 3.1).
 *
 * @category schemas
 * @since 0.1.0
 */
export const Confidence = Schema.Literals(["low", "medium", "high"])

/**
 * A health confidence (interface 3.1).
 *
 * @category models
 * @since 0.1.0
 */
export type Confidence = typeof Confidence.Type

const ranks: { readonly [L in Confidence]: number } = { low: 0, medium: 1, high: 2 }

/**
 * The place of a health confidence in the order low, medium, high, from 0.
 *
 * @example
 * ```ts
 * import { Confidence } from "@lazaret/domain"
 *
 * Confidence.rank("medium") // => 1
 * ```
 *
 * @category ordering
 * @since 0.1.0
 */
export const rank = (confidence: Confidence): number => ranks[confidence]

/**
 * The order low < medium < high (our choice, see `docs/explanation/what-is-not-specified.md`).
 *
 * @example
 * ```ts
 * import { Confidence } from "@lazaret/domain"
 *
 * Confidence.order("high", "low") // => 1
 * ```
 *
 * @category ordering
 * @since 0.1.0
 */
export const order: Order.Order<Confidence> = (a, b) => (a === b ? 0 : ranks[a] < ranks[b] ? -1 : 1)
