/** The verdict on a test: healthy, flaky or broken (interface 3.1). */
import { Schema } from "effect"
import type * as Order from "effect/Order"

/** Schema of a health status (interface 3.1). */
export const HealthStatus = Schema.Literals(["healthy", "flaky", "broken"])

/** A health status (interface 3.1). */
export type HealthStatus = typeof HealthStatus.Type

const ranks: { readonly [S in HealthStatus]: number } = { healthy: 0, flaky: 1, broken: 2 }

/**
 * The place of a status in the order healthy, flaky, broken, from 0.
 *
 * @example
 * ```ts
 * import { HealthStatus } from "@lazaret/domain"
 *
 * HealthStatus.rank("flaky") // => 1
 * ```
 */
export const rank = (status: HealthStatus): number => ranks[status]

/**
 * The order healthy < flaky < broken (our choice, see `docs/explanation/what-is-not-specified.md`).
 *
 * @example
 * ```ts
 * import { HealthStatus } from "@lazaret/domain"
 *
 * HealthStatus.order("healthy", "broken") // => -1
 * ```
 */
export const order: Order.Order<HealthStatus> = (a, b) => (a === b ? 0 : ranks[a] < ranks[b] ? -1 : 1)

/**
 * The worse of two statuses: how the identities of one test make the health of the test.
 *
 * @example
 * ```ts
 * import { HealthStatus } from "@lazaret/domain"
 *
 * HealthStatus.worst("healthy", "flaky") // => "flaky"
 * HealthStatus.worst("broken", "flaky") // => "broken"
 * ```
 */
export const worst = (a: HealthStatus, b: HealthStatus): HealthStatus => (ranks[a] < ranks[b] ? b : a)
