/** The executions with a failed attempt, and the signatures of the failed ones, as rows. */
import { Failure, type Execution, Instant, StackFrame } from "@lazaret/domain"
import { Slices } from "@lazaret/store"
import { Effect } from "effect"
import * as Parameter from "../database/Parameter.ts"
import type { Session } from "../repository/Session.ts"
import type { NumberedUpload, Upload } from "./Uploads.ts"

/** Writes the executions with a failed attempt of uploads, and where their signatures were seen. */
export const insert = Effect.fnUntraced(function* (session: Session, uploads: ReadonlyArray<NumberedUpload>) {
  const sightings = new Map<string, Sighting>()
  for (const failures of Slices.byWeight(failuresIn(uploads), () => 1, failuresPerPortion)) {
    const rows = yield* rowsOf(failures)
    for (const some of Slices.byWeight(rows, charactersOf, charactersAtOnce)) yield* insertExecutions(session, some)
    for (const row of rows) see(sightings, row)
  }
  for (const some of Slices.byWeight(sightings.values(), () => 1, sightingsAtOnce)) {
    yield* saveSightings(session, some)
  }
})

const rowsOf = Effect.fnUntraced(function* (failures: ReadonlyArray<Failed>) {
  const signatureOf = signatures()
  const rows: Array<Row> = []
  yield* Slices.visit(failures, signaturesAtOnce, (failure) => {
    const { exception, filepath, testName } = failure.execution
    const frame = exception === null ? null : StackFrame.placeOf(exception, { testName, filepath })
    rows.push({ ...failure, signature: exception === null ? null : signatureOf(exception), frame })
  })
  return rows
})

/** The number of failures whose rows and signatures are in memory at the same time. */
const failuresPerPortion = 8192

// Work of some milliseconds before other fibers run: signatures and frames need many regular expressions.
const signaturesAtOnce = 64
const sightingsAtOnce = 8192
const charactersAtOnce = 1_048_576
const charactersOfRow = 256

interface Failed {
  readonly testNo: number
  readonly upload: Upload
  readonly execution: Execution.Execution
}

interface Row extends Failed {
  readonly signature: string | null
  readonly frame: string | null
}

const charactersOf = ({ execution: { attemptOf, exception, filepath } }: Row): number =>
  charactersOfRow +
  (exception?.type?.length ?? 0) +
  (exception?.message?.length ?? 0) +
  (filepath?.length ?? 0) +
  (attemptOf?.length ?? 0)

/** Makes signatures, those of equal short messages once: many tests fail with the same one. */
const signatures = (): ((exception: Execution.ExceptionReport) => string | null) => {
  const known = new Map<string, string | null>()
  return (exception) => {
    const key = `${exception.type ?? ""}\0${exception.message ?? ""}`
    if (key.length > longestKey) return Failure.signatureOf(exception)
    const found = known.get(key) ?? Failure.signatureOf(exception)
    known.set(key, found)
    return found
  }
}

const longestKey = 200

function* failuresIn(uploads: ReadonlyArray<NumberedUpload>): Generator<Failed> {
  for (const upload of uploads) {
    for (const index of upload.failed) {
      const execution = upload.report.executions[index]
      if (execution !== undefined) yield { testNo: upload.places.tests[index] ?? 0, upload, execution }
    }
  }
}

