/** The totals of tests on the default branch before a day, from the totals at the close of days. */
import { type FailureFacts, Instant } from "@lazaret/domain"
import { Effect, Result } from "effect"
import * as BlockRows from "../blocks/BlockRows.ts"
import { slots } from "../codec/BlockCounts.ts"
import * as Parameter from "../database/Parameter.ts"
import * as Windows from "../reading/Windows.ts"
import type { Place } from "./TriageRuns.ts"

/** A test, and an instant of the day before which its executions count. */
export interface Wanted {
  readonly testNo: number
  readonly asOf: Instant.Instant
}

/** Finds the totals of one of the wanted tests: null where they are damaged. */
export const before = Effect.fnUntraced(function* (place: Place, wanted: ReadonlyArray<Wanted>) {
  const found = new Map<number, Windows.BlockWindows>()
  for (const [day, list] of Map.groupBy(wanted, ({ asOf }) => Instant.utcDay(asOf))) {
    const rows = yield* selectBlocks(place, [...new Set(list.map(({ testNo }) => blockOf(testNo)))])
    const read = rows.map((row) => ({ row, counts: BlockRows.totalsOf(place, row) }))
    const intact = read.flatMap(({ counts, row }) =>
      Result.isSuccess(counts) ? [{ blockNo: row.block_no, lastDay: row.last_day, counts: counts.success }] : []
    )
    const windows = new Map(yield* Windows.select(place, intact, { first: 0, last: day - 1 }))
    for (const { counts, row } of read) {
      if (Result.isFailure(counts)) windows.set(row.block_no, Result.fail(counts.failure))
    }
    found.set(day, windows)
  }
  return ({ asOf, testNo }: Wanted): FailureFacts.IdentityTotals | null => {
    const window = found.get(Instant.utcDay(asOf))?.get(blockOf(testNo))
    if (window === undefined) return { passed: 0, failed: 0 }
    if (Result.isFailure(window)) return null
    const { executions, failed, skipped } = Windows.test(window.success, testNo % slots)
    return { passed: executions - failed - skipped, failed }
  }
})

const blockOf = (testNo: number): number => Math.floor(testNo / slots)

const selectBlocks = ({ repositoryId, sql }: Place, blocks: ReadonlyArray<number>) => sql<{
  readonly block_no: number
  readonly last_day: number
  readonly counts: Uint8Array
}>`
  SELECT b.block_no, b.last_day, b.counts
  FROM unnest(${Parameter.int4s(blocks)}) AS n (block_no)
  CROSS JOIN LATERAL (
    SELECT block_no, last_day, counts
    FROM block_state
    WHERE repository_id = ${repositoryId} AND block_no = n.block_no
    OFFSET 0
  ) b`
