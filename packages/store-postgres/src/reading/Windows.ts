/**
 * What the executions of some days add up to: the totals at the end of the last day less those at the close of the day
 * before the first.
 */
import { Instant, type HealthPolicy } from "@lazaret/domain"
import { Effect } from "effect"
import type { StoredBlock } from "../append/BlockRows.ts"
import type { Sql } from "../append/Session.ts"
import * as BlockCounts from "../codec/BlockCounts.ts"
import * as Refusal from "../codec/Refusal.ts"
import * as Parameter from "../Parameter.ts"

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

/** What the executions of one test in these days add up to; the status is the latest one. */
export const test = ({ end, latest, start }: BlockWindow, slot: number): BlockCounts.Test => {
  const found = BlockCounts.difference(end, start, slot)
  return end === latest ? found : { ...found, status: BlockCounts.get(latest, slot).status }
}

/** The active days that end with the day of `now`. */
export const active = (now: Instant.Instant, policy: HealthPolicy.HealthPolicy): Days => {
  const last = Instant.utcDay(now)
  return { first: last - policy.activeDays + 1, last }
}

/** Blocks that were written after a version, over some days. */
export const after = (sql: Sql, repositoryId: number, version: number, days: Days) =>
  Effect.flatMap(selectAfter(sql, repositoryId, version), (rows) =>
    select(
      sql,
      repositoryId,
      rows.map((row) => ({ blockNo: row.block_no, lastDay: row.last_day, counts: BlockCounts.of(row.counts) })),
      days
    )
  )

/** Blocks as they are stored, over some days. */
export const select = Effect.fnUntraced(function* (
  sql: Sql,
  repositoryId: number,
  blocks: ReadonlyArray<Pick<StoredBlock, "blockNo" | "lastDay" | "counts">>,
  days: Days
) {
  const wanted = blocks.flatMap(({ blockNo, lastDay }) => [
    ...(lastDay > days.last ? [{ blockNo, day: days.last }] : []),
    ...(lastDay >= days.first ? [{ blockNo, day: days.first - 1 }] : [])
  ])
  const closed = yield* closings(sql, repositoryId, wanted)
  return blocks.map(({ blockNo, counts: latest, lastDay }): BlockWindow => {
    if (lastDay < days.first) return { blockNo, latest, end: latest, start: latest }
    const end = lastDay > days.last ? closed({ blockNo, day: days.last }) : latest
    return { blockNo, latest, end, start: closed({ blockNo, day: days.first - 1 }) }
  })
})

const nothing = BlockCounts.make()

interface Row {
  readonly block_no: number
  readonly last_day: number
  readonly counts: Uint8Array
}

const selectAfter = (sql: Sql, repositoryId: number, version: number) => sql<Row>`
  SELECT block_no, last_day, counts
  FROM block_state
  WHERE repository_id = ${repositoryId} AND version > ${Parameter.int8(version)}`

/** A block at the close of a day. */
interface Close {
  readonly blockNo: number
  readonly day: number
}

/** Finds the totals of blocks at the close of days, or of the last one before it; nothing where there is none. */
const closings = Effect.fnUntraced(function* (sql: Sql, repositoryId: number, wanted: ReadonlyArray<Close>) {
  const rows = wanted.length === 0 ? [] : yield* selectClosings(sql, repositoryId, wanted)
  const counts = yield* Refusal.allOrFail(rows, (row) => BlockCounts.decodeClosing(row.counts))
  const found = new Map(rows.map((row, index) => [`${row.block_no} ${row.day}`, counts[index]]))
  return ({ blockNo, day }: Close): BlockCounts.BlockCounts => found.get(`${blockNo} ${day}`) ?? nothing
})

const selectClosings = (sql: Sql, repositoryId: number, wanted: ReadonlyArray<Close>) => sql<{
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
