/** A test in the state of a block, and the constants of its layout (`BlockState`). */
import type { Execution, Instant } from "@lazaret/domain"
import type * as Surrogate from "./Surrogate.ts"

/**
 * One test after its executions on the default branch.
 *
 * **Details**
 *
 * `last` and `lastConclusion` are of the latest execution, `firstAt` is the instant of the first; `lastSuccessAt` is that of
 * the latest passed one.
 */
export interface Slot {
  readonly state: Surrogate.State
  readonly last: Surrogate.Mark
  readonly lastConclusion: Execution.Conclusion
  readonly firstAt: Instant.Instant
  readonly lastSuccessAt: Instant.Instant | null
}

/** The tests of a block by slot; undefined for a test without executions. */
export type BlockState = ReadonlyArray<Slot | undefined>

/** Weights are whole numbers of these steps (`Health.State`). */
export const weightSteps = 1024
