/** The rows of failed executions that were recorded before there were any, from the packed results. */
import { Effect, Result } from "effect"
import { slots } from "../codec/BlockCounts.ts"
import type * as ResultChunk from "../codec/ResultChunk.ts"
import * as ChunkRows from "../blocks/ChunkRows.ts"
import * as UploadFacts from "../blocks/UploadFacts.ts"
import * as Parameter from "../database/Parameter.ts"
import type { Session } from "../repository/Session.ts"

/**
 * Adds the executions with a failed attempt that are missing in `failed_executions`; `runs` is the run of each upload.
 *
 * **Details**
 *
 * Packed results have no message: the rows have neither message nor signature. Rows that are there stay as they are.
 * Damaged chunks are left out.
 */
export const fill = Effect.fnUntraced(function* (
  session: Session,
  chunks: ReadonlyArray<ChunkRows.ChunkRow>,
  runs: ReadonlyMap<number, number>
) {
  const failed = chunks.flatMap((row) => {
    const executions = Result.getOrElse(ChunkRows.executionsOf(session, row), () => none)
    return executions
      .filter(({ conclusion, flaky }) => conclusion === "failed" || flaky)
      .map((packed) => ({ packed, testNo: row.block_no * slots + packed.slot, uploadNo: row.upload_no }))
  })
  const numbers = new Set(failed.map(({ uploadNo }) => uploadNo))
  const { uploads } = yield* UploadFacts.select(session.sql, session.repositoryId, numbers)
  const rows = failed.flatMap(({ packed, testNo, uploadNo }): ReadonlyArray<Row> => {
    const reportId = uploads.get(uploadNo)?.report_id
    const runNo = runs.get(uploadNo)
    return reportId === undefined || runNo === undefined
      ? []
      : [{ packed, testNo, uploadNo, runNo, id: `${reportId}.${packed.ordinal}` }]
  })
  if (rows.length > 0) yield* insert(session, rows)
})

const none: ReadonlyArray<ResultChunk.PackedExecution> = []

interface Row {
  readonly packed: ResultChunk.PackedExecution
  readonly testNo: number
  readonly uploadNo: number
  readonly runNo: number
  readonly id: string
}

const insert = ({ repositoryId, sql }: Session, rows: ReadonlyArray<Row>) => sql`
  INSERT INTO failed_executions (
    repository_id, test_no, at, execution_id, run_no, upload_no, is_failed, reruns, exception_type, filepath
  )
  SELECT ${repositoryId}, n.*
  FROM unnest(
    ${Parameter.int4s(rows.map(({ testNo }) => testNo))},
    ${Parameter.instants(rows.map(({ packed }) => packed.at))},
    ${Parameter.texts(rows.map(({ id }) => id))},
    ${Parameter.int4s(rows.map(({ runNo }) => runNo))},
    ${Parameter.int4s(rows.map(({ uploadNo }) => uploadNo))},
    ${Parameter.bools(rows.map(({ packed }) => packed.conclusion === "failed"))},
    ${Parameter.int4s(rows.map(({ packed }) => packed.reruns))},
    ${Parameter.texts(rows.map(({ packed }) => packed.exceptionType))},
    ${Parameter.texts(rows.map(({ packed }) => packed.filepath))}
  ) AS n (test_no, at, execution_id, run_no, upload_no, is_failed, reruns, exception_type, filepath)
  ORDER BY n.test_no, n.at
  ON CONFLICT DO NOTHING`
