/**
 * The fold of a block: totals and health of its tests after more executions. All rules are in the domain's fold.
 */
import { type Contradiction, type Execution, Health, type HealthPolicy, Instant, Text } from "@lazaret/domain"
import * as BlockCounts from "../codec/BlockCounts.ts"
import type * as BlockState from "../codec/BlockState.ts"
import * as ResultChunk from "../codec/ResultChunk.ts"
import * as Surrogate from "../codec/Surrogate.ts"

/**
 * The version of the rules of the fold, stored with every block: that of `Health`, which is also raised with every change
 * of this module that could fold a history differently. A block keeps its number until it is refolded.
 */
export const { rules } = Health

/** An execution as the fold reads it; its id and commit are surrogates. */
export interface FoldExecution extends Execution.Observation<Surrogate.Id, Surrogate.Commit> {
  readonly outage: boolean
  readonly many: boolean
  readonly slot: number
  readonly upload: number
  readonly ordinal: number
  readonly durationUs: number
}

/** A contradiction on another branch as the fold reads it. */
export interface FoldContradiction extends Contradiction.Contradiction<Surrogate.Id, Surrogate.Commit> {
  readonly slot: number
  readonly upload: number
  readonly ordinal: number
}

/** An item of the fold. */
export type FoldItem = FoldExecution | FoldContradiction

/** The state of a block after some executions. */
export interface Block {
  readonly counts: BlockCounts.BlockCounts
  readonly slots: BlockState.BlockState
}

/** The totals of one test at the end of a day on which it was executed. */
export interface Step {
  readonly slot: number
  readonly day: number
  readonly totals: BlockCounts.Test
}

/** A block after more executions, with the totals of each test on each of their days, in the order of days. */
export interface Replayed extends Block {
  readonly steps: ReadonlyArray<Step>
}

/** A block without executions. */
export const empty: Block = { counts: BlockCounts.make(), slots: [] }

/** The fields that all executions of a chunk share; `firstId` is the surrogate of ordinal 0, `flags` concern failures. */
export interface Chunk {
  readonly upload: number
  readonly firstId: Surrogate.Id
  readonly commit: Surrogate.Commit
  readonly flags: number
}

/** The fields that all executions of a chunk share. */
export const chunk = (upload: number, commit: number, flags: number): Chunk => ({
  upload,
  firstId: Surrogate.id(upload, 0),
  commit,
  flags
})

/** An execution of a chunk, unpacked. */
export const executionOf = (packed: ResultChunk.PackedExecution, of: Chunk): FoldExecution => ({
  id: packed.ordinal === 0 ? of.firstId : Surrogate.id(of.upload, packed.ordinal),
  at: packed.at,
  commit: of.commit,
  conclusion: packed.conclusion,
  flaky: packed.flaky,
  reruns: packed.reruns,
  excused: has(of, packed, ResultChunk.flags.excused),
  outage: has(of, packed, ResultChunk.flags.outage),
  many: has(of, packed, ResultChunk.flags.many),
  slot: packed.slot,
  upload: of.upload,
  ordinal: packed.ordinal,
  durationUs: durationUsOf(packed)
})

/** The duration of an execution in whole microseconds; 0 for a skipped one. */
export const durationUsOf = ({ conclusion, durationMs }: ResultChunk.PackedExecution): number =>
  conclusion === "skipped" ? 0 : Math.round(durationMs * 1000)

const has = ({ flags }: Chunk, { conclusion }: ResultChunk.PackedExecution, flag: number): boolean =>
  conclusion === "failed" && (flags & flag) !== 0

/**
 * The order of executions (`Execution.order`): when they finished, then their ids. `reportOf` is the id of the report
 * of an upload.
 */
export const order =
  (reportOf: (upload: number) => string) =>
  (a: Placed, b: Placed): number => {
    if (a.at !== b.at) return a.at - b.at
    const ordinals = Text.compare(String(a.ordinal), String(b.ordinal))
    return a.upload === b.upload ? ordinals : Text.compare(reportOf(a.upload), reportOf(b.upload)) || ordinals
  }

