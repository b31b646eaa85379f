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

/** The version of the layout. */
export const version = 3

/** The version without branches, `opening` and weights. */
export const firstVersion = 1

/** The version without branches. */
export const secondVersion = 2

/** Weights are whole numbers of these steps (`Health.State`). */
export const weightSteps = 1024

/** Kind of an instant or commit that the state does not have. */
export const none = 0

/** Kind of an instant or commit: it is the likely one. */
export const likely = 1

/** Kind of an instant or commit: it follows. */
export const distance = 2
