/**
 * Brings blocks up to date with the executions of the default branch.
 *
 * In order, a block is folded on from what is stored. An execution that comes late, or that means something else since its
 * run is excused, sends the fold back to the latest base before it, from where the chunks are folded again.
 *
 * @since 0.1.0
 */
import type { Instant } from "@lazaret/domain"
import { Effect } from "effect"
import * as BlockRows from "./BlockRows.ts"
import * as ChunkRows from "./ChunkRows.ts"
import type { BlockPart, Touched } from "./Chunks.ts"
import * as Closings from "./Closings.ts"
import * as Replay from "./Replay.ts"
import type { Session } from "./Session.ts"

/**
 * Folds what uploads brought, all of it in the chunks already, and what was touched since.
 *
 * @category operations
 * @since 0.1.0
 */
export const fold = Effect.fnUntraced(function* (
  session: Session,
  parts: ReadonlyArray<BlockPart>,
  touched: ReadonlyArray<Touched>
) {
  const blocks = blocksOf(parts, touched)
  if (blocks.length === 0) return
  const stored = yield* BlockRows.select(
    session,
    blocks.map(({ blockNo }) => blockNo)
  )
  const late = new Map<number, Instant.Instant>()
  for (const block of blocks) {
    const from = lateFrom(block, stored.get(block.blockNo))
    if (from !== null) late.set(block.blockNo, from)
  }
  const replays = [
    ...onward(
      session,
      blocks.filter(({ blockNo }) => !late.has(blockNo)),
      { stored, compare: orderAmong(parts) }
    ),
    ...(late.size === 0 ? [] : yield* again(session, late, stored))
  ].sort((a, b) => a.blockNo - b.blockNo)
  yield* BlockRows.save(session, yield* close(session, replays))
  yield* BlockRows.insertBases(
    session,
    replays.flatMap(({ newBase }) => (newBase === null ? [] : [newBase]))
  )
})

/**
 * Folds blocks of which nothing computed is stored from the beginning.
 *
 * @category operations
 * @since 0.1.0
 */
export const refold = Effect.fnUntraced(function* (session: Session, blocks: ReadonlyArray<number>) {
  const found = yield* ChunkRows.select(
    session,
    blocks.map((blockNo) => ({ blockNo, after: null }))
  )
  const compare = yield* orderOf(session, found)
  const replays = [...found].map(([blockNo, { chunks, executions }]): Folding => ({
    blockNo,
    before: null,
    after: Replay.replay(Replay.empty, executions, compare, session.policies.health),
    baseAt: null,
    since: chunks,
    newBase: null
  }))
  yield* BlockRows.save(session, yield* close(session, replays))
  return found
})

/** A block is given a new base after this many chunks: so many are folded again for a late execution, or twice as many. */
const chunksPerBase = 8

/** A block that something has happened to. */
interface Incoming {
  readonly blockNo: number
  readonly executions: Array<Replay.FoldExecution>
  touchedAt: Instant.Instant
}

/** A block on its way from one stored state to the next. */
interface Folding {
  readonly blockNo: number
  readonly before: Closings.Before | null
  readonly after: Replay.Replayed
  readonly baseAt: Instant.Instant | null
  readonly since: number
  readonly newBase: BlockRows.NewBase | null
}

type StoredBlocks = ReadonlyMap<number, BlockRows.StoredBlock>

const blocksOf = (parts: ReadonlyArray<BlockPart>, touched: ReadonlyArray<Touched>): Array<Incoming> => {
  const blocks = new Map<number, Incoming>()
  const at = (blockNo: number): Incoming => {
    const block = blocks.get(blockNo) ?? { blockNo, executions: [], touchedAt: Infinity }
    blocks.set(blockNo, block)
    return block
  }
  for (const { blockNo, executions, upload } of parts) {
    const block = at(blockNo)
    const chunk = { upload: upload.uploadNo, commit: upload.run.commitNo, excused: upload.run.excused }
    for (const packed of executions) block.executions.push(Replay.executionOf(packed, chunk))
  }
  for (const chunk of touched) {
    const block = at(chunk.block_no)
    block.touchedAt = Math.min(block.touchedAt, chunk.at)
  }
  return [...blocks.values()].sort((a, b) => a.blockNo - b.blockNo)
}

