/**
 * Brings blocks up to date with the executions of the default branch.
 *
 * Executions in order extend the stored fold. A late execution, or one of whose run something else is said now,
 * restarts the fold at the latest base before it, and the chunks after that base are folded again.
 *
 * Blocks are unpacked, folded and packed one after another, so that the memory of one is free before the next is
 * unpacked.
 */
import type { Instant } from "@lazaret/domain"
import { Slices } from "@lazaret/store"
import { Effect, Result } from "effect"
import * as BlockCounts from "../codec/BlockCounts.ts"
import * as BlockGroups from "../codec/BlockGroups.ts"
import * as BlockState from "../codec/BlockState.ts"
import * as ResultChunk from "../codec/ResultChunk.ts"
import * as SlotInstants from "../codec/SlotInstants.ts"
import * as Damage from "../database/Damage.ts"
import * as Bases from "./RetainedBases.ts"
import * as BlockRows from "./BlockRows.ts"
import * as ChunkRows from "./ChunkRows.ts"
import type { BlockPart, ChangedChunk } from "./BlockPart.ts"
import * as Closings from "./Closings.ts"
import * as Contradictions from "./Contradictions.ts"
import * as Extension from "./Extension.ts"
import type { Failed } from "./FailedDays.ts"
import * as Transition from "./Transition.ts"
import * as Rebuild from "./Rebuild.ts"
import * as Replay from "./Replay.ts"
import type { Session } from "../repository/Session.ts"

/**
 * Folds new executions, which must be stored in chunks already, and again what follows chunks whose flags have changed or
 * contradictions that were found or lost; yields the transitions of verdicts.
 */
export const fold = Effect.fnUntraced(function* (
  session: Session,
  parts: ReadonlyArray<BlockPart>,
  changed: ReadonlyArray<ChangedChunk>
) {
  const compare = orderAmong(parts)
  const transitions: Array<Transition.Transition> = []
  for (const blocks of Slices.byWeight(incoming(parts, changed), () => 1, blocksAtOnce)) {
    for (const transition of yield* foldSome(session, blocks, compare)) transitions.push(transition)
  }
  return transitions
})

const foldSome = Effect.fnUntraced(function* (session: Session, blocks: ReadonlyArray<Incoming>, compare: Order) {
  const stored = yield* BlockRows.selectRows(
    session,
    blocks.map(({ blockNo }) => blockNo)
  )
  const late = new Map<number, Instant.Instant>()
  const begun = yield* firstContradicted(session, blocks, stored)
  const foldings: Array<Folding> = []
  // Only one block is unpacked at a time.
  const instants = SlotInstants.make()
  for (const [index, block] of blocks.entries()) {
    if (index % blocksPerTurn === 0) yield* Effect.yieldNow
    const row = stored.get(block.blockNo)
    const before = row === undefined ? null : yield* Effect.fromResult(BlockRows.groupedBlock(session, row, instants))
    const parts = block.parts.map(partOf)
    if (before === null && parts.length === 0) continue
    const from = lateFrom(block, { before, parts }, begun)
    if (from === null) foldings.push(onward(session, block.blockNo, { before, parts, compare }))
    else late.set(block.blockNo, from)
  }
  if (late.size > 0) foldings.push(...(yield* again(session, late, stored)))
  yield* save(session, foldings)
  return foldings.flatMap(({ transitions }) => transitions)
})

/**
 * Replaces all computed values of blocks by the fold of their chunks, which starts empty or at the base of the dropped
 * executions; yields the failed executions in them. Fails when a chunk is damaged.
 */
export const refold = Effect.fnUntraced(function* (session: Session, blocks: ReadonlyArray<number>) {
  const failed: Array<Failed> = []
  const damaged: Array<Damage.Damage> = []
  const foldings: Array<Folding> = []
  const bases: Array<BlockRows.NewBase> = []
  yield* Rebuild.forEach(session, session, blocks, (blockNo, block) => {
    if (Result.isFailure(block)) {
      damaged.push(block.failure)
      return
    }
    const { executions, start } = block.success
    if (executions.length > 0) foldings.push(foldingOf(block.success))
    if (start !== null) bases.push(Bases.rowOf(start))
    for (const { at, conclusion, slot } of executions) if (conclusion === "failed") failed.push({ blockNo, slot, at })
  })
  yield* Damage.none(damaged)
  yield* BlockRows.remove(session, blocks)
  yield* save(session, foldings)
  yield* BlockRows.insertBases(session, bases)
  return failed
})

const foldingOf = ({ after, blockNo, chunks, start }: Rebuild.Rebuilt): Folding => {
  const before = start === null ? null : Bases.before(start)
  const facts = { rules: Replay.rules, baseAt: start?.at ?? null, since: chunks, newBase: null }
  return folding(blockNo, before, foldedOf(after), facts)
}

/** The number of blocks read and written by one statement. */
const blocksAtOnce = 512

