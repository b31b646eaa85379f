/** Chunks of the default branch as they are read back for a fold. */
import type { Instant } from "@lazaret/domain"
import { Effect, Result } from "effect"
import * as ResultChunk from "../codec/ResultChunk.ts"
import * as Damage from "../database/Damage.ts"
import * as Parameter from "../database/Parameter.ts"
import * as Replay from "./Replay.ts"
import type { Where } from "./BlockRows.ts"
import * as UploadFacts from "./UploadFacts.ts"

/** Selects the executions of a block that finished after an instant; null selects all. */
export interface BlockRange {
  readonly blockNo: number
  readonly after: Instant.Instant | null
}

/** A chunk as it is stored, still packed. */
export interface ChunkRow {
  readonly block_no: number
  readonly at: Instant.Instant
  readonly upload_no: number
  readonly commit_no: number
  readonly flags: number
  readonly payload: Uint8Array
}

/** The executions of a block, what is folded with them, how many chunks they were in, and their order. */
export interface BlockExecutions {
  readonly executions: ReadonlyArray<Replay.FoldExecution>
  readonly items: ReadonlyArray<Replay.FoldItem>
  readonly chunks: number
  readonly compare: ReturnType<typeof Replay.order>
}

/** Reads chunks by block; blocks without chunks are absent. */
export const select = (session: Where, wanted: ReadonlyArray<BlockRange>) =>
  Effect.map(selectRows(session, wanted), (rows): ReadonlyMap<number, ReadonlyArray<ChunkRow>> => {
    const blocks = new Map<number, Array<ChunkRow>>()
    for (const row of rows) {
      const block = blocks.get(row.block_no)
      if (block === undefined) blocks.set(row.block_no, [row])
      else block.push(row)
    }
    return blocks
  })

/**
 * The executions in the chunks of a block that finished after an instant (null: all of them), and the contradictions on
 * other branches that are folded with them.
 */
export const unpack = Effect.fnUntraced(function* (
  session: Where,
  rows: ReadonlyArray<ChunkRow>,
  after: Instant.Instant | null,
  contradictions: ReadonlyArray<Replay.FoldContradiction>
) {
  const executions: Array<Replay.FoldExecution> = []
  let chunks = 0
  for (const row of rows) {
    const unpacked = yield* Effect.fromResult(foldExecutionsOf(session, row))
    const wanted = after === null ? unpacked : unpacked.filter(({ at }) => at > after)
    if (wanted.length > 0) chunks += 1
    for (const execution of wanted) executions.push(execution)
  }
  const items = contradictions.length === 0 ? executions : [...executions, ...contradictions]
  const found: BlockExecutions = { executions, items, chunks, compare: yield* order(session, items) }
  return found
})

/** The order of executions. Reads the ids of reports where executions finished at the same instant. */
export const order = Effect.fnUntraced(function* (session: Where, items: ReadonlyArray<Replay.FoldItem>) {
  const { uploads } = yield* UploadFacts.select(session.sql, session.repositoryId, Replay.tied(items))
  return Replay.order((upload) => uploads.get(upload)?.report_id ?? "")
})

/** The executions in a chunk. */
export const executionsOf = (where: Where, row: ChunkRow) => Damage.check(where, "chunk", row, ResultChunk.unpack(row))

/** The fields that all executions of a chunk share. */
export const chunkOf = (row: Pick<ChunkRow, "upload_no" | "commit_no" | "flags">): Replay.Chunk =>
  Replay.chunk(row.upload_no, row.commit_no, row.flags)

const foldExecutionsOf = (where: Where, row: ChunkRow) => {
  const chunk = chunkOf(row)
  return Result.map(executionsOf(where, row), (all) => all.map((packed) => Replay.executionOf(packed, chunk)))
}

const beginning: Instant.Instant = -62_135_596_800_000

const selectRows = ({ repositoryId, sql }: Where, wanted: ReadonlyArray<BlockRange>) => {
  const from = wanted.map(({ after }) => (after === null ? beginning : after - ResultChunk.span))
  const least = from.reduce((a, b) => Math.min(a, b), Infinity)
  return sql<ChunkRow>`
    SELECT n.block_no, c.at, c.upload_no, c.commit_no, c.flags, c.payload
    FROM unnest(
      ${Parameter.int4s(wanted.map(({ blockNo }) => blockNo))},
      ${Parameter.instants(from)}
    ) AS n (block_no, start)
    CROSS JOIN LATERAL (
      SELECT at, upload_no, commit_no, flags, payload
      FROM result_chunks
      WHERE repository_id = ${repositoryId} AND block_no = n.block_no AND at > n.start
        AND at > ${Parameter.instant(Number.isFinite(least) ? least : beginning)} AND flags & ${ResultChunk.flags.onDefaultBranch}::smallint <> 0
      OFFSET 0
    ) c`
}
