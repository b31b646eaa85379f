/** Transitions of verdicts between two states of a block. */
import type { HealthStatus } from "@lazaret/domain"
import * as BlockCounts from "../codec/BlockCounts.ts"
import type { BlockState } from "../codec/BlockState.ts"
import type * as Surrogate from "../codec/Surrogate.ts"

/** A changed verdict; `state` has surrogates, and is null for a test without remaining executions. */
export interface Transition {
  readonly testNo: number
  readonly from: HealthStatus.HealthStatus
  readonly to: HealthStatus.HealthStatus
  readonly state: Surrogate.State | null
}

/** The transitions of a block. Compares one byte per test. */
export const between = (
  blockNo: number,
  before: BlockCounts.BlockCounts | null,
  after: { readonly counts: BlockCounts.BlockCounts; readonly slots: BlockState }
): ReadonlyArray<Transition> => {
  const transitions: Array<Transition> = []
  for (let slot = 0; slot < BlockCounts.slots; slot++) {
    const from = before === null ? "healthy" : BlockCounts.statusOf(before, slot)
    const to = BlockCounts.statusOf(after.counts, slot)
    if (from === to) continue
    transitions.push({ testNo: blockNo * BlockCounts.slots + slot, from, to, state: after.slots[slot]?.state ?? null })
  }
  return transitions
}
