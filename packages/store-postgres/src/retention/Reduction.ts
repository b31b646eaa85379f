/** Drops the executions of blocks before a horizon: the state after them becomes the base of the block. */
import { type HealthPolicy, HealthSeries, Instant } from "@lazaret/domain"
import { Effect } from "effect"
import * as BlockRows from "../blocks/BlockRows.ts"
import * as ChunkRows from "../blocks/ChunkRows.ts"
import * as Contradictions from "../blocks/Contradictions.ts"
import * as Replay from "../blocks/Replay.ts"
import type { Session } from "../repository/Session.ts"
import * as BlockCounts from "../codec/BlockCounts.ts"
import type * as BlockState from "../codec/BlockState.ts"
import * as ResultChunk from "../codec/ResultChunk.ts"
import * as Parameter from "../database/Parameter.ts"
import * as Recalculation from "../append/Recalculation.ts"
import * as Bases from "../blocks/RetainedBases.ts"

/**
 * Drops the executions of blocks before a horizon, the start of a week, and yields the number of tests that were
 * removed. Fails when a block is damaged.
 */
export const reduce = Effect.fnUntraced(function* (
  session: Session,
  blocks: ReadonlyArray<number>,
  horizon: Instant.Instant
) {
  const bases = yield* Bases.selectIntact(session, blocks)
  const todo = blocks.filter((blockNo) => (bases.get(blockNo)?.at ?? -Infinity) < horizon - 1)
  const old = new Set((yield* selectOldBlocks(session, todo, horizon)).map((row) => row.block_no))
  const affected = todo.filter((blockNo) => bases.has(blockNo) || old.has(blockNo))
  if (affected.length === 0) return 0
  const reductions = yield* reductionsOf(session, affected, bases, horizon)
  yield* Bases.save(
    session,
    reductions.map(({ base }) => base)
  )
  yield* trim(
    session,
    reductions.filter(({ forgotten }) => forgotten.length === 0),
    horizon
  )
  const others = reductions.filter(({ forgotten }) => forgotten.length > 0).map(({ base }) => base.blockNo)
  if (others.length > 0) yield* Recalculation.refold(session, others)
  return yield* countNamed(
    session,
    reductions.flatMap(({ forgotten }) => forgotten)
  )
})

/** How many of the numbers are tests: that of a removed test does not count. */
const countNamed = ({ repositoryId, sql }: Session, tests: ReadonlyArray<number>) =>
  Effect.map(
    sql<{ readonly count: number }>`
      SELECT count(*)::int AS count
      FROM tests
      WHERE repository_id = ${repositoryId} AND test_no = ANY(${Parameter.int4s(tests)})`,
    ([row]) => row?.count ?? 0
  )

interface Reduction {
  readonly base: Bases.Base
  readonly forgotten: ReadonlyArray<number>
}

const reductionsOf = Effect.fnUntraced(function* (
  session: Session,
  blocks: ReadonlyArray<number>,
  bases: ReadonlyMap<number, Bases.Base>,
  horizon: Instant.Instant
) {
  const chunks = Map.groupBy(yield* selectOld(session, blocks, horizon), (row) => row.block_no)
  const contradictions = yield* Contradictions.select(
    session,
    blocks.map((blockNo) => ({ blockNo, after: bases.get(blockNo)?.at ?? null }))
  )
  const stored = yield* BlockRows.selectIntact(session, blocks)
  const reductions: Array<Reduction> = []
  for (const blockNo of blocks) {
    yield* Effect.yieldNow
    const base = bases.get(blockNo)
    const from = base === undefined ? null : Bases.under(base, session.defaultBranch)
    const others = (contradictions.get(blockNo) ?? []).filter(({ at }) => at < horizon)
    const folded = yield* fold(session, from, chunks.get(blockNo) ?? [], others)
    const now = stored.get(blockNo)?.slots ?? []
    const made = { ...folded, blockNo, at: horizon - 1, branch: session.defaultBranch }
    reductions.push(reductionOf(made, now, horizon))
  }
  return reductions
})

/** Keeps only tests that were executed since the horizon. */
const reductionOf = (
  { counts, series, slots, ...base }: Bases.Base,
  now: BlockState.BlockState,
  horizon: Instant.Instant
): Reduction => {
  const isKept = (slot: number): boolean => (now[slot]?.last.at ?? -Infinity) >= horizon
  const kept = BlockCounts.make()
  for (let slot = 0; slot < BlockCounts.slots; slot++) {
    if (isKept(slot)) BlockCounts.set(kept, slot, BlockCounts.get(counts, slot))
  }
  const keptSlots = slots.map((slot, index) => (isKept(index) ? slot : undefined))
  const keptSeries = Object.fromEntries(Object.entries(series).filter(([slot]) => isKept(Number(slot))))
  const forgotten = now.flatMap((slot, index) =>
    slot === undefined || isKept(index) ? [] : [base.blockNo * BlockCounts.slots + index]
  )
  return { base: { ...base, counts: kept, slots: keptSlots, series: keptSeries }, forgotten }
}

