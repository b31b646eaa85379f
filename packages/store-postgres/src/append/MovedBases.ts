/** The base of dropped executions, when another test stands for theirs. */
import { Effect } from "effect"
import * as Bases from "../blocks/RetainedBases.ts"
import * as BlockCounts from "../codec/BlockCounts.ts"
import type * as BlockState from "../codec/BlockState.ts"
import type { Session } from "../repository/Session.ts"
import type { Moves } from "./Moves.ts"

/**
 * Gives the bases of tests that lose all executions to the tests that stand for them. A test that has a base keeps it, and that of
 * the other one is removed.
 */
export const move = Effect.fnUntraced(function* (session: Session, { changed, holders }: Moves) {
  const lost = [...changed].flatMap(([from, to]) => (to === null ? [] : [{ from, to: holders.get(to) ?? to }]))
  const blocks = new Set(lost.flatMap(({ from, to }) => [blockOf(from), blockOf(to)]))
  const bases = new Map(yield* Bases.selectIntact(session, [...blocks]))
  const before = new Map(bases)
  for (const { from, to } of lost) {
    const own = bases.get(blockOf(from))
    if (own === undefined || own.slots[slotOf(from)] === undefined) continue
    const target = bases.get(blockOf(to)) ?? { ...empty(own), blockNo: blockOf(to) }
    if (target.slots[slotOf(to)] === undefined)
      bases.set(target.blockNo, withSlot(target, slotOf(to), own, slotOf(from)))
    const left = bases.get(blockOf(from)) ?? own
    bases.set(left.blockNo, withoutSlot(left, slotOf(from)))
  }
  const written = [...bases.values()].filter((base) => base !== before.get(base.blockNo))
  if (written.length > 0) yield* Bases.save(session, written)
})

const blockOf = (testNo: number): number => Math.floor(testNo / BlockCounts.slots)

const slotOf = (testNo: number): number => testNo % BlockCounts.slots

const empty = (base: Bases.Base): Bases.Base => ({
  ...base,
  counts: BlockCounts.make(),
  slots: base.slots.map(() => undefined),
  series: {}
})

const withSlot = (base: Bases.Base, slot: number, from: Bases.Base, fromSlot: number): Bases.Base => {
  const counts = BlockCounts.copy(base.counts)
  BlockCounts.set(counts, slot, BlockCounts.get(from.counts, fromSlot))
  const series = from.series[fromSlot]
  return {
    ...base,
    counts,
    slots: withSlotAs(base.slots, slot, from.slots[fromSlot]),
    series: series === undefined ? base.series : { ...base.series, [slot]: series }
  }
}

const withoutSlot = (base: Bases.Base, slot: number): Bases.Base => {
  const counts = BlockCounts.make()
  for (let other = 0; other < BlockCounts.slots; other++) {
    if (other !== slot) BlockCounts.set(counts, other, BlockCounts.get(base.counts, other))
  }
  const series = Object.fromEntries(Object.entries(base.series).filter(([own]) => Number(own) !== slot))
  return { ...base, counts, slots: withSlotAs(base.slots, slot, undefined), series }
}

/** Trailing tests may be missing. */
const withSlotAs = (
  slots: BlockState.BlockState,
  slot: number,
  value: BlockState.Slot | undefined
): BlockState.BlockState =>
  Array.from({ length: Math.max(slots.length, slot + 1) }, (_, index) => (index === slot ? value : slots[index]))
