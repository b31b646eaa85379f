/**
 * Damaged blocks, recomputed from their chunks.
 *
 * Queries for many tests use these, so that one damaged block does not make them fail. A query for one test of the
 * block fails instead. The damage stays in the database until a refold. A block with a damaged chunk cannot be recomputed:
 * queries for many tests leave its tests out.
 */
import { Effect, Result } from "effect"
import type { Where } from "../blocks/BlockRows.ts"
import type { BlockState } from "../codec/BlockState.ts"
import type * as FailedDay from "../codec/FailedDay.ts"
import * as BlockCounts from "../codec/BlockCounts.ts"
import * as Rebuild from "../blocks/Rebuild.ts"
import * as Damage from "../database/Damage.ts"
import * as Windows from "./Windows.ts"

/** The computed values of a block over some days. */
export interface Repaired {
  readonly slots: BlockState
  readonly window: Windows.BlockWindow
  readonly failures: ReadonlyMap<number, FailedDay.FailedDay>
}

/**
 * Folds damaged blocks, given by number, from their chunks, and logs the damage. A block with a damaged chunk comes without
 * tests.
 */
export const select = Effect.fnUntraced(function* (
  where: Where,
  rules: Rebuild.Rules,
  damaged: ReadonlyMap<number, Damage.Damage>,
  days: Windows.Days
) {
  const repaired = new Map<number, Repaired>()
  const lost: Array<Damage.Damage> = []
  yield* Rebuild.forEach(where, rules, [...damaged.keys()], (blockNo, block) => {
    if (Result.isFailure(block)) lost.push(block.failure)
    repaired.set(blockNo, Result.isFailure(block) ? withoutTests(blockNo, days) : repairedOf(block.success, days))
  })
  yield* Damage.logAll(where, [...damaged.values(), ...lost])
  return repaired
})

const withoutTests = (blockNo: number, days: Windows.Days): Repaired => {
  const counts = BlockCounts.make()
  const window = Windows.windowOf({ blockNo, counts, lastDay: 0 }, days, () => Result.succeed(counts))
  return { slots: [], window: Result.getOrThrow(window), failures: new Map() }
}

const repairedOf = (block: Rebuild.Rebuilt, days: Windows.Days): Repaired => {
  const { closings, lastDay } = Rebuild.closingsOf(block)
  const { counts, slots } = block.after
  const closed = (day: number) => {
    const last = [...closings.keys()].filter((each) => each <= day).reduce((a, b) => Math.max(a, b), -Infinity)
    return Result.succeed(closings.get(last) ?? BlockCounts.make())
  }
  const window = Result.getOrThrow(Windows.windowOf({ blockNo: block.blockNo, counts, lastDay }, days, closed))
  return { slots, window, failures: Rebuild.failuresOf(block) }
}