const fold = Effect.fnUntraced(function* (
  session: Session,
  base: Bases.Base | null,
  rows: ReadonlyArray<ChunkRows.ChunkRow>,
  contradictions: ReadonlyArray<Replay.FoldContradiction>
) {
  const exceptions = new Map<string, string | null>()
  const executions: Array<Replay.FoldExecution> = []
  for (const row of rows) {
    const chunk = ChunkRows.chunkOf(row)
    for (const packed of yield* Effect.fromResult(ChunkRows.executionsOf(session, row))) {
      const execution = Replay.executionOf(packed, chunk)
      executions.push(execution)
      if (packed.exceptionType !== null) exceptions.set(`${execution.slot} ${execution.id}`, packed.exceptionType)
    }
  }
  const items = [...executions, ...contradictions]
  const compare = yield* ChunkRows.order(session, items)
  const policy = session.policies.health
  const { counts, slots } = Replay.replay(base ?? Replay.empty, items, compare, policy)
  return { counts, slots, series: seriesAfter(base, items.sort(compare), exceptions, policy) }
})

const seriesAfter = (
  base: Bases.Base | null,
  sorted: ReadonlyArray<Replay.FoldItem>,
  exceptions: ReadonlyMap<string, string | null>,
  policy: HealthPolicy.HealthPolicy
): Bases.Base["series"] => {
  const series: { [slot: string]: Bases.Series } = { ...base?.series }
  for (const [slot, list] of Map.groupBy(sorted, (execution) => execution.slot)) {
    const before = base === null ? null : Bases.seriesOf(base, slot)
    const after = HealthSeries.advance(before, list, policy, (id) => exceptions.get(`${slot} ${id}`) ?? null)
    if (after !== null) series[slot] = { change: after.change, exceptionType: after.exceptionType }
  }
  return series
}

/** Removes the values computed from dropped executions only; the base replaces them. */
const trim = Effect.fnUntraced(function* (
  session: Session,
  reductions: ReadonlyArray<Reduction>,
  horizon: Instant.Instant
) {
  if (reductions.length === 0) return
  const { repositoryId, sql } = session
  const bases = reductions.map(({ base }) => base)
  const which = sql`
    WHERE repository_id = ${repositoryId} AND block_no = ANY(${Parameter.int4s(bases.map(({ blockNo }) => blockNo))})`
  const day = Instant.utcDay(horizon)
  yield* sql`DELETE FROM block_bases ${which} AND at < ${Parameter.instant(horizon)}`
  yield* BlockRows.insertBases(session, bases.map(Bases.rowOf))
  yield* sql`
    UPDATE block_state SET base_at = ${Parameter.instant(horizon - 1)}
    ${which} AND coalesce(base_at, '-infinity') < ${Parameter.instant(horizon)}`
  yield* sql`DELETE FROM block_days ${which} AND day < ${day}`
  yield* BlockRows.insertDays(
    session,
    bases.filter((base) => !Bases.isEmpty(base)).map(({ blockNo, counts }) => ({ blockNo, day: Bases.day, counts }))
  )
  yield* sql`DELETE FROM failed_days ${which} AND day < ${day}`
})

/** Chunks never span two weeks: those that begin before the horizon end before it. */
const selectOld = (
  { repositoryId, sql }: Session,
  blocks: ReadonlyArray<number>,
  horizon: Instant.Instant
) => sql<ChunkRows.ChunkRow>`
  SELECT n.block_no, c.at, c.upload_no, c.commit_no, c.flags, c.payload
  FROM unnest(${Parameter.int4s(blocks)}) AS n (block_no)
  CROSS JOIN LATERAL (
    SELECT at, upload_no, commit_no, flags, payload
    FROM result_chunks
    WHERE repository_id = ${repositoryId} AND block_no = n.block_no AND at < ${Parameter.instant(horizon)}
      AND flags & ${ResultChunk.flags.onDefaultBranch}::smallint <> 0
      AND at > coalesce(
        (
          SELECT b.at
          FROM retention_bases b
          WHERE b.repository_id = ${repositoryId} AND b.block_no = n.block_no
        ),
        '-infinity'
      )
    OFFSET 0
  ) c`

/** Includes uploads for other branches, because one of them may become the default branch. */
const selectOldBlocks = (
  { repositoryId, sql }: Session,
  blocks: ReadonlyArray<number>,
  horizon: Instant.Instant
) => sql<{ readonly block_no: number }>`
  SELECT n.block_no
  FROM unnest(${Parameter.int4s(blocks)}) AS n (block_no)
  CROSS JOIN LATERAL (
    SELECT at
    FROM result_chunks
    WHERE repository_id = ${repositoryId} AND block_no = n.block_no AND at < ${Parameter.instant(horizon)}
    LIMIT 1
  ) c`