/** The earliest instant from which on the block must be folded again; null when everything new follows what is stored. */
const lateFrom = (block: Incoming, stored: BlockRows.StoredBlock | undefined): Instant.Instant | null => {
  let from = block.touchedAt
  for (const { at, slot } of block.executions) {
    const last = stored?.slots[slot]?.last.at ?? -Infinity
    if (at <= last || at <= (stored?.baseAt ?? -Infinity)) from = Math.min(from, at)
  }
  return Number.isFinite(from) ? from : null
}

/** The order of the executions at hand. */
const orderAmong = (parts: ReadonlyArray<BlockPart>): Order => {
  const reports = new Map(parts.map(({ upload }) => [upload.uploadNo, upload.report.id]))
  return Replay.order((upload) => reports.get(upload) ?? "")
}

type Order = ReturnType<typeof Replay.order>

const onward = (
  session: Session,
  blocks: ReadonlyArray<Incoming>,
  { compare, stored }: { readonly compare: Order; readonly stored: StoredBlocks }
): Array<Folding> =>
  blocks.map(({ blockNo, executions }): Folding => {
    const before = stored.get(blockNo)
    const after = Replay.replay(before ?? Replay.empty, executions, compare, session.policies.health)
    const newBase = before === undefined ? null : baseBefore(blockNo, before, executions)
    return {
      blockNo,
      before: before ?? null,
      after,
      baseAt: newBase?.at ?? before?.baseAt ?? null,
      since: newBase === null ? (before?.since ?? 0) + 1 : 1,
      newBase
    }
  })

/** What is stored now becomes a base when it is time, and everything new is later than all of it. */
const baseBefore = (
  blockNo: number,
  before: BlockRows.StoredBlock,
  executions: ReadonlyArray<Replay.FoldExecution>
): BlockRows.NewBase | null => {
  if (before.since < chunksPerBase) return null
  const at = before.slots.reduce((latest, slot) => Math.max(latest, slot?.last.at ?? -Infinity), -Infinity)
  const isBehind = executions.every((execution) => execution.at > at)
  return isBehind ? { blockNo, at, counts: before.counts, packed: before.packed } : null
}

const again = Effect.fnUntraced(function* (
  session: Session,
  late: ReadonlyMap<number, Instant.Instant>,
  stored: StoredBlocks
) {
  const bases = yield* BlockRows.selectBases(session, late)
  yield* BlockRows.removeBases(session, late)
  const found = yield* ChunkRows.select(
    session,
    [...late.keys()].map((blockNo) => ({ blockNo, after: bases.get(blockNo)?.at ?? null }))
  )
  const compare = yield* orderOf(session, found)
  return [...late.keys()].map((blockNo): Folding => {
    const base = bases.get(blockNo)
    const { chunks = 0, executions = [] } = found.get(blockNo) ?? {}
    return {
      blockNo,
      before: stored.get(blockNo) ?? null,
      after: Replay.replay(base ?? Replay.empty, executions, compare, session.policies.health),
      baseAt: base?.at ?? null,
      since: chunks,
      newBase: null
    }
  })
})

const orderOf = (session: Session, found: ReadonlyMap<number, ChunkRows.BlockExecutions>) =>
  ChunkRows.order(
    session,
    [...found.values()].map(({ executions }) => executions)
  )

const close = Effect.fnUntraced(function* (session: Session, foldings: ReadonlyArray<Folding>) {
  const from = new Map<number, number>()
  for (const { after, before, blockNo } of foldings) {
    const day = Closings.firstDay(before, after.steps)
    if (day !== null) from.set(blockNo, day)
  }
  const known = yield* BlockRows.selectClosings(session, from)
  return foldings.map(({ after, baseAt, before, blockNo, since }): BlockRows.FoldedBlock => ({
    blockNo,
    counts: after.counts,
    slots: after.slots,
    baseAt,
    since,
    ...Closings.after(before, known.get(blockNo) ?? new Map(), after.steps)
  }))
})
