/** The rows that change when executions move between tests. */
import type { Instant } from "@lazaret/domain"
import { Slices } from "@lazaret/store"
import { Effect } from "effect"
import type { ChunkRow } from "../blocks/ChunkRows.ts"
import * as Parameter from "../database/Parameter.ts"
import type { Session } from "../repository/Session.ts"
import * as Aliased from "./Aliased.ts"
import * as Chunks from "./Chunks.ts"

/** An upload with its run and the bounds of its instants. */
export interface UploadRow {
  readonly upload_no: number
  readonly run_no: number
  readonly report_id: string
  readonly earliest_at: Instant.Instant
  readonly latest_at: Instant.Instant
}

/** The uploads with executions in blocks, in the order of their time. */
export const selectUploads = ({ horizon, repositoryId, sql }: Session, blocks: ReadonlyArray<number>) => sql<UploadRow>`
  SELECT upload_no, run_no, report_id, earliest_at, latest_at
  FROM uploads
  WHERE repository_id = ${repositoryId} AND upload_no IN (
    SELECT upload_no
    FROM result_chunks
    WHERE repository_id = ${repositoryId} AND block_no = ANY(${Parameter.int4s(blocks)})
      AND at >= ${Parameter.instant(horizon ?? 0)}
  )
  ORDER BY earliest_at, upload_no`

/** The chunks of uploads in blocks. */
export const selectChunks = (
  { horizon, repositoryId, sql }: Session,
  blocks: ReadonlyArray<number>,
  uploads: ReadonlyArray<UploadRow>
) => sql<ChunkRow>`
  SELECT block_no, at, upload_no, commit_no, flags, payload
  FROM result_chunks
  WHERE repository_id = ${repositoryId} AND block_no = ANY(${Parameter.int4s(blocks)})
    AND upload_no = ANY(${Parameter.int4s(uploads.map((row) => row.upload_no))})
    AND at >= ${Parameter.instant(uploads.reduce((least, row) => Math.min(least, row.earliest_at), Infinity))}
    AND at <= ${Parameter.instant(uploads.reduce((latest, row) => Math.max(latest, row.latest_at), 0))}
    AND at >= ${Parameter.instant(horizon ?? 0)}
  ORDER BY block_no, at, upload_no`

/** Removes chunks. */
export const removeChunks = Effect.fnUntraced(function* (
  { repositoryId, sql }: Session,
  chunks: ReadonlyArray<ChunkRow>
) {
  const distinct = [...new Set(chunks)]
  yield* sql`
    DELETE FROM result_chunks c
    USING unnest(
      ${Parameter.int4s(distinct.map((row) => row.block_no))},
      ${Parameter.instants(distinct.map((row) => row.at))},
      ${Parameter.int4s(distinct.map((row) => row.upload_no))}
    ) AS n (block_no, at, upload_no)
    WHERE c.repository_id = ${repositoryId} AND c.block_no = n.block_no AND c.at = n.at AND c.upload_no = n.upload_no
      AND c.at >= ${Parameter.instant(distinct.reduce((least, row) => Math.min(least, row.at), Infinity))}
      AND c.at <= ${Parameter.instant(distinct.reduce((latest, row) => Math.max(latest, row.at), 0))}`
})

/** Writes chunks. */
export const insertChunks = Effect.fnUntraced(function* (session: Session, chunks: ReadonlyArray<ChunkRow>) {
  for (const rows of Slices.byWeight(chunks, ({ payload }) => payload.length, bytesAtOnce)) {
    yield* Chunks.insertRows(session, rows)
  }
})

const bytesAtOnce = 1_048_576

/** The sources of tests by the number of the test, a space, and their own number. */
export const selectSources = ({ repositoryId, sql }: Session, tests: ReadonlyArray<number>) =>
  Effect.map(
    sql<{
      readonly test_no: number
      readonly source_no: number
      readonly filepath: string | null
      readonly function_name: string | null
    }>`
      SELECT test_no, source_no, filepath, function_name
      FROM test_sources
      WHERE repository_id = ${repositoryId} AND test_no = ANY(${Parameter.int4s(tests)})`,
    (rows) =>
      new Map(
        rows.map((row) => [
          `${row.test_no} ${row.source_no}`,
          { filepath: row.filepath, functionName: row.function_name }
        ])
      )
  )