/** The number of blocks folded before yielding to other requests; they take some milliseconds. */
const blocksPerTurn = 64

/** A block with new executions or changed chunks. */
interface Incoming {
  readonly blockNo: number
  readonly parts: Array<BlockPart>
  changedAt: Instant.Instant
}

/** A stored block and its new executions. */
interface Arrival {
  readonly before: BlockRows.GroupedBlock | null
  readonly parts: ReadonlyArray<Extension.Part>
}

type StoredRows = ReadonlyMap<number, BlockRows.StateRow>

/** A folded block; `steps` is present when stored closings must change. */
interface Folding {
  readonly transitions: ReadonlyArray<Transition.Transition>
  readonly before: Closings.Before | null
  readonly block: BlockRows.FoldedBlock
  readonly steps: ReadonlyArray<Replay.Step> | null
  readonly newBase: BlockRows.NewBase | null
}

const incoming = (parts: ReadonlyArray<BlockPart>, changed: ReadonlyArray<ChangedChunk>): Array<Incoming> => {
  const blocks = new Map<number, Incoming>()
  const at = (blockNo: number): Incoming => {
    const block = blocks.get(blockNo) ?? { blockNo, parts: [], changedAt: Infinity }
    blocks.set(blockNo, block)
    return block
  }
  for (const part of parts) at(part.blockNo).parts.push(part)
  for (const chunk of changed) {
    const block = at(chunk.block_no)
    block.changedAt = Math.min(block.changedAt, chunk.at)
  }
  return [...blocks.values()].sort((a, b) => a.blockNo - b.blockNo)
}

const partOf = (part: BlockPart): Extension.Part => {
  const { run, uploadNo } = part.upload
  const chunk = Replay.chunk(uploadNo, run.commitNo, ResultChunk.flagsOf(run.standing.judgement))
  return { chunk, executions: part.executions() }
}

/** The order of the executions to fold. */
const orderAmong = (parts: ReadonlyArray<BlockPart>): Order => {
  const reports = new Map(parts.map(({ upload }) => [upload.uploadNo, upload.report.id]))
  return Replay.order((upload) => reports.get(upload) ?? "")
}

type Order = ReturnType<typeof Replay.order>

/**
 * The earliest instant (inclusive) from which the block must be folded again; null when every new execution follows the
 * stored ones.
 */
const lateFrom = (
  { blockNo, changedAt }: Incoming,
  { before, parts }: Arrival,
  contradicted: ReadonlySet<number>
): Instant.Instant | null => {
  const baseAt = before?.baseAt ?? -Infinity
  const shapes = BlockGroups.shapesIn(before?.tests ?? noTests)
  let from = changedAt
  for (const { executions } of parts) {
    for (const { at, slot } of executions) {
      const shape = shapes[slot]
      const isLate =
        shape === undefined || before === null
          ? contradicted.has(placeOf(blockNo, slot))
          : at <= BlockGroups.foldedUntil(before.tests, shape, slot)
      if (at <= baseAt || isLate) from = Math.min(from, at)
    }
  }
  return Number.isFinite(from) ? from : null
}

const noTests = { groups: [] }

const placeOf = (blockNo: number, slot: number): number => blockNo * BlockCounts.slots + slot

/** The tests without executions on the default branch so far that have contradictions on other branches. */
const firstContradicted = Effect.fnUntraced(function* (
  session: Session,
  blocks: ReadonlyArray<Incoming>,
  stored: StoredRows
) {
  const ranges = blocks
    .filter(({ blockNo, parts }) => parts.length > 0 && !isFull(stored.get(blockNo)))
    .map(({ blockNo }) => ({ blockNo, after: null }))
  const found = yield* Contradictions.select(session, ranges)
  return new Set([...found].flatMap(([blockNo, list]) => list.map(({ slot }) => placeOf(blockNo, slot))))
})

/** Whether every test of a stored block has executions: then its totals count one at least. */
const isFull = (row: BlockRows.StateRow | undefined): boolean => row !== undefined && BlockCounts.isFull(row.counts)

const onward = (session: Session, blockNo: number, arrival: Arrival & { readonly compare: Order }): Folding => {
  const { before, compare, parts } = arrival
  const newBase = before === null ? null : baseBefore(session, before, parts)
  const { counts, day, steps, tests } = Extension.extend(before, parts, { compare, policy: session.policies.health })
  const facts = {
    rules: rulesAfter(before),
    baseAt: newBase?.at ?? before?.baseAt ?? null,
    since: newBase === null ? (before?.since ?? 0) + 1 : 1,
    newBase
  }
  const after = {
    counts,
    packed: BlockState.encodeGroups(tests),
    slotAt: (slot: number) => BlockGroups.at(tests, slot)
  }
  const closed = day === null ? null : Closings.afterDay(before, day)
  return folding(blockNo, before, { ...after, steps, closed }, facts)
}

