/** The executions of uploads as rows of packed chunks. */
import type { Execution, Instant } from "@lazaret/domain"
import { Slices } from "@lazaret/store"
import { Effect } from "effect"
import { slots } from "../codec/BlockCounts.ts"
import type { BlockPart, ChangedChunk } from "../blocks/BlockPart.ts"
import type { ChunkRow } from "../blocks/ChunkRows.ts"
import * as ResultChunk from "../codec/ResultChunk.ts"
import * as Parameter from "../database/Parameter.ts"
import type { Session } from "../repository/Session.ts"
import { unnumbered } from "./Tests.ts"
import { type NumberedUpload, ordinalsOf, type Upload } from "./Uploads.ts"

/** The executions of an upload for one block: indexes in the list of its executions. */
export interface UploadPart extends BlockPart {
  readonly upload: NumberedUpload
  readonly indexes: ReadonlyArray<number>
}

/** The executions of an upload by block, in the order of blocks. */
export const parts = (upload: NumberedUpload): Array<UploadPart> => {
  const byBlock = new Map<number, Array<number>>()
  let [before, list]: [number, Array<number>] = [-1, []]
  upload.places.tests.forEach((testNo, index) => {
    const blockNo = Math.floor(testNo / slots)
    // Reports list the tests of a block one after another.
    if (blockNo !== before) {
      list = byBlock.get(blockNo) ?? []
      byBlock.set(blockNo, list)
      before = blockNo
    }
    list.push(index)
  })
  return [...byBlock]
    .sort(([a], [b]) => a - b)
    .map(([blockNo, indexes]) => {
      const part = { upload, blockNo, indexes }
      return { ...part, executions: () => executionsOf(part) }
    })
}

const executionsOf = ({
  indexes,
  upload: { places, report }
}: Omit<UploadPart, "executions">): Array<ResultChunk.PackedExecution> => {
  const executions: Array<ResultChunk.PackedExecution> = []
  const ordinalOf = ordinalsOf(report)
  for (const index of indexes) {
    const execution = report.executions[index]
    if (execution === undefined) continue
    const place = { slot: (places.tests[index] ?? 0) % slots, ordinal: ordinalOf(execution) ?? 0 }
    executions.push(packedOf(execution, place, places.sources[index] ?? 0))
  }
  return executions
}

/** Writes the executions. */
export const insert = Effect.fnUntraced(function* (session: Session, all: ReadonlyArray<UploadPart>) {
  for (const some of Slices.byWeight(all, ({ indexes }) => indexes.length, resultsAtOnce)) {
    yield* insertRows(
      session,
      some.flatMap((part) => ResultChunk.pack(part.executions()).map((chunk) => rowOf(part, chunk)))
    )
  }
})

/** The number of results that are packed and written before other fibers run: some milliseconds. */
const resultsAtOnce = 16_384

const rowOf = ({ blockNo, upload: { run, uploadNo } }: UploadPart, chunk: ResultChunk.ResultChunk): ChunkRow => ({
  block_no: blockNo,
  at: chunk.at,
  upload_no: uploadNo,
  commit_no: run.commitNo,
  flags: runFlags(run),
  payload: chunk.payload
})

/** Writes chunks in one statement. */
export const insertRows = ({ repositoryId, sql }: Session, rows: ReadonlyArray<ChunkRow>) => sql`
  INSERT INTO result_chunks (at, repository_id, block_no, upload_no, commit_no, flags, payload)
  SELECT n.at, ${repositoryId}, n.block_no, n.upload_no, n.commit_no, n.flags, n.payload
  FROM unnest(
    ${Parameter.instants(rows.map((row) => row.at))},
    ${Parameter.int4s(rows.map((row) => row.block_no))},
    ${Parameter.int4s(rows.map((row) => row.upload_no))},
    ${Parameter.int4s(rows.map((row) => row.commit_no))},
    ${Parameter.int2s(rows.map((row) => row.flags))},
    ${Parameter.byteas(rows.map((row) => row.payload))}
  ) AS n (at, block_no, upload_no, commit_no, flags, payload)`

/** The flags that chunks have from their run. */
const runFlags = ({ onDefaultBranch, standing }: Upload["run"]): number =>
  (onDefaultBranch ? ResultChunk.flags.onDefaultBranch : 0) | ResultChunk.flagsOf(standing.judgement)

