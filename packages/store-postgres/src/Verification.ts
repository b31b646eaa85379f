/** The comparison of everything that is stored as computed with what the executions that are kept say. */
import { Instant, Outage, Repository } from "@lazaret/domain"
import type { StoreError } from "@lazaret/store"
import { Effect } from "effect"
import type { SqlError } from "effect/sql"
import * as BlockRows from "./append/BlockRows.ts"
import * as ChunkRows from "./append/ChunkRows.ts"
import * as Closings from "./append/Closings.ts"
import * as Judgement from "./append/Judgement.ts"
import * as Replay from "./append/Replay.ts"
import * as BlockCounts from "./codec/BlockCounts.ts"
import * as BlockState from "./codec/BlockState.ts"
import * as FailedDay from "./codec/FailedDay.ts"
import * as Refusal from "./codec/Refusal.ts"
import * as Parameter from "./Parameter.ts"
import * as Bases from "./retention/Bases.ts"
import * as RepositorySettings from "./RepositorySettings.ts"
import * as RunTotals from "./RunTotals.ts"

/**
 * Something that is stored otherwise than it is computed.
 *
 * **Details**
 *
 * - `run`: what a job run adds up to, whether it is of the default branch, whether it is excused.
 * - `chunk`: the flags that chunks have from their run.
 * - `totals`, `health`: of the tests of a block. `closings`, `failures`: its totals and failures per day.
 * - `base`: an earlier state of a block, where a fold may start again.
 *
 * `place` names the run or the block.
 */
export interface Difference {
  readonly kind: "run" | "chunk" | "totals" | "health" | "closings" | "failures" | "base"
  readonly place: string
}

/** Every difference in a repository: none when the store keeps its word. To be run in a snapshot. */
export const verify = Effect.fnUntraced(function* (
  where: BlockRows.Where
): Effect.fn.Return<ReadonlyArray<Difference>, SqlError.SqlError | StoreError> {
  const settings = yield* RepositorySettings.select(where.sql, where.repositoryId)
  const differences: Array<Difference> = []
  const blocks = yield* selectBlockNumbers(where)
  for (let start = 0; start < blocks.length; start += blocksAtOnce) {
    const some = blocks.slice(start, start + blocksAtOnce)
    differences.push(...(yield* verifyBlocks(where, settings, some)))
  }
  differences.push(...(yield* verifyRuns(where, settings, yield* RunTotals.tally(where, blocks, settings.horizon))))
  for (const { run_id } of yield* selectStrayChunks(where, settings.horizon))
    differences.push({ kind: "chunk", place: `run ${run_id}` })
  return differences
})

const blocksAtOnce = 64

const verifyBlocks = Effect.fnUntraced(function* (
  where: BlockRows.Where,
  settings: RepositorySettings.RepositorySettings,
  blocks: ReadonlyArray<number>
) {
  const starts = yield* Bases.select(where, blocks)
  const chunks = yield* ChunkRows.select(
    where,
    blocks.map((blockNo) => ({ blockNo, after: starts.get(blockNo)?.at ?? null }))
  )
  const stored = yield* BlockRows.select(where, blocks)
  const closings = yield* BlockRows.selectClosings(where, new Map(blocks.map((block) => [block, beginning])))
  const failures = yield* selectFailures(where, blocks)
  const bases = yield* BlockRows.selectAllBases(where, blocks)
  const differences: Array<Difference> = []
  for (const blockNo of blocks) {
    yield* Effect.yieldNow
    const dropped = starts.get(blockNo)
    const start = dropped === undefined ? null : Bases.under(dropped, settings.defaultBranch)
    const found = yield* ChunkRows.unpack(where, chunks.get(blockNo) ?? [], start?.at ?? null)
    const fold = (executions: ReadonlyArray<Replay.FoldExecution>) =>
      Replay.replay(start ?? Replay.empty, executions, found.compare, settings.policies.health)
    const expected = fold(found.executions)
    const report = (kind: Difference["kind"], isSame: boolean): void => {
      if (!isSame) differences.push({ kind, place: `block ${blockNo}` })
    }
    const block = stored.get(blockNo)
    const { closings: days, lastDay } = Closings.after(beforeOf(start, expected), new Map(), expected.steps)
    report("totals", isSameBytes((block?.counts ?? Replay.empty.counts).bytes, expected.counts.bytes))
    report("totals", block === undefined || block.lastDay === lastDay)
    report("health", isSameBytes(block?.state ?? noState, BlockState.encode(expected.slots)))
    report("closings", isSameDays(closings.get(blockNo) ?? new Map(), days))
    report("failures", isSameFailures(failures.get(blockNo) ?? new Map(), failuresIn(found.executions)))
    for (const base of bases.get(blockNo) ?? []) {
      const until = fold(found.executions.filter(({ at }) => at <= base.at))
      report("base", isSameBytes(base.counts.bytes, until.counts.bytes))
      report("base", isSameBytes(BlockState.encode(base.slots), BlockState.encode(until.slots)))
    }
  }
  return differences
})

