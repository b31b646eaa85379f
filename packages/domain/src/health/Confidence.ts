/** How sure a health status is, from how often the test has been rerun (interface 2.3). */
import { Schema } from "effect"
import * as Order from "effect/Order"
import type { HealthPolicy } from "./HealthPolicy.ts"

/** Schema of a health confidence (interface 3.1). */
export const Confidence = Schema.Literals(["low", "medium", "high"])

/** A health confidence (interface 3.1). */
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
 */
export const order: Order.Order<Confidence> = Order.mapInput(
  Order.Number,
  (confidence: Confidence) => ranks[confidence]
)

/**
 * The confidence after this many reruns since the verdict last moved, within the last 30 days: low below 10, medium below
 * 30, else high (our choice).
 *
 * @example
 * ```ts
 * import { Confidence, HealthPolicy } from "@lazaret/domain"
 *
 * Confidence.classify(9, HealthPolicy.defaults) // => "low"
 * Confidence.classify(10, HealthPolicy.defaults) // => "medium"
 * Confidence.classify(30, HealthPolicy.defaults) // => "high"
 * ```
 */
export const classify = (reruns: number, policy: HealthPolicy): Confidence =>
  reruns >= policy.confidenceHigh ? "high" : reruns >= policy.confidenceMedium ? "medium" : "low"

/**
 * The flake rate that the true one is below with 95 % confidence after this many clean reruns: 1 - 0.05^(1/n).
 *
 * @example
 * ```ts
 * import { Confidence } from "@lazaret/domain"
 *
 * Confidence.flakeRateBound(0) // => 1
 * Math.round(Confidence.flakeRateBound(30) * 1000) // => 95
 * ```
 */
export const flakeRateBound = (cleanReruns: number): number => 1 - 0.05 ** (1 / cleanReruns)

/**
 * A health confidence in words: how often reruns have tested the status since it last changed. The word of the interface
 * sounds like a doubt about the status itself.
 *
 * @example
 * ```ts
 * import { Confidence } from "@lazaret/domain"
 *
 * Confidence.wordsOf("low") // => "rarely retested"
 * Confidence.wordsOf("high") // => "often retested"
 * ```
 */
export const wordsOf = (confidence: Confidence): string =>
  ({ low: "rarely retested", medium: "retested", high: "often retested" })[confidence]