type Placed = Pick<FoldItem, "at" | "slot" | "upload" | "ordinal">

/** The uploads whose report ids decide the order: they have executions of one test at the same instant. */
export const tied = (executions: Iterable<Placed>): Set<number> => {
  const first = new Map<number, number>()
  const found = new Set<number>()
  for (const { at, slot, upload } of executions) {
    // After the year 6000 two keys may collide, which only costs an unnecessary comparison of ids.
    const place = at * BlockCounts.slots + slot
    const other = first.get(place)
    if (other === undefined) first.set(place, upload)
    else if (other !== upload) found.add(other).add(upload)
  }
  return found
}

/** The block after more items. Each must follow, in the order of its test, those that are in the block. */
export const replay = (
  block: Block,
  items: ReadonlyArray<FoldItem>,
  compare: (a: Placed, b: Placed) => number,
  policy: HealthPolicy.HealthPolicy
): Replayed => {
  const counts = BlockCounts.copy(block.counts)
  const slots = block.slots.slice()
  const steps: Array<Step> = []
  for (const [slot, list] of bySlot(items)) {
    const sorted = list.length === 1 ? list : list.toSorted(compare)
    slots[slot] = replaySlot(slots[slot], { counts, steps, slot }, sorted, policy)
  }
  return { counts, slots, steps }
}

/** The totals of a block, the steps so far, and the test at hand. */
interface Ledger {
  readonly counts: BlockCounts.BlockCounts
  readonly steps: Array<Step>
  readonly slot: number
}

/** The items of each test. */
export const bySlot = <A extends FoldItem>(items: ReadonlyArray<A>): Map<number, Array<A>> => {
  const lists = new Map<number, Array<A>>()
  for (const item of items) {
    const list = lists.get(item.slot)
    if (list === undefined) lists.set(item.slot, [item])
    else list.push(item)
  }
  return lists
}

/** A test after more items, which must be sorted; its totals are changed, and a step is added for each day. */
export const replaySlot = (
  before: BlockState.Slot | undefined,
  ledger: Ledger,
  sorted: ReadonlyArray<FoldItem>,
  policy: HealthPolicy.HealthPolicy
): BlockState.Slot | undefined => {
  const first = sorted.find(isExecution)
  const { counts, slot } = ledger
  let day = first === undefined ? null : Instant.utcDay(first.at)
  let lastSuccessAt = before?.lastSuccessAt ?? null
  const start = before?.state ?? Health.initialOf<Surrogate.Id, Surrogate.Commit>()
  const state = Health.walk(start, sorted, policy, (item, reruns) => {
    if (!isExecution(item)) return
    const today = Instant.utcDay(item.at)
    if (day !== null && today !== day) closeDay(ledger, day)
    day = today
    BlockCounts.add(counts, slot, { conclusion: item.conclusion, durationUs: item.durationUs, reruns })
    if (item.conclusion === "passed") lastSuccessAt = item.at
  })
  const last = sorted.findLast(isExecution)
  if (before === undefined && last === undefined) return undefined
  BlockCounts.setVerdict(counts, slot, state.status, state.reruns)
  if (day !== null) closeDay(ledger, day)
  return slotAfter(before, { first, last }, { state, lastSuccessAt })
}

const isExecution = (item: FoldItem): item is FoldExecution => item.conclusion !== "contradicted"

/** The test of a block after its last execution. */
const slotAfter = (
  before: BlockState.Slot | undefined,
  { first, last }: { readonly first: FoldExecution | undefined; readonly last: FoldExecution | undefined },
  after: Pick<BlockState.Slot, "state" | "lastSuccessAt">
): BlockState.Slot | undefined => {
  if (first === undefined || last === undefined) return before === undefined ? undefined : { ...before, ...after }
  return {
    ...after,
    last: { id: last.id, at: last.at, commit: last.commit },
    lastConclusion: last.conclusion,
    firstAt: before?.firstAt ?? first.at
  }
}

const closeDay = ({ counts, slot, steps }: Ledger, day: number): void => {
  steps.push({ slot, day, totals: BlockCounts.get(counts, slot) })
}