/** A block without kept executions has no totals per day. */
const beforeOf = (start: Bases.Base | null, { steps }: Replay.Replayed): Closings.Before | null =>
  start === null || steps.length === 0 ? null : Bases.before(start)

/** No execution is from before the epoch. */
const beginning = 0

const noState = BlockState.encode([])

const isSameBytes = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0

const isSameDays = (a: Closings.Closings, b: Closings.Closings): boolean =>
  a.size === b.size &&
  [...a].every(([day, counts]) => {
    const other = b.get(day)
    return other !== undefined && isSameBytes(BlockCounts.encodeClosing(counts), BlockCounts.encodeClosing(other))
  })

type FailedDays = ReadonlyMap<number, FailedDay.FailedDay>

const isSameFailures = (a: FailedDays, b: FailedDays): boolean =>
  a.size === b.size &&
  [...a].every(([day, failed]) => {
    const other = b.get(day)
    return other !== undefined && isSameBytes(FailedDay.encode(failed), FailedDay.encode(other))
  })

const failuresIn = (executions: ReadonlyArray<Replay.FoldExecution>): FailedDays => {
  const days = new Map<number, Map<number, number>>()
  for (const { at, conclusion, slot } of executions) {
    if (conclusion !== "failed") continue
    const day = days.get(Instant.utcDay(at)) ?? new Map<number, number>()
    day.set(slot, (day.get(slot) ?? 0) + 1)
    days.set(Instant.utcDay(at), day)
  }
  return days
}

const verifyRuns = Effect.fnUntraced(function* (
  where: BlockRows.Where,
  { defaultBranch, policies }: RepositorySettings.RepositorySettings,
  tally: RunTotals.Tally
) {
  const rows = yield* Judgement.selectAll(where)
  const differences: Array<Difference> = []
  for (const list of Map.groupBy(rows, (row) => row.job_no).values()) {
    const kept = new Map(list.map((row) => [row, RunTotals.of(row, tally)]))
    const ofDefaultBranch = list.filter((row) => isOfDefaultBranch(row, defaultBranch))
    const expected = ofDefaultBranch.map((row) => ({ ...Judgement.totalsOf(row), ...kept.get(row) }))
    const excused = Outage.excused(expected, policies.outage)
    for (const [row, totals] of kept) {
      const isSame =
        totals === null ||
        (RunTotals.isStored(row, totals) &&
          row.on_default_branch === isOfDefaultBranch(row, defaultBranch) &&
          row.excused === excused.has(Judgement.keyOf(row)))
      if (!isSame) differences.push({ kind: "run", place: `run ${row.run_id}` })
    }
  }
  return differences
})

const isOfDefaultBranch = (row: Judgement.RunRow, defaultBranch: string): boolean =>
  Repository.isDefaultBranch({ branch: row.branch, baseBranch: row.base_branch }, defaultBranch)

/** The numbers of the blocks of a repository. */
export const selectBlockNumbers = ({ repositoryId, sql }: BlockRows.Where) =>
  Effect.map(
    sql<{
      readonly blocks: number
    }>`SELECT next_block AS blocks FROM repository_heads WHERE repository_id = ${repositoryId}`,
    ([row]) => Array.from({ length: row?.blocks ?? 0 }, (_, block) => block)
  )

const selectFailures = Effect.fnUntraced(function* (
  { repositoryId, sql }: BlockRows.Where,
  blocks: ReadonlyArray<number>
) {
  const rows = yield* sql<{ readonly block_no: number; readonly day: number; readonly failures: Uint8Array }>`
    SELECT block_no, day, failures
    FROM failed_days
    WHERE repository_id = ${repositoryId} AND block_no = ANY(${Parameter.int4s(blocks)})`
  const unpacked = yield* Refusal.allOrFail(rows, (row) => FailedDay.decode(row.failures))
  const found = new Map<number, Map<number, FailedDay.FailedDay>>()
  rows.forEach((row, index) => {
    const days = found.get(row.block_no) ?? new Map<number, FailedDay.FailedDay>()
    found.set(row.block_no, days.set(row.day, unpacked[index] ?? new Map()))
  })
  return found
})

/** Chunks whose flags are not those of their run. */
const selectStrayChunks = ({ repositoryId, sql }: BlockRows.Where, horizon: Instant.Instant | null) => sql<{
  readonly run_id: string
}>`
  SELECT DISTINCT r.run_id COLLATE "C" AS run_id
  FROM result_chunks c
  JOIN uploads u ON u.repository_id = c.repository_id AND u.upload_no = c.upload_no
  JOIN job_runs r ON r.repository_id = u.repository_id AND r.run_no = u.run_no
  WHERE c.repository_id = ${repositoryId} AND c.at >= ${Parameter.instant(horizon ?? 0)}
    AND c.flags & 3::smallint <> r.on_default_branch::int + 2 * r.excused::int
  ORDER BY r.run_id COLLATE "C"`
