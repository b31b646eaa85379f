/** The executions of single tests on the default branch, cut out of their chunks. */
import type { Instant, TimeWindow } from "@lazaret/domain"
import { Effect, Result } from "effect"
import * as Replay from "../append/Replay.ts"
import type { Sql } from "../append/Session.ts"
import * as Uploads from "../append/Uploads.ts"
import { slots } from "../codec/BlockCounts.ts"
import type { LayoutError } from "../codec/LayoutError.ts"
import * as Refusal from "../codec/Refusal.ts"
import * as ResultChunk from "../codec/ResultChunk.ts"
import * as Parameter from "../Parameter.ts"
import type { KnownTest } from "./KnownTests.ts"

/** An execution as it was packed; its id and commit are surrogates. */
export interface TestExecution extends Replay.FoldExecution {
  readonly durationMs: number
  readonly exceptionType: string | null
  readonly source: number | null
  readonly filepath: string | null
  readonly functionName: string | null
}

/**
 * Everything that is kept of tests, each list in the order of executions. With a window, everything in it and some of what
 * is around it.
 */
export const select = Effect.fnUntraced(function* (
  sql: Sql,
  repositoryId: number,
  tests: ReadonlyArray<KnownTest>,
  window: TimeWindow.TimeWindow | null = null
) {
  const rows = yield* selectRows(sql, repositoryId, tests, window)
  const unpacked = yield* Refusal.allOrFail(rows, executionsOf)
  const lists = new Map<number, Array<TestExecution>>(tests.map(({ blockNo, slot }) => [placeOf(blockNo, slot), []]))
  rows.forEach(({ block_no, slot }, index) => {
    const list = lists.get(placeOf(block_no, slot))
    for (const execution of unpacked[index] ?? []) list?.push(execution)
  })
  const compare = yield* orderOf(sql, repositoryId, lists.values())
  for (const list of lists.values()) list.sort(compare)
  return tests.map((test): readonly [KnownTest, ReadonlyArray<TestExecution>] => [
    test,
    lists.get(placeOf(test.blockNo, test.slot)) ?? []
  ])
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
  const { uploads } = yield* Uploads.facts(sql, repositoryId, tied)
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
  readonly details: ReadonlyArray<ResultChunk.Detail | null> | null
}

/** A test is in one block once: a block belongs to one job. */
const selectRows = (
  sql: Sql,
  repositoryId: number,
  tests: ReadonlyArray<KnownTest>,
  window: TimeWindow.TimeWindow | null
) => sql<Row>`
  SELECT n.block_no, n.slot, c.at, c.upload_no, c.commit_no, c.flags, c.details -> n.slot::text AS details,
    CASE
      WHEN c.flags & 4::smallint = 0 THEN c.payload
      ELSE substring(c.payload FROM n.slot * 9 + 1 FOR 9) || substring(c.payload FROM 577)
    END AS payload
  FROM unnest(
    ${Parameter.int4s(tests.map(({ blockNo }) => blockNo))},
    ${Parameter.int4s(tests.map(({ slot }) => slot))}
  ) AS n (block_no, slot)
  CROSS JOIN LATERAL (
    SELECT at, upload_no, commit_no, flags, payload, details
    FROM result_chunks
    WHERE repository_id = ${repositoryId} AND block_no = n.block_no AND flags & 1::smallint = 1 AND at > coalesce(
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

/** A chunk is known by its first instant and spans less than {@link longest}. */
const overlaps = (sql: Sql, { end, start }: TimeWindow.TimeWindow) => sql`
  AND at > ${Parameter.instant(Math.max(0, start - longest))} AND at < ${Parameter.instant(end)}`

/** The instants in a chunk are 24 bits of milliseconds. */
const longest = 2 ** 24

const executionsOf = (row: Row): Result.Result<ReadonlyArray<TestExecution>, LayoutError> => {
  const chunk = Replay.chunk(row.upload_no, row.commit_no, (row.flags & ResultChunk.flags.excused) !== 0)
  const cut = { ...row, details: row.details === null ? null : { [row.slot]: row.details } }
  return Result.map(ResultChunk.unpack(cut, row.slot), (all) =>
    all.map((packed) => ({
      ...Replay.executionOf(packed, chunk),
      durationMs: packed.durationMs,
      exceptionType: packed.exceptionType,
      source: packed.source,
      filepath: packed.filepath,
      functionName: packed.functionName
    }))
  )
}
