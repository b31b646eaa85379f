/** The outcomes of job runs, recomputed from their kept executions. */
import { FailureMessage, type Instant, TestSet } from "@lazaret/domain"
import { JobRun } from "@lazaret/store"
import { Effect, Result } from "effect"
import { slots } from "../codec/BlockCounts.ts"
import * as TestSets from "../codec/TestSets.ts"
import type * as BlockRows from "../blocks/BlockRows.ts"
import * as ChunkRows from "../blocks/ChunkRows.ts"
import * as Judgement from "../append/Judgement.ts"
import type { Session } from "../repository/Session.ts"
import type * as Damage from "../database/Damage.ts"
import * as Parameter from "../database/Parameter.ts"
import * as FailedRows from "./FailedRows.ts"

/** The sum of the executions of a run, and its tests that passed and that failed. */
export interface Totals {
  readonly totals: JobRun.RunTotals
  readonly passed: TestSet.TestSet
  readonly failed: TestSet.TestSet
}

/** The same of one upload: its tests are bits of one word for each half of a block, as numbers in the order given. */
interface Counts {
  totals: JobRun.RunTotals
  readonly words: Array<number>
  readonly passed: Array<number>
  readonly failed: Array<number>
}

/**
 * The totals of the stored executions by upload, and the uploads of runs; `damaged` holds the chunks that cannot be
 * read, `own` how many failed executions of each upload have an error of their own.
 */
export interface Tally {
  readonly uploads: ReadonlyMap<number, Counts>
  readonly damaged: ReadonlyArray<Damage.Damage>
  readonly runs: ReadonlyMap<number, ReadonlyArray<number>>
  readonly own: ReadonlyMap<number, number>
  readonly horizon: Instant.Instant | null
}

/** Sums all stored executions of a repository, in groups of blocks. */
export const tally = Effect.fnUntraced(function* (
  where: BlockRows.Where,
  blocks: ReadonlyArray<number>,
  horizon: Instant.Instant | null
) {
  const counted: Counted = { uploads: new Map(), damaged: [] }
  for (let start = 0; start < blocks.length; start += blocksAtOnce) {
    const rows = yield* selectChunks(where, blocks.slice(start, start + blocksAtOnce), horizon)
    for (const row of rows) count(where, counted, row)
  }
  const uploads = yield* selectUploads(where)
  const own = yield* ownFailures(where, uploads, horizon)
  const found: Tally = { ...counted, runs: runsOf(uploads), own, horizon }
  return found
})

const blocksAtOnce = 64

/**
 * The totals of a run; null when none of its executions are stored, or when one of its chunks is damaged.
 *
 * **Details**
 *
 * A run with dropped executions keeps its stored outcomes, which are of the whole run. Its last execution is dropped last.
 */
export const of = (row: Judgement.RunRow, { damaged, horizon, own, runs, uploads }: Tally): Totals | null => {
  const uploadNos = runs.get(row.run_no) ?? []
  if (damaged.some(({ uploadNo }) => uploadNo !== null && uploadNos.includes(uploadNo))) return null
  const parts = uploadNos.flatMap((upload) => uploads.get(upload) ?? [])
  if (horizon !== null && parts.length === 0) return null
  const at = parts.reduce((latest, { totals }) => Math.max(latest, totals.at), 0)
  if (row.is_partial) {
    const { failed, passed } = Judgement.judgedOf(row)
    const { duration_us: durationUs, own_failed: ownFailed } = row
    return { totals: { at, passed: row.passed, failed: row.failed, durationUs, ownFailed }, passed, failed }
  }
  const sum = (total: "passed" | "failed" | "durationUs") => parts.reduce((all, { totals }) => all + totals[total], 0)
  // The failures of a removed test are deleted, but the stored sum still includes them.
  const left = uploadNos.reduce((all, upload) => all + (own.get(upload) ?? 0), 0)
  const ownFailed = Math.min(sum("failed"), Math.max(row.own_failed, left))
  const totals = { at, passed: sum("passed"), failed: sum("failed"), durationUs: sum("durationUs"), ownFailed }
  return { totals, passed: setOf(parts, "passed"), failed: setOf(parts, "failed") }
}

const setOf = (parts: ReadonlyArray<Counts>, conclusion: "passed" | "failed"): TestSet.TestSet => {
  let length = 0
  for (const { words } of parts) for (const word of words) length = Math.max(length, word + 1)
  const set = new Uint32Array(length)
  for (const part of parts) {
    part.words.forEach((word, index) => {
      set[word] = (set[word] ?? 0) | (part[conclusion][index] ?? 0)
    })
  }
  return set
}

