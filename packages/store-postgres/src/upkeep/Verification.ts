/** Compares all stored computed values with values recomputed from the stored executions. */
import { type Instant, Repository } from "@lazaret/domain"
import { Effect, Result } from "effect"
import * as BlockRows from "../blocks/BlockRows.ts"
import * as Chunks from "../append/Chunks.ts"
import type * as Closings from "../blocks/Closings.ts"
import * as FailedDayRows from "../blocks/FailedDays.ts"
import * as Judgement from "../append/Judgement.ts"
import * as Rebuild from "../blocks/Rebuild.ts"
import * as Replay from "../blocks/Replay.ts"
import * as BlockCounts from "../codec/BlockCounts.ts"
import * as BlockState from "../codec/BlockState.ts"
import * as FailedDay from "../codec/FailedDay.ts"
import * as ResultChunk from "../codec/ResultChunk.ts"
import * as Damage from "../database/Damage.ts"
import * as Parameter from "../database/Parameter.ts"
import * as RepositorySettings from "../repository/RepositorySettings.ts"
import * as RunTotals from "./RunTotals.ts"

/**
 * A stored value that differs from the recomputed one.
 *
 * **Details**
 *
 * - `run`: the outcomes of a job run, whether it is of the default branch, what is said of it.
 * - `chunk`: the flags that chunks have from their run, or executions that are damaged.
 * - `totals`, `health`: of the tests of a block. `closings`, `failures`: its totals and failures per day.
 * - `base`: an earlier state of a block, where a fold may start again.
 * - `rules`: the block was folded by the rules of another version.
 * - `retained`: the base of the dropped executions is damaged.
 *
 * `place` names the run or the block, and the damaged part of it.
 */
export interface Difference {
  readonly kind: Damage.Part | "run" | "rules"
  readonly place: string
}

/**
 * Every difference in a repository; empty when the stored values are right. Must run in a REPEATABLE READ transaction.
 */
export const verify = Effect.fnUntraced(function* (where: BlockRows.Where) {
  const settings = yield* RepositorySettings.select(where.sql, where.repositoryId)
  const differences: Array<Difference> = []
  const blocks = yield* selectBlockNumbers(where)
  for (let start = 0; start < blocks.length; start += blocksAtOnce) {
    const some = blocks.slice(start, start + blocksAtOnce)
    differences.push(...(yield* verifyBlocks(where, settings, some)))
  }
  const tally = yield* RunTotals.tally(where, blocks, settings.horizon)
  differences.push(...tally.damaged.map(damageOf))
  differences.push(...(yield* verifyRuns(where, settings, tally)))
  for (const { run_id } of yield* selectStrayChunks(where, settings.horizon))
    differences.push({ kind: "chunk", place: `run ${run_id}` })
  return differences
})

const blocksAtOnce = 64

const damageOf = (damage: Damage.Damage): Difference => ({
  kind: damage.part,
  place: `${Damage.placeOf(damage)} (damaged: ${Damage.faultOf(damage)})`
})

const verifyBlocks = Effect.fnUntraced(function* (
  where: BlockRows.Where,
  settings: RepositorySettings.RepositorySettings,
  blocks: ReadonlyArray<number>
) {
  const stored: StoredBlocks = {
    states: yield* BlockRows.selectRows(where, blocks),
    closings: yield* BlockRows.selectClosings(where, new Map(blocks.map((block) => [block, beginning]))),
    failures: yield* selectFailures(where, blocks),
    bases: yield* BlockRows.selectAllBases(where, blocks)
  }
  const differences: Array<Difference> = []
  yield* Rebuild.forEach(where, settings, blocks, (_, block) => {
    if (Result.isSuccess(block)) differences.push(...differencesIn(where, block.success, stored))
    // Damaged chunks, including those of other branches, are reported with the runs.
    else if (block.failure.part !== "chunk") differences.push(damageOf(block.failure))
  })
  return differences
})

/** The stored computed values of blocks. */
interface StoredBlocks {
  readonly states: ReadonlyMap<number, BlockRows.StateRow>
  readonly closings: ReadonlyMap<number, Result.Result<Closings.Closings, Damage.Damage>>
  readonly failures: ReadonlyMap<number, Result.Result<FailedDays, Damage.Damage>>
  readonly bases: ReadonlyMap<number, ReadonlyArray<Result.Result<BlockRows.Base, Damage.Damage>>>
}

