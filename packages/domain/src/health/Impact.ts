/** How much the failures of an unhealthy test hurt, from its failure ratio (interface 2.3). */
import { Schema } from "effect"
import type * as Order from "effect/Order"
import type { HealthPolicy } from "./HealthPolicy.ts"
import type { HealthStatus } from "./HealthStatus.ts"

/** Schema of a failed executions impact (interface 3.1). */
export const Impact = Schema.Literals(["low", "medium", "high"])

/** A failed executions impact (interface 3.1). */
export type Impact = typeof Impact.Type

const ranks: { readonly [L in Impact]: number } = { low: 0, medium: 1, high: 2 }

/**
 * The place of a failed executions impact in the order low, medium, high, from 0.
 *
 * @example
 * ```ts
 * import { Impact } from "@lazaret/domain"
 *
 * Impact.rank("medium") // => 1
 * ```
 */
export const rank = (impact: Impact): number => ranks[impact]

/**
 * The order low < medium < high (our choice, see `docs/explanation/what-is-not-specified.md`).
 *
 * @example
 * ```ts
 * import { Impact } from "@lazaret/domain"
 *
 * Impact.order("high", "low") // => 1
 * ```
 */
export const order: Order.Order<Impact> = (a, b) => (a === b ? 0 : ranks[a] < ranks[b] ? -1 : 1)

/**
 * The impact of an identity's failures: null when it is healthy; else low below a failure ratio of 5 %, medium below
 * 20 %, and high from there (our choice).
 *
 * @example
 * ```ts
 * import { HealthPolicy, Impact } from "@lazaret/domain"
 *
 * Impact.classify("flaky", 0.04, HealthPolicy.defaults) // => "low"
 * Impact.classify("broken", 0.2, HealthPolicy.defaults) // => "high"
 * Impact.classify("healthy", 0.5, HealthPolicy.defaults) // => null
 * ```
 */
export const classify = (status: HealthStatus, failureRatio: number, policy: HealthPolicy): Impact | null => {
  if (status === "healthy") return null
  return failureRatio >= policy.impactHigh ? "high" : failureRatio >= policy.impactMedium ? "medium" : "low"
}