/** Whether a run is stored with these totals. */
export const isStored = (row: Judgement.RunRow, { failed, passed, totals }: Totals): boolean => {
  const stored = Judgement.judgedOf(row)
  const hasSameTests = TestSet.isSame(stored.passed, passed) && TestSet.isSame(stored.failed, failed)
  const hasSameTotals = row.finished_at === totals.at && row.passed === totals.passed && row.failed === totals.failed
  const hasSameErrors = row.own_failed === totals.ownFailed
  return hasSameTests && hasSameTotals && hasSameErrors && row.duration_us === totals.durationUs
}

/** The runs whose stored totals or outcomes differ. Must run in a REPEATABLE READ transaction. */
export const selectWrong = Effect.fnUntraced(function* (
  where: BlockRows.Where,
  blocks: ReadonlyArray<number>,
  horizon: Instant.Instant | null
) {
  const found = yield* tally(where, blocks, horizon)
  const wrong: Array<number> = []
  for (const { job_no } of yield* Judgement.selectJobs(where)) {
    const rows = yield* Judgement.selectOfJob(where, job_no)
    wrong.push(...wrongAmong(rows, found).map(({ row }) => row.run_no))
  }
  return wrong
})

/** The number of runs recomputed in one step: each searches the weeks in which it was uploaded. */
export const runsAtOnce = 64

/** Recomputes the totals of runs, and the rows of their failed executions that are missing. */
export const recount = Effect.fnUntraced(function* (session: Session, runs: ReadonlyArray<number>) {
  const rows = yield* selectUploads(session, runs)
  const counted: Counted = { uploads: new Map(), damaged: [] }
  const chunks = yield* selectChunksOf(session, rows)
  for (const row of chunks) count(session, counted, row)
  yield* FailedRows.fill(session, chunks, new Map(rows.map((row) => [row.upload_no, row.run_no])))
  const own = yield* ownFailures(session, rows, session.horizon)
  const found: Tally = { ...counted, runs: runsOf(rows), own, horizon: session.horizon }
  yield* save(session, wrongAmong(yield* Judgement.selectByNumber(session, runs), found))
})

interface Wrong {
  readonly row: Judgement.RunRow
  readonly totals: Totals
}

const wrongAmong = (rows: ReadonlyArray<Judgement.RunRow>, found: Tally): ReadonlyArray<Wrong> =>
  rows.flatMap((row) => {
    const totals = of(row, found)
    return totals === null || isStored(row, totals) ? [] : [{ row, totals }]
  })

interface Counted {
  readonly uploads: Map<number, Counts>
  readonly damaged: Array<Damage.Damage>
}

const count = (where: BlockRows.Where, { damaged, uploads }: Counted, row: ChunkRows.ChunkRow): void => {
  const executions = ChunkRows.executionsOf(where, row)
  if (Result.isFailure(executions)) {
    damaged.push(executions.failure)
    return
  }
  const counts = uploads.get(row.upload_no) ?? { totals: JobRun.noTotals, words: [], passed: [], failed: [] }
  counts.totals = JobRun.plus(counts.totals, { executions: executions.success })
  const [passed, failed] = [new Uint32Array(2), new Uint32Array(2)]
  for (const { conclusion, slot } of executions.success) {
    const bits = conclusion === "passed" ? passed : conclusion === "failed" ? failed : null
    if (bits !== null) bits[slot >>> 5] = (bits[slot >>> 5] ?? 0) | (1 << (slot & 31))
  }
  const word = (row.block_no * slots) / 32
  counts.words.push(word, word + 1)
  counts.passed.push(...passed)
  counts.failed.push(...failed)
  uploads.set(row.upload_no, counts)
}

/** How many failed executions of each upload have an error of their own, from all uploads of some runs. */
const ownFailures = Effect.fnUntraced(function* (
  where: BlockRows.Where,
  uploads: ReadonlyArray<UploadRow>,
  horizon: Instant.Instant | null
) {
  const isOwn = JobRun.ownErrors()
  const runs = [...new Set(uploads.map(({ run_no }) => run_no))]
  const found = new Map<number, number>()
  for (let start = 0; start < runs.length; start += errorsAtOnce) {
    for (const row of yield* selectErrors(where, runs.slice(start, start + errorsAtOnce), horizon)) {
      if (!isOwn({ type: row.exception_type, message: row.message })) continue
      found.set(row.upload_no, (found.get(row.upload_no) ?? 0) + row.failures)
    }
  }
  return found
})