/** A block folded with another version of the rules keeps its values until it is refolded from its chunks. */
const rulesAfter = (before: Pick<BlockRows.StoredBlock, "rules"> | null): number =>
  before === null ? Replay.rules : Math.min(before.rules, Replay.rules)

/**
 * The stored block as a new base. Null until enough chunks followed the last base, and when a new execution is not
 * later than all stored ones.
 */
const baseBefore = (
  session: Session,
  { blockNo, counts, packed, since, tests }: BlockRows.GroupedBlock,
  parts: Arrival["parts"]
): BlockRows.NewBase | null => {
  if (since < session.chunksPerBase) return null
  let at = -Infinity
  for (const group of tests.groups) {
    for (const slot of group.slots) at = Math.max(at, BlockGroups.foldedUntil(tests, group.shape, slot))
  }
  const isBehind = parts.every(({ executions }) => executions.every((execution) => execution.at > at))
  return isBehind ? { blockNo, at, counts, packed } : null
}

const again = Effect.fnUntraced(function* (
  session: Session,
  late: ReadonlyMap<number, Instant.Instant>,
  stored: StoredRows
) {
  const bases = yield* BlockRows.selectBases(session, late)
  yield* BlockRows.removeBases(session, late)
  const ranges = [...late.keys()].map((blockNo) => ({ blockNo, after: bases.get(blockNo)?.at ?? null }))
  const found = yield* ChunkRows.select(session, ranges)
  const contradictions = yield* Contradictions.select(session, ranges)
  const foldings: Array<Folding> = []
  for (const blockNo of late.keys()) {
    if (foldings.length % blocksPerTurn === 0) yield* Effect.yieldNow
    const base = bases.get(blockNo)
    const at = base?.at ?? null
    const others = contradictions.get(blockNo) ?? []
    const { chunks, compare, items } = yield* ChunkRows.unpack(session, found.get(blockNo) ?? [], at, others)
    const after = Replay.replay(base ?? Replay.empty, items, compare, session.policies.health)
    const row = stored.get(blockNo)
    const before = row === undefined ? null : yield* Effect.fromResult(BlockRows.storedBlock(session, row))
    const facts = { rules: rulesAfter(before), baseAt: at, since: chunks, newBase: null }
    foldings.push(folding(blockNo, before, foldedOf(after), facts))
  }
  return foldings
})

/** A block after a fold, packed; `closed` are its changed closings, or null where they follow from the steps. */
interface Folded extends Pick<Replay.Replayed, "counts" | "steps"> {
  readonly packed: Uint8Array
  readonly slotAt: (slot: number) => BlockState.Slot | undefined
  readonly closed: Closings.Changed | null
}

const foldedOf = ({ counts, slots, steps }: Replay.Replayed): Folded => ({
  counts,
  steps,
  packed: BlockState.encode(slots),
  slotAt: (slot) => slots[slot],
  closed: null
})

const folding = (
  blockNo: number,
  before: Closings.Before | null,
  { closed, counts, packed, slotAt, steps }: Folded,
  { newBase, ...facts }: Pick<BlockRows.StoredBlock, "rules" | "baseAt" | "since"> & Pick<Folding, "newBase">
): Folding => {
  const isSettled = closed !== null || Closings.firstDay(before, steps) === null
  const changed = isSettled ? (closed ?? Closings.after(before, new Map(), steps)) : { lastDay: 0, closings: new Map() }
  const transitions = Transition.between(blockNo, before?.counts ?? null, { counts, slotAt })
  return {
    transitions,
    before: isSettled || before === null ? null : totalsOf(before),
    block: { blockNo, ...facts, counts, packed, ...changed },
    steps: isSettled ? null : steps,
    newBase
  }
}

/** The totals alone: the tests of a block need not stay in memory. */
const totalsOf = ({ counts, lastDay }: Closings.Before): Closings.Before => ({ lastDay, counts })

const save = Effect.fnUntraced(function* (session: Session, foldings: ReadonlyArray<Folding>) {
  const from = new Map<number, number>()
  for (const { before, block, steps } of foldings) {
    const day = steps === null ? null : Closings.firstDay(before, steps)
    if (day !== null) from.set(block.blockNo, day)
  }
  const stored = yield* BlockRows.selectClosings(session, from)
  const blocks: Array<BlockRows.FoldedBlock> = []
  for (const { before, block, steps } of foldings.toSorted((a, b) => a.block.blockNo - b.block.blockNo)) {
    const known = stored.get(block.blockNo)
    const closings = known === undefined ? new Map() : yield* Effect.fromResult(known)
    blocks.push(steps === null ? block : { ...block, ...Closings.after(before, closings, steps) })
  }
  yield* BlockRows.save(session, blocks)
  yield* BlockRows.insertBases(
    session,
    foldings.flatMap(({ newBase }) => (newBase === null ? [] : [newBase]))
  )
})
