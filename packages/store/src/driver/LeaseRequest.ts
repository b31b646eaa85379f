/** Requests of leases of due work. */
import type { Instant } from "@lazaret/domain"

/**
 * The request of a lease: until when it holds, its proof, and the largest number of subscriptions.
 *
 * **Details**
 *
 * With `perOwner` one owner gets subscriptions until it has `most` at the same time; `held` is how many each has already, by its
 * name in lower case.
 */
export interface LeaseRequest {
  readonly now: Instant.Instant
  readonly until: Instant.Instant
  readonly lease: string
  readonly limit: number
  readonly perOwner?: { readonly most: number; readonly held: ReadonlyMap<string, number> }
}