const insertExecutions = ({ repositoryId, sql }: Session, rows: ReadonlyArray<Row>) => sql`
  INSERT INTO failed_executions (
    repository_id, test_no, at, execution_id, run_no, upload_no, is_failed, reruns, signature, exception_type, message,
    filepath, attempt_of, frame
  )
  SELECT ${repositoryId}, n.*
  FROM unnest(
    ${Parameter.int4s(rows.map(({ testNo }) => testNo))},
    ${Parameter.instants(rows.map(({ execution }) => execution.at))},
    ${Parameter.texts(rows.map(({ execution }) => execution.id))},
    ${Parameter.int4s(rows.map(({ upload }) => upload.run.runNo))},
    ${Parameter.int4s(rows.map(({ upload }) => upload.uploadNo))},
    ${Parameter.bools(rows.map(({ execution }) => execution.conclusion === "failed"))},
    ${Parameter.int4s(rows.map(({ execution }) => execution.reruns))},
    ${Parameter.uuids(rows.map(({ signature }) => signature))},
    ${Parameter.texts(rows.map(({ execution }) => execution.exception?.type ?? null))},
    ${Parameter.texts(rows.map(({ execution }) => execution.exception?.message ?? null))},
    ${Parameter.texts(rows.map(({ execution }) => execution.filepath))},
    ${Parameter.texts(rows.map(({ execution }) => execution.attemptOf ?? null))},
    ${Parameter.texts(rows.map(({ frame }) => frame))}
  ) AS n (
    test_no, at, execution_id, run_no, upload_no, is_failed, reruns, signature, exception_type, message, filepath, attempt_of,
    frame
  )
  ORDER BY n.test_no, n.at
  ON CONFLICT DO NOTHING`

/** The latest failure with a signature in a job run. */
interface Sighting {
  readonly signature: string
  readonly run: Upload["run"]
  at: Instant.Instant
}

const see = (seen: Map<string, Sighting>, { execution, signature, upload: { run } }: Row): void => {
  if (signature === null || execution.conclusion !== "failed") return
  const key = `${run.runNo} ${signature}`
  const sighting = seen.get(key) ?? { signature, run, at: execution.at }
  sighting.at = Math.max(sighting.at, execution.at)
  seen.set(key, sighting)
}

/** Writes sightings in the place of those that earlier uploads of the same runs have left. */
const saveSightings = Effect.fnUntraced(function* (session: Session, sightings: ReadonlyArray<Sighting>) {
  const known = new Map(sightings.map((sighting) => [`${sighting.run.runNo} ${sighting.signature}`, sighting]))
  const begun = sightings.filter(({ run }) => run.before !== null)
  for (const { at, run_no, signature } of begun.length === 0 ? [] : yield* takeSightings(session, begun)) {
    const sighting = known.get(`${run_no} ${signature}`)
    if (sighting !== undefined) sighting.at = Math.max(sighting.at, at)
  }
  yield* insertSightings(session, sightings)
})

/** A job run ends at most this long after a failure in it. */
const longestRun = 2 * Instant.day

const takeSightings = ({ repositoryId, sql }: Session, sightings: ReadonlyArray<Sighting>) => sql<{
  readonly signature: string
  readonly run_no: number
  readonly at: Instant.Instant
}>`
  DELETE FROM failure_sightings s
  USING unnest(
    ${Parameter.uuids(sightings.map(({ signature }) => signature))},
    ${Parameter.int4s(sightings.map(({ run }) => run.runNo))},
    ${Parameter.instants(sightings.map(({ run }) => (run.before ?? 0) - longestRun))},
    ${Parameter.instants(sightings.map(({ run }) => run.before ?? 0))}
  ) AS n (signature, run_no, start_at, end_at)
  WHERE s.repository_id = ${repositoryId} AND s.signature = n.signature AND s.at BETWEEN n.start_at AND n.end_at
    AND s.run_no = n.run_no
  RETURNING s.signature, s.run_no, s.at`

const insertSightings = ({ repositoryId, sql }: Session, sightings: ReadonlyArray<Sighting>) => sql`
  INSERT INTO failure_sightings (repository_id, signature, at, run_no)
  SELECT ${repositoryId}, n.*
  FROM unnest(
    ${Parameter.uuids(sightings.map(({ signature }) => signature))},
    ${Parameter.instants(sightings.map(({ at }) => at))},
    ${Parameter.int4s(sightings.map(({ run }) => run.runNo))}
  ) AS n (signature, at, run_no)
  ORDER BY n.signature, n.at
  ON CONFLICT DO NOTHING`
