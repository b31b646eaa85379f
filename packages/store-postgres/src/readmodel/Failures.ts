/** The failures of all tests of a repository by day. */
import { Effect, Result } from "effect"
import type { Where } from "../blocks/BlockRows.ts"
import * as FailedDays from "../blocks/FailedDays.ts"
import { slots } from "../codec/BlockCounts.ts"
import type * as FailedDay from "../codec/FailedDay.ts"
import type { Damage } from "../database/Damage.ts"
import * as Parameter from "../database/Parameter.ts"
import type { Days } from "../reading/Windows.ts"

/** Failures by day and block. */
export type Failures = ReadonlyMap<number, ReadonlyMap<number, FailedDay.FailedDay>>

/** The failures of some days. Given those of an earlier version, reads only the rows written since. */
export const load = Effect.fnUntraced(function* (
  where: Where,
  days: Days,
  earlier: { readonly before: Failures; readonly known: number } | null
) {
  const found = new Map<number, Map<number, FailedDay.FailedDay>>()
  const damaged = new Map<number, Damage>()
  for (const [day, blocks] of earlier?.before ?? []) found.set(day, new Map(blocks))
  for (const row of yield* select(where, days, earlier?.known ?? -1)) {
    const failures = FailedDays.failuresOf(where, row)
    if (Result.isFailure(failures)) damaged.set(row.block_no, failures.failure)
    else found.set(row.day, (found.get(row.day) ?? new Map()).set(row.block_no, failures.success))
  }
  return { failures: found, damaged }
})

/** Replaces the failures of a block. */
export const replace = (
  failures: Map<number, Map<number, FailedDay.FailedDay>>,
  blockNo: number,
  days: ReadonlyMap<number, FailedDay.FailedDay>
): void => {
  for (const blocks of failures.values()) blocks.delete(blockNo)
  for (const [day, failed] of days) failures.set(day, (failures.get(day) ?? new Map()).set(blockNo, failed))
}

/** The failures of the wanted tests (sorted by number) per day, oldest first. */
export const perDay = (failures: Failures, days: Days, tests: Int32Array): ReadonlyArray<number> => {
  const isWanted = new Uint8Array((tests.at(-1) ?? -1) + 1)
  // `for … of` takes 7 times as long, and this runs over all tests of a repository for every question.
  for (let index = 0; index < tests.length; index++) isWanted[tests[index] ?? 0] = 1
  return Array.from({ length: days.last - days.first + 1 }, (_, index) => {
    let sum = 0
    for (const [block, failed] of failures.get(days.first + index) ?? []) {
      for (const [slot, count] of failed) if (isWanted[block * slots + slot] === 1) sum += count
    }
    return sum
  })
}

const select = ({ repositoryId, sql }: Where, { first, last }: Days, version: number) => sql<FailedDays.FailedDayRow>`
  SELECT day, block_no, failures
  FROM failed_days
  WHERE repository_id = ${repositoryId} AND day BETWEEN ${first} AND ${last} AND version > ${Parameter.int8(version)}`
