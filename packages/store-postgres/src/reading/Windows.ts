/**
 * What the executions of some days add up to: the totals at the end of the last day less those at the close of the day
 * before the first.
 *
 * @since 0.1.0
 */
import { Instant, type HealthPolicy } from "@lazaret/domain"
import { Effect } from "effect"
import type { Sql } from "../append/Session.ts"
import * as BlockCounts from "../codec/BlockCounts.ts"
import * as Refusal from "../codec/Refusal.ts"
import * as Parameter from "../Parameter.ts"

/**
 * UTC days, both included.
 *
 * @category models
 * @since 0.1.0
 */
export interface Days {
  readonly first: number
  readonly last: number
}

/**
 * A block over some days: its totals at their end, and before their start.
 *
 * @category models
 * @since 0.1.0
 */
export interface BlockWindow {
  readonly blockNo: number
  readonly latest: BlockCounts.BlockCounts
  readonly end: BlockCounts.BlockCounts
  readonly start: BlockCounts.BlockCounts
}

/**
 * What the executions of one test in these days add up to; the status is the latest one.
 *
 * @category accessors
 * @since 0.1.0
 */
export const test = ({ end, latest, start }: BlockWindow, slot: number): BlockCounts.Test => {
  const found = BlockCounts.difference(end, start, slot)
  return end === latest ? found : { ...found, status: BlockCounts.get(latest, slot).status }
}

/**
 * The active days that end with the day of `now`.
 *
 * @category constructors
 * @since 0.1.0
 */
export const active = (now: Instant.Instant, policy: HealthPolicy.HealthPolicy): Days => {
  const last = Instant.utcDay(now)
  return { first: last - policy.activeDays + 1, last }
}

/**
 * Blocks that were written after a version, or these blocks, over some days.
 *
 * @category operations
 * @since 0.1.0
 */
export const select = Effect.fnUntraced(function* (
  sql: Sql,
  repositoryId: number,
  which: { readonly after: number } | { readonly blocks: ReadonlyArray<number> },
  days: Days
) {
  const rows = yield* "after" in which
    ? selectAfter(sql, repositoryId, which.after)
    : selectBlocks(sql, repositoryId, which.blocks)
  const ends = yield* closings(
    sql,
    repositoryId,
    blocksWhere(rows, (row) => row.last_day > days.last),
    days.last
  )
  const starts = yield* closings(
    sql,
    repositoryId,
    blocksWhere(rows, (row) => row.last_day >= days.first),
    days.first - 1
  )
  return rows.map((row): BlockWindow => {
    const blockNo = row.block_no
    const latest = BlockCounts.of(row.counts)
    if (row.last_day < days.first) return { blockNo, latest, end: latest, start: latest }
    const end = row.last_day > days.last ? (ends.get(blockNo) ?? nothing) : latest
    return { blockNo, latest, end, start: starts.get(blockNo) ?? nothing }
  })
})

const nothing = BlockCounts.make()

interface Row {
  readonly block_no: number
  readonly last_day: number
  readonly counts: Uint8Array
}

const blocksWhere = (rows: ReadonlyArray<Row>, isWanted: (row: Row) => boolean): ReadonlyArray<number> =>
  rows.filter(isWanted).map((row) => row.block_no)

const selectAfter = (sql: Sql, repositoryId: number, version: number) => sql<Row>`
  SELECT block_no, last_day, counts
  FROM block_state
  WHERE repository_id = ${repositoryId} AND version > ${Parameter.int8(version)}`

const selectBlocks = (sql: Sql, repositoryId: number, blocks: ReadonlyArray<number>) => sql<Row>`
  SELECT block_no, last_day, counts
  FROM block_state
  WHERE repository_id = ${repositoryId} AND block_no = ANY(${Parameter.int4s(blocks)})`

/** The totals of blocks at the close of a day, or of the last one before it; absent where there is none. */
const closings = Effect.fnUntraced(function* (
  sql: Sql,
  repositoryId: number,
  blocks: ReadonlyArray<number>,
  day: number
) {
  if (blocks.length === 0) return new Map<number, BlockCounts.BlockCounts>()
  const rows = yield* selectClosings(sql, repositoryId, blocks, day)
  const counts = yield* Refusal.allOrFail(rows, (row) => BlockCounts.decodeClosing(row.counts))
  return new Map(rows.map((row, index) => [row.block_no, counts[index] ?? BlockCounts.make()]))
})

const selectClosings = (sql: Sql, repositoryId: number, blocks: ReadonlyArray<number>, day: number) => sql<{
  readonly block_no: number
  readonly counts: Uint8Array
}>`
  SELECT n.block_no, d.counts
  FROM unnest(${Parameter.int4s(blocks)}) AS n (block_no)
  CROSS JOIN LATERAL (
    SELECT p.counts
    FROM block_days p
    WHERE p.repository_id = ${repositoryId} AND p.block_no = n.block_no AND p.day <= ${day}
    ORDER BY p.day DESC
    LIMIT 1
  ) d`
