/** The executions of single tests on the default branch. */
import type { Instant, TimeWindow } from "@lazaret/domain"
import { Effect, Result } from "effect"
import * as ChunkRows from "../blocks/ChunkRows.ts"
import * as Replay from "../blocks/Replay.ts"
import type { Where } from "../blocks/BlockRows.ts"
import type { Sql } from "../repository/Session.ts"
import * as UploadFacts from "../blocks/UploadFacts.ts"
import { slots } from "../codec/BlockCounts.ts"
import * as ResultChunk from "../codec/ResultChunk.ts"
import * as Damage from "../database/Damage.ts"
import * as Parameter from "../database/Parameter.ts"
import type { KnownTest } from "./KnownTests.ts"

/** An unpacked execution; its id and commit are surrogates. */
export interface TestExecution extends Replay.FoldExecution {
  readonly durationMs: number
  readonly exceptionType: string | null
  readonly source: number | null
  readonly filepath: string | null
  readonly functionName: string | null
}

/** Tests with their executions, each list in the order of executions. */
export type Lists = ReadonlyArray<readonly [KnownTest, ReadonlyArray<TestExecution>]>

/** All stored executions of tests. With a window: all executions in it, and some before and after it. */
export const select = Effect.fnUntraced(function* (
  sql: Sql,
  repositoryId: number,
  tests: ReadonlyArray<KnownTest>,
  window: TimeWindow.TimeWindow | null = null
) {
  const found = yield* selectReadable(sql, repositoryId, tests, window)
  yield* Damage.none(found.damaged)
  return found.tests
})

/** Reads like {@link select}, and leaves out the tests of blocks with a damaged chunk. */
export const selectReadable = Effect.fnUntraced(function* (
  sql: Sql,
  repositoryId: number,
  tests: ReadonlyArray<KnownTest>,
  window: TimeWindow.TimeWindow | null
) {
  const lists = new Map<number, Array<TestExecution>>(tests.map(({ blockNo, slot }) => [placeOf(blockNo, slot), []]))
  const damaged = new Map<number, Damage.Damage>()
  for (const row of yield* selectRows(sql, repositoryId, tests, window)) {
    const executions = executionsOf({ repositoryId }, row)
    if (Result.isFailure(executions)) damaged.set(row.block_no, executions.failure)
    else {
      const list = lists.get(placeOf(row.block_no, row.slot))
      for (const execution of executions.success) list?.push(execution)
    }
  }
  const compare = yield* orderOf(sql, repositoryId, lists.values())
  for (const list of lists.values()) list.sort(compare)
  const readable: Lists = tests.flatMap((test) =>
    damaged.has(test.blockNo) ? [] : [[test, lists.get(placeOf(test.blockNo, test.slot)) ?? []]]
  )
  return { tests: readable, damaged: [...damaged.values()] }
})

/** Several of the tests may be in one block. */
const placeOf = (blockNo: number, slot: number): number => blockNo * slots + slot

const orderOf = Effect.fnUntraced(function* (
  sql: Sql,
  repositoryId: number,
  lists: Iterable<ReadonlyArray<TestExecution>>
) {
  const tied = new Set<number>()
  for (const list of lists) for (const upload of Replay.tied(list)) tied.add(upload)
  const { uploads } = yield* UploadFacts.select(sql, repositoryId, tied)
  return Replay.order((upload) => uploads.get(upload)?.report_id ?? "")
})

interface Row {
  readonly block_no: number
  readonly slot: number
  readonly at: Instant.Instant
  readonly upload_no: number
  readonly commit_no: number
  readonly flags: number
  readonly payload: Uint8Array
}

/** A block holds a test at most once, because a block belongs to one job. */
const selectRows = (
  sql: Sql,
  repositoryId: number,
  tests: ReadonlyArray<KnownTest>,
  window: TimeWindow.TimeWindow | null
) => sql<Row>`
  SELECT n.block_no, n.slot, c.at, c.upload_no, c.commit_no, c.flags, c.payload
  FROM unnest(
    ${Parameter.int4s(tests.map(({ blockNo }) => blockNo))},
    ${Parameter.int4s(tests.map(({ slot }) => slot))}
  ) AS n (block_no, slot)
  CROSS JOIN LATERAL (
    SELECT at, upload_no, commit_no, flags, payload
    FROM result_chunks
    WHERE repository_id = ${repositoryId} AND block_no = n.block_no AND flags & ${ResultChunk.flags.onDefaultBranch}::smallint <> 0
      AND at > coalesce(
      (
        SELECT b.at
        FROM retention_bases b
        WHERE b.repository_id = ${repositoryId} AND b.block_no = n.block_no
      ),
      '-infinity'
    )
      ${window === null ? sql`` : overlaps(sql, window)}
    OFFSET 0
  ) c`

/** A chunk row stores the first instant of the chunk; the chunk spans less than `ResultChunk.span`. */
const overlaps = (sql: Sql, { end, start }: TimeWindow.TimeWindow) => sql`
  AND at > ${Parameter.instant(Math.max(0, start - ResultChunk.span))} AND at < ${Parameter.instant(end)}`

const executionsOf = (where: Pick<Where, "repositoryId">, row: Row) => {
  const chunk = ChunkRows.chunkOf(row)
  const unpacked = Damage.check(where, "chunk", row, ResultChunk.unpack(row, row.slot))
  return Result.map(unpacked, (all) =>
    all.map((packed): TestExecution => {
      const { durationMs, exceptionType, filepath, functionName, source } = packed
      return Object.assign(Replay.executionOf(packed, chunk), {
        durationMs,
        exceptionType,
        source,
        filepath,
        functionName
      })
    })
  )
}