/** An execution that is stored as that of another test. */
export interface AliasedRow {
  readonly test_no: number
  readonly upload_no: number
  readonly ordinal: number
  readonly of_test_no: number
  readonly of_ordinal: number
}

/** The executions in uploads that are stored as those of tests and have other names. */
export const selectAliased = (
  { repositoryId, sql }: Session,
  tests: ReadonlyArray<number>,
  uploads: ReadonlyArray<number>
) => sql<AliasedRow>`
  SELECT test_no, upload_no, ordinal, of_test_no, of_ordinal
  FROM aliased_executions
  WHERE repository_id = ${repositoryId} AND test_no = ANY(${Parameter.int4s(tests)})
    AND upload_no = ANY(${Parameter.int4s(uploads)})`

/** Replaces the executions of tests in uploads that have other names. */
export const replaceAliased = Effect.fnUntraced(function* (
  session: Session,
  { tests, uploads }: { readonly tests: ReadonlyArray<number>; readonly uploads: ReadonlyArray<number> },
  rows: ReadonlyArray<Aliased.AliasedExecution>
) {
  const { repositoryId, sql } = session
  yield* sql`
    DELETE FROM aliased_executions
    WHERE repository_id = ${repositoryId} AND test_no = ANY(${Parameter.int4s(tests)})
      AND upload_no = ANY(${Parameter.int4s(uploads)})`
  yield* Aliased.insert(session, rows)
})

/** A failed execution that gets another test, or another id. */
export interface RenamedFailure {
  readonly at: Instant.Instant
  readonly testNo: number
  readonly id: string
  readonly newTestNo: number
  readonly newId: string
}

/** Renames failed executions. A new id may be the old id of another one: all new ids are written with a mark first. */
export const renameFailed = Effect.fnUntraced(function* (
  { repositoryId, sql }: Session,
  rows: ReadonlyArray<RenamedFailure>
) {
  if (rows.length === 0) return
  yield* sql`
    UPDATE failed_executions f
    SET test_no = n.new_test_no, execution_id = ${mark}::text || n.new_id
    FROM unnest(
      ${Parameter.int4s(rows.map(({ testNo }) => testNo))},
      ${Parameter.instants(rows.map(({ at }) => at))},
      ${Parameter.texts(rows.map(({ id }) => id))},
      ${Parameter.int4s(rows.map(({ newTestNo }) => newTestNo))},
      ${Parameter.texts(rows.map(({ newId }) => newId))}
    ) AS n (test_no, at, id, new_test_no, new_id)
    WHERE f.repository_id = ${repositoryId} AND f.test_no = n.test_no AND f.at = n.at AND f.execution_id = n.id COLLATE "C"`
  yield* sql`
    UPDATE failed_executions f
    SET execution_id = n.new_id
    FROM unnest(
      ${Parameter.int4s(rows.map(({ newTestNo }) => newTestNo))},
      ${Parameter.instants(rows.map(({ at }) => at))},
      ${Parameter.texts(rows.map(({ newId }) => newId))}
    ) AS n (test_no, at, new_id)
    WHERE f.repository_id = ${repositoryId} AND f.test_no = n.test_no AND f.at = n.at
      AND f.execution_id = ${mark}::text || n.new_id COLLATE "C"`
})

const mark = "moved "

interface OutcomeRow {
  readonly run_no: number
  readonly outcomes: Uint8Array
}

/** The sets of runs. */
export const selectOutcomes = ({ repositoryId, sql }: Session, runs: ReadonlyArray<number>) => sql<OutcomeRow>`
  SELECT run_no, outcomes
  FROM job_runs
  WHERE repository_id = ${repositoryId} AND run_no = ANY(${Parameter.int4s(runs)})`

/** Writes the sets of runs. */
export const updateOutcomes = ({ repositoryId, sql }: Session, rows: ReadonlyArray<OutcomeRow>) => sql`
  UPDATE job_runs r
  SET outcomes = n.outcomes
  FROM unnest(
    ${Parameter.int4s(rows.map((row) => row.run_no))},
    ${Parameter.byteas(rows.map((row) => row.outcomes))}
  ) AS n (run_no, outcomes)
  WHERE r.repository_id = ${repositoryId} AND r.run_no = n.run_no`
