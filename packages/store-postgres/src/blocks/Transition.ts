/** Transitions of verdicts between two states of a block. */
import type { HealthStatus, Instant } from "@lazaret/domain"
import * as BlockCounts from "../codec/BlockCounts.ts"
import type { Slot } from "../codec/BlockState.ts"
import type * as Surrogate from "../codec/Surrogate.ts"

/**
 * A changed verdict: by which rule, on which commit (its number) and when; null for a test without remaining executions.
 *
 * An upload may change the verdict of every test in it, so that a transition must not keep the states of tests in memory.
 */
export interface Transition {
  readonly testNo: number
  readonly from: HealthStatus.HealthStatus
  readonly to: HealthStatus.HealthStatus
  readonly rule: Surrogate.State["rule"] | null
  readonly commit: number | null
  readonly ranAt: Instant.Instant | null
}

/** The transitions of a block. Compares one byte per test. */
export const between = (
  blockNo: number,
  before: BlockCounts.BlockCounts | null,
  after: { readonly counts: BlockCounts.BlockCounts; readonly slotAt: (slot: number) => Slot | undefined }
): ReadonlyArray<Transition> => {
  const transitions: Array<Transition> = []
  for (let slot = 0; slot < BlockCounts.slots; slot++) {
    const from = before === null ? "healthy" : BlockCounts.statusOf(before, slot)
    const to = BlockCounts.statusOf(after.counts, slot)
    if (from === to) continue
    const state = after.slotAt(slot)?.state
    const trigger = state?.trigger
    transitions.push({
      testNo: blockNo * BlockCounts.slots + slot,
      from,
      to,
      rule: state?.rule ?? null,
      commit: trigger?.commit ?? null,
      ranAt: trigger?.at ?? null
    })
  }
  return transitions
}
