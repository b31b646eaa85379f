/** The failures of all tests of a repository by day. */
import { Effect } from "effect"
import type { Sql } from "../append/Session.ts"
import { slots } from "../codec/BlockCounts.ts"
import * as FailedDay from "../codec/FailedDay.ts"
import * as Refusal from "../codec/Refusal.ts"
import * as Parameter from "../Parameter.ts"
import type { Days } from "../reading/Windows.ts"

/** Failures by day and block. */
export type Failures = ReadonlyMap<number, ReadonlyMap<number, FailedDay.FailedDay>>

/** The failures of some days; given those of an earlier version, reads only what was written since. */
export const load = Effect.fnUntraced(function* (
  sql: Sql,
  repositoryId: number,
  days: Days,
  earlier: { readonly before: Failures; readonly known: number } | null
) {
  const rows = yield* select(sql, repositoryId, days, earlier?.known ?? -1)
  const unpacked = yield* Refusal.allOrFail(rows, (row) => FailedDay.decode(row.failures))
  const found = new Map<number, Map<number, FailedDay.FailedDay>>()
  for (const [day, blocks] of earlier?.before ?? []) found.set(day, new Map(blocks))
  rows.forEach((row, index) => {
    const blocks = found.get(row.day) ?? new Map<number, FailedDay.FailedDay>()
    blocks.set(row.block_no, unpacked[index] ?? new Map())
    found.set(row.day, blocks)
  })
  const failures: Failures = found
  return failures
})

/** The failures of the tests that are wanted, which are in order, per day, oldest first. */
export const perDay = (failures: Failures, days: Days, tests: Int32Array): ReadonlyArray<number> => {
  const isWanted = new Uint8Array((tests.at(-1) ?? -1) + 1)
  for (const testNo of tests) isWanted[testNo] = 1
  return Array.from({ length: days.last - days.first + 1 }, (_, index) => {
    let sum = 0
    for (const [block, failed] of failures.get(days.first + index) ?? []) {
      for (const [slot, count] of failed) if (isWanted[block * slots + slot] === 1) sum += count
    }
    return sum
  })
}

const select = (sql: Sql, repositoryId: number, { first, last }: Days, version: number) => sql<{
  readonly day: number
  readonly block_no: number
  readonly failures: Uint8Array
}>`
  SELECT day, block_no, failures
  FROM failed_days
  WHERE repository_id = ${repositoryId} AND day BETWEEN ${first} AND ${last} AND version > ${Parameter.int8(version)}`
