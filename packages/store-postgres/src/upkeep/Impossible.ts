/**
 * Results with a time before 1970, which no report may state (`Instant`).
 *
 * Earlier versions stored them; blocks that were folded with them cannot be read.
 */
import { Repository } from "@lazaret/domain"
import { Effect } from "effect"
import * as Parameter from "../database/Parameter.ts"
import type { Session } from "../repository/Session.ts"
import * as Unreferenced from "../retention/Unreferenced.ts"

/** Removes such results and what follows from them, outside of blocks, and yields the ids of their runs. */
export const remove = Effect.fnUntraced(function* (session: Session) {
  const chunks = yield* deleteChunks(session)
  if (chunks.length === 0) return []
  yield* Unreferenced.removeFailures(session, epoch)
  yield* raiseUploads(session)
  yield* raiseRuns(session)
  return (yield* selectRuns(session, [...new Set(chunks.map((chunk) => chunk.upload_no))])).map((row) => row.run_id)
})

/** Logs which runs lost results. */
export const log = (ref: Repository.RepositoryRef, runs: ReadonlyArray<string>) =>
  Effect.logWarning(
    `${Repository.key(ref)}: results with a time before 1970 are left out, of the runs ${runs.slice(0, mostNamed).join(", ")}` +
      (runs.length > mostNamed ? ` and ${runs.length - mostNamed} more` : "")
  )

const epoch = 0

const mostNamed = 20

const deleteChunks = ({ repositoryId, sql }: Session) => sql<{ readonly upload_no: number }>`
  DELETE FROM result_chunks
  WHERE repository_id = ${repositoryId} AND at < ${Parameter.instant(epoch)}
  RETURNING upload_no`

const raiseUploads = ({ repositoryId, sql }: Session) => sql`
  UPDATE uploads
  SET earliest_at = ${Parameter.instant(epoch)}, latest_at = greatest(latest_at, ${Parameter.instant(epoch)})
  WHERE repository_id = ${repositoryId} AND earliest_at < ${Parameter.instant(epoch)}`

const raiseRuns = ({ repositoryId, sql }: Session) => sql`
  UPDATE job_runs
  SET finished_at = ${Parameter.instant(epoch)}
  WHERE repository_id = ${repositoryId} AND finished_at < ${Parameter.instant(epoch)}`

const selectRuns = ({ repositoryId, sql }: Session, uploads: ReadonlyArray<number>) => sql<{ readonly run_id: string }>`
  SELECT DISTINCT r.run_id COLLATE "C" AS run_id
  FROM uploads u
  JOIN job_runs r ON r.repository_id = u.repository_id AND r.run_no = u.run_no
  WHERE u.repository_id = ${repositoryId} AND u.upload_no = ANY(${Parameter.int4s(uploads)})
  ORDER BY r.run_id COLLATE "C"`
