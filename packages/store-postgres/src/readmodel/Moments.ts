/**
 * When the tests of a repository first ran, last failed and got their status, and how often they failed since, in columns indexed by the number of the test.
 *
 * They are in the packed health of a block, not in its totals. The read model loads them when a list asks for them, so that
 * search does not unpack health.
 */
import { Effect, Result } from "effect"
import * as BlockRows from "../blocks/BlockRows.ts"
import type { Where } from "../blocks/BlockRows.ts"
import { slots } from "../codec/BlockCounts.ts"
import type { BlockGroups } from "../codec/BlockGroups.ts"
import * as SlotInstants from "../codec/SlotInstants.ts"
import type { Damage } from "../database/Damage.ts"
import * as Parameter from "../database/Parameter.ts"

/** The columns at a version of the repository; NaN for a test that never failed, or has no executions. `row` is `State.row`. */
export interface Moments {
  readonly version: number
  readonly firstSeenAt: Float64Array
  readonly lastFailureAt: Float64Array
  readonly since: Float64Array
  readonly row: Float64Array
}

/** The columns without any test. */
export const empty: Moments = {
  version: -1,
  firstSeenAt: new Float64Array(0),
  lastFailureAt: new Float64Array(0),
  since: new Float64Array(0),
  row: new Float64Array(0)
}

/**
 * The columns, and the damaged blocks. Given those of an earlier version, reads only the blocks written since.
 *
 * **Gotchas**
 *
 * The columns of the earlier version are changed in place when they are long enough.
 */
export const load = Effect.fnUntraced(function* (where: Where, before: Moments, version: number) {
  const rows = yield* selectAfter(where, before.version)
  yield* Effect.yieldNow
  const size = rows.reduce((most, { block_no }) => Math.max(most, (block_no + 1) * slots), 0)
  const moments = {
    version,
    firstSeenAt: reserve(before.firstSeenAt, size),
    lastFailureAt: reserve(before.lastFailureAt, size),
    since: reserve(before.since, size),
    row: reserve(before.row, size)
  }
  const damaged = new Map<number, Damage>()
  const instants = SlotInstants.make()
  for (const row of rows) {
    const block = BlockRows.groupsOf(where, row, instants)
    if (Result.isFailure(block)) damaged.set(row.block_no, block.failure)
    else replace(moments, row.block_no, block.success)
  }
  return { moments, damaged }
})

/** Replaces the moments of the tests of a block. */
export const replace = (moments: Moments, blockNo: number, { groups, instants }: BlockGroups): void => {
  const start = blockNo * slots
  for (const column of [moments.firstSeenAt, moments.lastFailureAt, moments.since, moments.row]) {
    column.fill(Number.NaN, start, start + slots)
  }
  const { first, failed, trigger } = SlotInstants.field
  for (const { shape, slots: members } of groups) {
    for (const slot of members) {
      moments.firstSeenAt[start + slot] = instant(instants, first, slot)
      moments.lastFailureAt[start + slot] = instant(instants, failed, slot)
      moments.since[start + slot] = instant(instants, trigger, slot)
      moments.row[start + slot] = shape.state.row
    }
  }
}

const instant = (instants: SlotInstants.SlotInstants, field: number, slot: number): number => {
  const at = SlotInstants.at(instants, SlotInstants.place(field, slot))
  return at === SlotInstants.none ? Number.NaN : at
}

const reserve = (column: Float64Array, size: number): Float64Array => {
  if (column.length >= size) return column
  const larger = new Float64Array(Math.ceil(size * 1.2)).fill(Number.NaN)
  larger.set(column)
  return larger
}

const selectAfter = ({ repositoryId, sql }: Where, version: number) => sql<{
  readonly block_no: number
  readonly state: Uint8Array
}>`
  SELECT block_no, state
  FROM block_state
  WHERE repository_id = ${repositoryId} AND version > ${Parameter.int8(version)}`
