/** The faults that a request to a platform can meet. */

/**
 * A fault of one request.
 *
 * **Details**
 *
 * - `when`: `after` the request had its effect, or `before` it.
 * - `Status`: an answer of 5xx. `Silence`: no answer at all. `Reset`: the connection is closed.
 * - `Primary`: the hourly limit is used up for this many seconds. `Secondary`: too many requests at once; null sends no
 *   `Retry-After`.
 * - `Refusal`: an answer of 4xx in these words, without an effect. `Errors`: GraphQL answers with these errors, next to the data
 *   or without any, and without an effect.
 * - `Stale`: a read is answered as it was the last time: the replica that answers has not seen the writes since then.
 */
export type Fault =
  | { readonly kind: "Status"; readonly status: number; readonly when: "before" | "after" }
  | { readonly kind: "Silence"; readonly when: "before" | "after" }
  | { readonly kind: "Reset"; readonly when: "before" | "after" }
  | { readonly kind: "Primary"; readonly seconds: number }
  | { readonly kind: "Secondary"; readonly retryAfter: number | null }
  | { readonly kind: "Refusal"; readonly status: number; readonly message: string }
  | { readonly kind: "Errors"; readonly type?: string; readonly message: string; readonly hasData: boolean }
  | { readonly kind: "Stale" }

/** The faults that are still to come, by the id of an operation; `*` is any operation. */
export interface Plan {
  /** Plans a fault for the next requests of an operation. */
  readonly next: (operation: string, fault: Fault, times?: number) => void
  /** The fault of a request that arrives now. */
  readonly take: (operation: string) => Fault | null
  /** Removes the faults that are still to come. */
  readonly clear: () => void
}

/** A plan without faults. */
export const plan = (): Plan => {
  const waiting: Array<{ readonly operation: string; readonly fault: Fault }> = []
  return {
    next: (operation, fault, times = 1) => {
      for (let count = 0; count < times; count += 1) waiting.push({ operation, fault })
    },
    take: (operation) => {
      const index = waiting.findIndex((each) => each.operation === "*" || each.operation === operation)
      return index < 0 ? null : (waiting.splice(index, 1)[0]?.fault ?? null)
    },
    clear: () => void waiting.splice(0)
  }
}
