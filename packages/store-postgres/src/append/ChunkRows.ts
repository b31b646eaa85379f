/**
 * Chunks of the default branch as they are read back for a fold.
 *
 * @since 0.1.0
 */
import type { Instant } from "@lazaret/domain"
import { Effect, Result } from "effect"
import type { LayoutError } from "../codec/LayoutError.ts"
import * as Refusal from "../codec/Refusal.ts"
import * as ResultChunk from "../codec/ResultChunk.ts"
import * as Parameter from "../Parameter.ts"
import * as Replay from "./Replay.ts"
import type { Session } from "./Session.ts"
import * as Uploads from "./Uploads.ts"

/**
 * What is to be read: the executions of a block that finished after an instant; null for all of them.
 *
 * @category models
 * @since 0.1.0
 */
export interface Wanted {
  readonly blockNo: number
  readonly after: Instant.Instant | null
}

/**
 * The executions of a block, and how many chunks they were in.
 *
 * @category models
 * @since 0.1.0
 */
export interface BlockExecutions {
  readonly executions: ReadonlyArray<Replay.FoldExecution>
  readonly chunks: number
}

/**
 * Reads executions by block; a block without any is absent.
 *
 * @category operations
 * @since 0.1.0
 */
export const select = Effect.fnUntraced(function* (session: Session, wanted: ReadonlyArray<Wanted>) {
  const limits = new Map(wanted.map(({ after, blockNo }) => [blockNo, after]))
  const rows = yield* selectRows(session, wanted)
  const unpacked = yield* Refusal.allOrFail(rows, executionsOf)
  const blocks = new Map<number, { executions: Array<Replay.FoldExecution>; chunks: number }>()
  rows.forEach(({ block_no }, index) => {
    const after = limits.get(block_no) ?? null
    const executions = (unpacked[index] ?? []).filter(({ at }) => after === null || at > after)
    if (executions.length === 0) return
    const block = blocks.get(block_no) ?? { executions: [], chunks: 0 }
    for (const execution of executions) block.executions.push(execution)
    block.chunks += 1
    blocks.set(block_no, block)
  })
  const found: ReadonlyMap<number, BlockExecutions> = blocks
  return found
})

/**
 * The order of executions, for executions of any number of blocks: reads the ids that it needs.
 *
 * @category operations
 * @since 0.1.0
 */
export const order = Effect.fnUntraced(function* (
  session: Session,
  blocks: Iterable<ReadonlyArray<Replay.FoldExecution>>
) {
  const tied = new Set<number>()
  for (const executions of blocks) for (const upload of Replay.tied(executions)) tied.add(upload)
  const facts = tied.size === 0 ? [] : yield* Uploads.select(session.sql, session.repositoryId, [...tied])
  const reports = new Map(facts.map((row) => [row.upload_no, row.report_id]))
  return Replay.order((upload) => reports.get(upload) ?? "")
})

interface Row {
  readonly block_no: number
  readonly at: Instant.Instant
  readonly upload_no: number
  readonly commit_no: number
  readonly flags: number
  readonly payload: Uint8Array
  readonly details: ResultChunk.Details | null
}

const executionsOf = (row: Row): Result.Result<Array<Replay.FoldExecution>, LayoutError> => {
  const excused = (row.flags & ResultChunk.flags.excused) !== 0
  const chunk = { upload: row.upload_no, commit: row.commit_no, excused }
  return Result.map(ResultChunk.unpack(row), (all) => all.map((packed) => Replay.executionOf(packed, chunk)))
}

const beginning: Instant.Instant = -62_135_596_800_000

const selectRows = ({ repositoryId, sql }: Session, wanted: ReadonlyArray<Wanted>) => {
  const from = wanted.map(({ after }) => (after === null ? beginning : after - ResultChunk.span))
  const least = from.reduce((a, b) => Math.min(a, b), Infinity)
  return sql<Row>`
    SELECT c.block_no, c.at, c.upload_no, c.commit_no, c.flags, c.payload, c.details
    FROM unnest(
      ${Parameter.int4s(wanted.map(({ blockNo }) => blockNo))},
      ${Parameter.instants(from)}
    ) AS n (block_no, start)
    JOIN result_chunks c ON c.block_no = n.block_no AND c.at > n.start
    WHERE c.repository_id = ${repositoryId} AND c.at > ${Parameter.instant(Number.isFinite(least) ? least : beginning)}
      AND c.flags & 1::smallint = 1`
}
