/** Blocks recomputed from their chunks, independent of the stored computed values. */
import { type HealthPolicy, Instant, type Repository } from "@lazaret/domain"
import { Effect, Result } from "effect"
import type * as FailedDay from "../codec/FailedDay.ts"
import * as Damage from "../database/Damage.ts"
import * as Bases from "./RetainedBases.ts"
import type { Where } from "./BlockRows.ts"
import * as ChunkRows from "./ChunkRows.ts"
import * as Closings from "./Closings.ts"
import * as Contradictions from "./Contradictions.ts"
import * as Replay from "./Replay.ts"

/** The settings that the fold of a block depends on. */
export interface Rules {
  readonly defaultBranch: string
  readonly policies: { readonly health: HealthPolicy.HealthPolicy }
  readonly settings: Pick<Repository.RepositorySettings, "flakinessEvidence">
}

/**
 * A block after all its kept executions on the default branch.
 *
 * **Details**
 *
 * The fold starts at `start`, the base of the dropped executions, or null when none were dropped. `until` folds the
 * executions up to and including an instant.
 */
export interface Rebuilt extends ChunkRows.BlockExecutions {
  readonly blockNo: number
  readonly start: Bases.Base | null
  readonly after: Replay.Replayed
  readonly until: (at: Instant.Instant) => Replay.Block
}

/**
 * Folds blocks from their chunks and calls a visitor with each, one after another, so that the memory of one is free
 * before the next is unpacked. Stores nothing.
 */
export const forEach = Effect.fnUntraced(function* (
  where: Where,
  rules: Rules,
  blocks: ReadonlyArray<number>,
  visit: (blockNo: number, block: Result.Result<Rebuilt, Damage.Damage>) => void
) {
  const retained = yield* Bases.select(where, blocks)
  const ranges = blocks.map((blockNo) => ({ blockNo, after: startOf(retained.get(blockNo)) }))
  const chunks = yield* ChunkRows.select(where, ranges)
  const contradictions = yield* Contradictions.select({ ...where, settings: rules.settings }, ranges)
  for (const blockNo of blocks) {
    yield* Effect.yieldNow
    const stored = {
      blockNo,
      base: retained.get(blockNo),
      chunks: chunks.get(blockNo) ?? [],
      contradictions: contradictions.get(blockNo) ?? []
    }
    visit(blockNo, yield* Damage.caught(rebuild(where, rules, stored)))
  }
})

/** The totals of a block at the close of each day, and the day of its latest execution. */
export const closingsOf = ({ after, start }: Rebuilt): Closings.Changed => {
  // A block without kept executions has no totals per day.
  const before = start === null || after.steps.length === 0 ? null : Bases.before(start)
  return Closings.after(before, new Map(), after.steps)
}

/** The failures of a block by day. */
export const failuresOf = ({ executions }: Rebuilt): ReadonlyMap<number, FailedDay.FailedDay> => {
  const days = new Map<number, Map<number, number>>()
  for (const { at, conclusion, slot } of executions) {
    if (conclusion !== "failed") continue
    const day = days.get(Instant.utcDay(at)) ?? new Map<number, number>()
    day.set(slot, (day.get(slot) ?? 0) + 1)
    days.set(Instant.utcDay(at), day)
  }
  return days
}

interface Stored {
  readonly blockNo: number
  readonly base: Result.Result<Bases.Base, Damage.Damage> | undefined
  readonly chunks: ReadonlyArray<ChunkRows.ChunkRow>
  readonly contradictions: ReadonlyArray<Replay.FoldContradiction>
}

const startOf = (base: Stored["base"]): Instant.Instant | null =>
  base !== undefined && Result.isSuccess(base) ? base.success.at : null

const rebuild = Effect.fnUntraced(function* (
  where: Where,
  rules: Rules,
  { base, blockNo, chunks, contradictions }: Stored
) {
  const retained = base === undefined ? null : yield* Effect.fromResult(base)
  const start = retained === null ? null : Bases.under(retained, rules.defaultBranch)
  const found = yield* ChunkRows.unpack(where, chunks, start?.at ?? null, contradictions)
  const fold = (items: ReadonlyArray<Replay.FoldItem>) =>
    Replay.replay(start ?? Replay.empty, items, found.compare, rules.policies.health)
  const rebuilt: Rebuilt = {
    ...found,
    blockNo,
    start,
    after: fold(found.items),
    until: (at) => fold(found.items.filter((item) => item.at <= at))
  }
  return rebuilt
})