/** The number of runs whose errors are read at once. */
const errorsAtOnce = 1024

/** The part of a message that its kind follows from, as an expression. */
const decisive = (sql: Session["sql"]) => sql.literal(`left(message, ${FailureMessage.decisive})`)

const selectErrors = (
  { repositoryId, sql }: BlockRows.Where,
  runs: ReadonlyArray<number>,
  horizon: Instant.Instant | null
) => sql<{
  readonly upload_no: number
  readonly exception_type: string | null
  readonly message: string | null
  readonly failures: number
}>`
  SELECT upload_no, exception_type, ${decisive(sql)} AS message, count(*)::int AS failures
  FROM failed_executions
  WHERE repository_id = ${repositoryId} AND run_no = ANY(${Parameter.int4s(runs)}) AND is_failed
    AND at >= ${Parameter.instant(horizon ?? 0)}
  GROUP BY upload_no, exception_type, ${decisive(sql)}`

interface UploadRow {
  readonly run_no: number
  readonly upload_no: number
  readonly earliest_at: Instant.Instant
  readonly latest_at: Instant.Instant
}

const runsOf = (rows: ReadonlyArray<UploadRow>): ReadonlyMap<number, ReadonlyArray<number>> => {
  const runs = new Map<number, Array<number>>()
  for (const { run_no, upload_no } of rows) {
    const uploads = runs.get(run_no)
    if (uploads === undefined) runs.set(run_no, [upload_no])
    else uploads.push(upload_no)
  }
  return runs
}

const selectUploads = ({ repositoryId, sql }: BlockRows.Where, runs?: ReadonlyArray<number>) => sql<UploadRow>`
  SELECT run_no, upload_no, earliest_at, latest_at
  FROM uploads
  WHERE repository_id = ${repositoryId} ${runs === undefined ? sql`` : sql`AND run_no = ANY(${Parameter.int4s(runs)})`}`

const selectChunks = (
  { repositoryId, sql }: BlockRows.Where,
  blocks: ReadonlyArray<number>,
  horizon: Instant.Instant | null
) => sql<ChunkRows.ChunkRow>`
  SELECT block_no, at, upload_no, commit_no, flags, payload
  FROM result_chunks
  WHERE repository_id = ${repositoryId} AND block_no = ANY(${Parameter.int4s(blocks)})
    AND at >= ${Parameter.instant(horizon ?? 0)}`

/** Restricts the search to the weekly partitions that the uploads span. */
const selectChunksOf = ({ horizon, repositoryId, sql }: Session, uploads: ReadonlyArray<UploadRow>) => {
  const earliest = uploads.reduce((at, upload) => Math.min(at, upload.earliest_at), Infinity)
  const latest = uploads.reduce((at, upload) => Math.max(at, upload.latest_at), 0)
  return sql<ChunkRows.ChunkRow>`
    SELECT block_no, at, upload_no, commit_no, flags, payload
    FROM result_chunks
    WHERE repository_id = ${repositoryId} AND upload_no = ANY(${Parameter.int4s(uploads.map((row) => row.upload_no))})
      AND at >= ${Parameter.instant(Math.max(horizon ?? 0, Math.min(earliest, latest)))}
      AND at <= ${Parameter.instant(latest)}`
}

const save = ({ repositoryId, sql }: Session, all: ReadonlyArray<Wrong>) =>
  all.length === 0
    ? Effect.void
    : sql`
        UPDATE job_runs r
        SET finished_at = n.finished_at, passed = n.passed, failed = n.failed, duration_us = n.duration_us,
          own_failed = n.own_failed, outcomes = n.outcomes
        FROM unnest(
          ${Parameter.int4s(all.map(({ row }) => row.run_no))},
          ${Parameter.instants(all.map(({ totals }) => totals.totals.at))},
          ${Parameter.int4s(all.map(({ totals }) => totals.totals.passed))},
          ${Parameter.int4s(all.map(({ totals }) => totals.totals.failed))},
          ${Parameter.int8s(all.map(({ totals }) => totals.totals.durationUs))},
          ${Parameter.int4s(all.map(({ totals }) => totals.totals.ownFailed))},
          ${Parameter.byteas(all.map(({ totals }) => TestSets.encode([totals.passed, totals.failed])))}
        ) AS n (run_no, finished_at, passed, failed, duration_us, own_failed, outcomes)
        WHERE r.repository_id = ${repositoryId} AND r.run_no = n.run_no`