const differencesIn = (
  where: BlockRows.Where,
  rebuilt: Rebuild.Rebuilt,
  stored: StoredBlocks
): ReadonlyArray<Difference> => {
  const { after, blockNo } = rebuilt
  const place = `block ${blockNo}`
  const differences: Array<Difference> = []
  const compare = <A>(
    kind: Difference["kind"],
    found: Result.Result<A, Damage.Damage>,
    isSame: (found: A) => boolean
  ) => {
    if (Result.isFailure(found)) differences.push(damageOf(found.failure))
    else if (!isSame(found.success)) differences.push({ kind, place })
  }
  const row = stored.states.get(blockNo)
  const { closings, lastDay } = Rebuild.closingsOf(rebuilt)
  const totals = row === undefined ? Result.succeed(Replay.empty.counts) : BlockRows.totalsOf(where, row)
  compare(
    "totals",
    totals,
    ({ bytes }) => isSameBytes(bytes, after.counts.bytes) && (row?.last_day ?? lastDay) === lastDay
  )
  const slots = row === undefined ? Result.succeed([]) : BlockRows.slotsOf(where, row)
  compare("health", slots, (found) => isSameTests(found, after.slots))
  compare("rules", Result.succeed(row?.rules ?? Replay.rules), (rules) => rules === Replay.rules)
  compare("closings", stored.closings.get(blockNo) ?? noDays, (found) => isSameDays(found, closings))
  compare("failures", stored.failures.get(blockNo) ?? noDays, (found) =>
    isSameFailures(found, Rebuild.failuresOf(rebuilt))
  )
  for (const base of stored.bases.get(blockNo) ?? []) {
    compare("base", base, ({ at, counts, slots: tests }) => {
      const until = rebuilt.until(at)
      return isSameBytes(counts.bytes, until.counts.bytes) && isSameTests(tests, until.slots)
    })
  }
  return differences
}

const noDays = Result.succeed(new Map<never, never>())

/** Every execution finished at or after the epoch. */
const beginning = 0

const isSameTests = (a: BlockState.BlockState, b: BlockState.BlockState): boolean =>
  isSameBytes(BlockState.encode(a), BlockState.encode(b))

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

const verifyRuns = Effect.fnUntraced(function* (
  where: BlockRows.Where,
  { defaultBranch, horizon, policies }: RepositorySettings.RepositorySettings,
  tally: RunTotals.Tally
) {
  const differences: Array<Difference> = []
  for (const { job_no } of yield* Judgement.selectJobs(where)) {
    const rows = yield* Judgement.selectOfJob(where, job_no)
    const kept = new Map(rows.map((row) => [row, RunTotals.of(row, tally)]))
    const judged = rows
      .filter((row) => isOfDefaultBranch(row, defaultBranch))
      .map((row) => expectedOf(row, kept.get(row) ?? null))
      // If the stored instant of a run is wrong, the instant of its executions counts.
      .filter(({ at }) => at >= (horizon ?? -Infinity))
    const judgedNos = judged.map(({ runNo }) => runNo)
    const before = yield* Judgement.stateBefore(where, job_no, horizon ?? -Infinity, judgedNos)
    const wrong = new Set(Judgement.changesAmong(before, judged, policies.outage).map(({ runNo }) => runNo))
    for (const [row, totals] of kept) {
      const isStray =
        !isOfDefaultBranch(row, defaultBranch) && ResultChunk.flagsOf(Judgement.standingOf(row).judgement) !== 0
      const isSame =
        totals === null ||
        (RunTotals.isStored(row, totals) &&
          row.on_default_branch === isOfDefaultBranch(row, defaultBranch) &&
          !isStray &&
          !wrong.has(row.run_no))
      if (!isSame) differences.push({ kind: "run", place: `run ${row.run_id}` })
    }
  }
  return differences
})

const expectedOf = (row: Judgement.RunRow, found: RunTotals.Totals | null): Judgement.JudgedRun => {
  const stored = Judgement.judgedOf(row)
  return found === null ? stored : { ...stored, at: found.totals.at, passed: found.passed, failed: found.failed }
}

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

const selectFailures = ({ repositoryId, sql }: BlockRows.Where, blocks: ReadonlyArray<number>) =>
  Effect.map(
    sql<FailedDayRows.FailedDayRow>`
      SELECT block_no, day, failures
      FROM failed_days
      WHERE repository_id = ${repositoryId} AND block_no = ANY(${Parameter.int4s(blocks)})`,
    (rows) =>
      new Map(
        [...Map.groupBy(rows, (row) => row.block_no)].map(([blockNo, days]) => {
          const failures = Result.all(days.map((row) => FailedDayRows.failuresOf({ repositoryId }, row)))
          return [
            blockNo,
            Result.map(failures, (all) => new Map(days.map(({ day }, index) => [day, all[index] ?? new Map()])))
          ]
        })
      )
  )

/** Chunks whose flags differ from those of their run. */
const selectStrayChunks = ({ repositoryId, sql }: BlockRows.Where, horizon: Instant.Instant | null) => sql<{
  readonly run_id: string
}>`
  SELECT DISTINCT r.run_id COLLATE "C" AS run_id
  FROM result_chunks c
  JOIN uploads u ON u.repository_id = c.repository_id AND u.upload_no = c.upload_no
  JOIN job_runs r ON r.repository_id = u.repository_id AND r.run_no = u.run_no
  WHERE c.repository_id = ${repositoryId} AND c.at >= ${Parameter.instant(horizon ?? 0)}
    AND c.flags <> ${Chunks.flagsOfRun(sql, "r")}
  ORDER BY r.run_id COLLATE "C"`
