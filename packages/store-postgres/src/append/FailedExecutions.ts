/** The executions with a failed attempt, and the signatures of the failed ones, as rows. */
import { Failure, type Execution, type Instant } from "@lazaret/domain"
import { Effect } from "effect"
import * as Parameter from "../database/Parameter.ts"
import type { Session } from "../repository/Session.ts"
import type { UploadPart } from "./Chunks.ts"
import type { Upload } from "./Uploads.ts"

/** Writes the executions with a failed attempt of uploads, and where their signatures were seen. */
export const insert = Effect.fnUntraced(function* (session: Session, parts: ReadonlyArray<UploadPart>) {
  const rows = rowsOf(parts)
  if (rows.length === 0) return
  yield* insertExecutions(session, rows)
  const sightings = sightingsOf(rows)
  if (sightings.length > 0) yield* insertSightings(session, sightings)
})

interface Row {
  readonly testNo: number
  readonly upload: Upload
  readonly execution: Execution.Execution
  readonly signature: string | null
}

const rowsOf = (parts: ReadonlyArray<UploadPart>): ReadonlyArray<Row> => {
  const signatures = new Map<string, string | null>()
  const signatureOf = (exception: Execution.ExceptionReport): string | null => {
    const key = `${exception.type ?? ""}\0${exception.message ?? ""}`
    const known = signatures.get(key)
    if (known !== undefined) return known
    const signature = Failure.signatureOf(exception)
    signatures.set(key, signature)
    return signature
  }
  const rows: Array<Row> = []
  for (const { indexes, places, upload } of parts) {
    for (const index of indexes) {
      const execution = upload.report.executions[index]
      if (execution === undefined || !hasFailedAttempt(execution)) continue
      const signature = execution.exception === null ? null : signatureOf(execution.exception)
      rows.push({ testNo: places.tests[index] ?? 0, upload, execution, signature })
    }
  }
  return rows
}

const hasFailedAttempt = ({ conclusion, flaky }: Execution.Execution): boolean => conclusion === "failed" || flaky

const insertExecutions = ({ repositoryId, sql }: Session, rows: ReadonlyArray<Row>) => sql`
  INSERT INTO failed_executions (
    repository_id, test_no, at, execution_id, run_no, upload_no, is_failed, reruns, signature, exception_type, message,
    filepath
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
    ${Parameter.texts(rows.map(({ execution }) => execution.filepath))}
  ) AS n (
    test_no, at, execution_id, run_no, upload_no, is_failed, reruns, signature, exception_type, message, filepath
  )
  ORDER BY n.test_no, n.at
  ON CONFLICT DO NOTHING`

interface Sighting {
  readonly signature: string
  readonly upload: Upload
  at: Instant.Instant
}

const sightingsOf = (rows: ReadonlyArray<Row>): ReadonlyArray<Sighting> => {
  const found = new Map<string, Sighting>()
  for (const { execution, signature, upload } of rows) {
    if (signature === null || execution.conclusion !== "failed") continue
    const key = `${upload.uploadNo} ${signature}`
    const sighting = found.get(key) ?? { signature, upload, at: execution.at }
    sighting.at = Math.max(sighting.at, execution.at)
    found.set(key, sighting)
  }
  return [...found.values()]
}

const insertSightings = ({ repositoryId, sql }: Session, sightings: ReadonlyArray<Sighting>) => sql`
  INSERT INTO failure_sightings (repository_id, signature, at, upload_no, run_no)
  SELECT ${repositoryId}, n.*
  FROM unnest(
    ${Parameter.uuids(sightings.map(({ signature }) => signature))},
    ${Parameter.instants(sightings.map(({ at }) => at))},
    ${Parameter.int4s(sightings.map(({ upload }) => upload.uploadNo))},
    ${Parameter.int4s(sightings.map(({ upload }) => upload.run.runNo))}
  ) AS n (signature, at, upload_no, run_no)
  ORDER BY n.signature, n.at
  ON CONFLICT DO NOTHING`
