/**
 * The sums of the executions of some days: the totals at the end of the last day less those at the close of the day
 * before the first.
 */
import { Instant, type HealthPolicy } from "@lazaret/domain"
import { Effect, Result } from "effect"
import * as BlockRows from "../blocks/BlockRows.ts"
import type { StoredBlock, Where } from "../blocks/BlockRows.ts"
import * as BlockCounts from "../codec/BlockCounts.ts"
import type * as Damage from "../database/Damage.ts"
import * as Parameter from "../database/Parameter.ts"

/** UTC days, both included. */
export interface Days {
  readonly first: number
  readonly last: number
}

/** A block over some days: its totals at their end, and before their start. */
export interface BlockWindow {
  readonly blockNo: number
  readonly latest: BlockCounts.BlockCounts
  readonly end: BlockCounts.BlockCounts
  readonly start: BlockCounts.BlockCounts
}

/** The sum of the executions of one test in these days; the verdict is the latest one. */
export const test = ({ end, latest, start }: BlockWindow, slot: number): BlockCounts.Test => {
  const found = BlockCounts.difference(end, start, slot)
  if (end === latest) return found
  const { rerunsSince, status } = BlockCounts.get(latest, slot)
  return { ...found, rerunsSince, status }
}

/** The active days that end with the day of `now`. */
export const active = (now: Instant.Instant, policy: HealthPolicy.HealthPolicy): Days => {
  const last = Instant.utcDay(now)
  return { first: last - policy.activeDays + 1, last }
}

/** The fields of a block that {@link select} reads. */
export type Block = Pick<StoredBlock, "blockNo" | "lastDay" | "counts">

/** Blocks over some days by number, and those that are damaged. */
export type BlockWindows = ReadonlyMap<number, Result.Result<BlockWindow, Damage.Damage>>

/** Blocks that were written after a version, over some days. */
export const after = Effect.fnUntraced(function* (where: Where, version: number, days: Days) {
  const intact: Array<Block> = []
  const windows = new Map<number, Result.Result<BlockWindow, Damage.Damage>>()
  const rows = yield* selectAfter(where, version)
  yield* Effect.yieldNow
  for (const row of rows) {
    const counts = BlockRows.totalsOf(where, row)
    if (Result.isFailure(counts)) windows.set(row.block_no, Result.fail(counts.failure))
    else intact.push({ blockNo: row.block_no, lastDay: row.last_day, counts: counts.success })
  }
  for (const [blockNo, window] of yield* select(where, intact, days)) windows.set(blockNo, window)
  return windows
})

/** Blocks as they are stored, over some days. */
export const select = Effect.fnUntraced(function* (where: Where, blocks: ReadonlyArray<Block>, days: Days) {
  const wanted = blocks.flatMap(({ blockNo, lastDay }) => [
    ...(lastDay > days.last ? [{ blockNo, day: days.last }] : []),
    ...(lastDay >= days.first ? [{ blockNo, day: days.first - 1 }] : [])
  ])
  const closed = yield* closings(where, wanted)
  const windows: BlockWindows = new Map(
    blocks.map((block) => [block.blockNo, windowOf(block, days, (day) => closed({ blockNo: block.blockNo, day }))])
  )
  return windows
})

/** A block over some days; `closed` finds its totals at the close of a day, or of the last one before it. */
export const windowOf = <E>(
  { blockNo, counts: latest, lastDay }: Block,
  days: Days,
  closed: (day: number) => Result.Result<BlockCounts.BlockCounts, E>
): Result.Result<BlockWindow, E> => {
  if (lastDay < days.first) return Result.succeed({ blockNo, latest, end: latest, start: latest })
  const end = lastDay > days.last ? closed(days.last) : Result.succeed(latest)
  return Result.map(Result.all([end, closed(days.first - 1)]), ([last, start]) => ({
    blockNo,
    latest,
    end: last,
    start
  }))
}

const nothing = Result.succeed(BlockCounts.make())

interface Row {
  readonly block_no: number
  readonly last_day: number
  readonly counts: Uint8Array
}

const selectAfter = ({ repositoryId, sql }: Where, version: number) => sql<Row>`
  SELECT block_no, last_day, counts
  FROM block_state
  WHERE repository_id = ${repositoryId} AND version > ${Parameter.int8(version)}`

/** A block at the close of a day. */
interface Close {
  readonly blockNo: number
  readonly day: number
}

/** Finds the totals of blocks at the close of days, or of the last one before it; nothing without an earlier close. */
const closings = Effect.fnUntraced(function* (where: Where, wanted: ReadonlyArray<Close>) {
  const rows = wanted.length === 0 ? [] : yield* selectClosings(where, wanted)
  const found = new Map(rows.map((row) => [`${row.block_no} ${row.day}`, BlockRows.closingOf(where, row)]))
  return ({ blockNo, day }: Close) => found.get(`${blockNo} ${day}`) ?? nothing
})

const selectClosings = ({ repositoryId, sql }: Where, wanted: ReadonlyArray<Close>) => sql<{
  readonly block_no: number
  readonly day: number
  readonly counts: Uint8Array
}>`
  SELECT n.block_no, n.day, d.counts
  FROM unnest(
    ${Parameter.int4s(wanted.map(({ blockNo }) => blockNo))},
    ${Parameter.int4s(wanted.map(({ day }) => day))}
  ) AS n (block_no, day)
  CROSS JOIN LATERAL (
    SELECT p.counts
    FROM block_days p
    WHERE p.repository_id = ${repositoryId} AND p.block_no = n.block_no AND p.day <= n.day
    ORDER BY p.day DESC
    LIMIT 1
  ) d`