/** The same flags in SQL, for a row of `job_runs`. */
export const flagsOfRun = (sql: Session["sql"], run: string) =>
  sql.literal(
    `(${ResultChunk.flags.onDefaultBranch} * ${run}.on_default_branch::int` +
      ` + ${ResultChunk.flags.excused} * ${run}.excused::int + ${ResultChunk.flags.outage} * ${run}.is_outage::int` +
      ` + ${ResultChunk.flags.many} * ${run}.many_failed::int)::smallint`
  )

/** Updates the stored chunks of runs to the current flags of their runs, and yields the changed chunks. */
export const reflag = Effect.fnUntraced(function* (session: Session, runs: ReadonlyArray<number>) {
  const uploads = runs.length === 0 ? [] : yield* selectUploads(session, runs)
  return uploads.length === 0 ? [] : yield* updateFlags(session, uploads)
})

/** Updates all stored chunks of a repository to the current flags of their runs, and yields the changed chunks. */
export const reflagAll = ({ horizon, repositoryId, sql }: Session) => sql<ChangedChunk>`
  UPDATE result_chunks c
  SET flags = n.bits
  FROM (
    SELECT u.upload_no, ${flagsOfRun(sql, "r")} AS bits
    FROM uploads u
    JOIN job_runs r ON r.repository_id = u.repository_id AND r.run_no = u.run_no
    WHERE u.repository_id = ${repositoryId}
  ) n
  WHERE c.repository_id = ${repositoryId} AND c.upload_no = n.upload_no AND c.flags <> n.bits
    AND c.at >= ${Parameter.instant(horizon ?? 0)}
  RETURNING c.block_no, c.at`

interface FlaggedUpload {
  readonly upload_no: number
  readonly earliest_at: Instant.Instant
  readonly latest_at: Instant.Instant
  readonly bits: number
}

const selectUploads = ({ repositoryId, sql }: Session, runs: ReadonlyArray<number>) => sql<FlaggedUpload>`
  SELECT u.upload_no, u.earliest_at, u.latest_at, ${flagsOfRun(sql, "r")} AS bits
  FROM unnest(${Parameter.int4s(runs)}) AS n (run_no)
  CROSS JOIN LATERAL (
    SELECT on_default_branch, excused, is_outage, many_failed
    FROM job_runs
    WHERE repository_id = ${repositoryId} AND run_no = n.run_no
    OFFSET 0
  ) r
  CROSS JOIN LATERAL (
    SELECT upload_no, earliest_at, latest_at
    FROM uploads
    WHERE repository_id = ${repositoryId} AND run_no = n.run_no
    OFFSET 0
  ) u`

/** Restricts the search to the weekly partitions that the uploads span. */
const updateFlags = (
  { horizon, repositoryId, sql }: Session,
  uploads: ReadonlyArray<FlaggedUpload>
) => sql<ChangedChunk>`
  UPDATE result_chunks c
  SET flags = n.bits
  FROM unnest(
    ${Parameter.int4s(uploads.map((upload) => upload.upload_no))},
    ${Parameter.int2s(uploads.map((upload) => upload.bits))}
  ) AS n (upload_no, bits)
  WHERE c.repository_id = ${repositoryId} AND c.upload_no = n.upload_no AND c.flags <> n.bits
    AND c.at >= ${Parameter.instant(Math.max(horizon ?? 0, Math.min(...uploads.map((each) => each.earliest_at))))}
    AND c.at <= ${Parameter.instant(uploads.reduce((latest, upload) => Math.max(latest, upload.latest_at), -Infinity))}
  RETURNING c.block_no, c.at`

const packedOf = (
  execution: Execution.Execution,
  { ordinal, slot }: Pick<ResultChunk.PackedExecution, "slot" | "ordinal">,
  source: number
): ResultChunk.PackedExecution => {
  const isNumbered = source !== unnumbered
  return {
    slot,
    ordinal,
    at: execution.at,
    durationMs: execution.durationMs,
    conclusion: execution.conclusion,
    flaky: execution.flaky,
    reruns: execution.reruns,
    exceptionType: execution.exception?.type ?? null,
    source: isNumbered ? source : null,
    filepath: isNumbered ? null : execution.filepath,
    functionName: isNumbered ? null : execution.functionName
  }
}
