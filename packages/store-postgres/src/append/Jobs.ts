/** The jobs of a repository, each with its pipeline. A block of tests belongs to one job. */
import type { Report } from "@lazaret/domain"
import { Effect } from "effect"
import * as Parameter from "../database/Parameter.ts"
import * as Claim from "./Claim.ts"
import type { Session } from "../repository/Session.ts"

/**
 * A job.
 *
 * New tests go to `openBlock`, of which `used` slots are taken. `version` is that of the last write that added a test
 * or a source.
 */
export interface Job {
  readonly jobNo: number
  readonly pipelineName: string
  readonly jobName: string
  openBlock: number | null
  used: number
  version: number
}

/** A key: equal for two runs if and only if they are of the same job. */
export const key = (run: Pick<Report.RunContext, "pipelineName" | "jobName">): string =>
  `${run.pipelineName}\0${run.jobName}`

/** The jobs of these runs by key; inserts missing jobs. */
export const ensure = Effect.fnUntraced(function* (session: Session, runs: ReadonlyArray<Report.RunContext>) {
  const wanted = new Map(runs.map((run) => [key(run), run]))
  const hashes = [...wanted.keys()].map(Claim.hash)
  const jobs = new Map((yield* select(session, hashes)).map((row) => [key(named(row)), jobOf(row)]))
  const missing = [...wanted.values()].filter((run) => !jobs.has(key(run)))
  const made = missing.map((run): Job => ({
    jobNo: session.head.job++,
    pipelineName: run.pipelineName,
    jobName: run.jobName,
    openBlock: null,
    used: 0,
    version: session.head.version
  }))
  if (made.length > 0) yield* insert(session, made)
  for (const job of made) jobs.set(key(job), job)
  return jobs
})

/** The jobs with these numbers. */
export const selectByNumber = ({ repositoryId, sql }: Session, jobs: ReadonlyArray<number>) =>
  Effect.map(
    sql<Row>`
      SELECT job_no, pipeline_name, job_name, open_block, used, version
      FROM jobs
      WHERE repository_id = ${repositoryId} AND job_no = ANY(${Parameter.int4s(jobs)})`,
    (rows) => rows.map(jobOf)
  )

/** Updates the open block of a job, its number of used slots, and its version. */
export const save = ({ repositoryId, sql }: Session, job: Job) => sql`
  UPDATE jobs
  SET open_block = ${job.openBlock}, used = ${job.used}, version = ${job.version}
  WHERE repository_id = ${repositoryId} AND job_no = ${job.jobNo}`

interface Row {
  readonly job_no: number
  readonly pipeline_name: string
  readonly job_name: string
  readonly open_block: number | null
  readonly used: number
  readonly version: number
}

const select = ({ repositoryId, sql }: Session, hashes: ReadonlyArray<Uint8Array>) => sql<Row>`
  SELECT j.job_no, j.pipeline_name, j.job_name, j.open_block, j.used, j.version
  FROM unnest(${Parameter.byteas(hashes)}) AS n (job_hash)
  CROSS JOIN LATERAL (
    SELECT job_no, pipeline_name, job_name, open_block, used, version
    FROM jobs
    WHERE repository_id = ${repositoryId} AND job_hash = n.job_hash
    OFFSET 0
  ) j`

const insert = ({ repositoryId, sql }: Session, jobs: ReadonlyArray<Job>) => sql`
  INSERT INTO jobs (repository_id, job_no, job_hash, pipeline_name, job_name, version)
  SELECT ${repositoryId}, n.job_no, n.job_hash, n.pipeline_name, n.job_name, n.version
  FROM unnest(
    ${Parameter.int4s(jobs.map((job) => job.jobNo))},
    ${Parameter.byteas(jobs.map((job) => Claim.hash(key(job))))},
    ${Parameter.texts(jobs.map((job) => job.pipelineName))},
    ${Parameter.texts(jobs.map((job) => job.jobName))},
    ${Parameter.int8s(jobs.map((job) => job.version))}
  ) AS n (job_no, job_hash, pipeline_name, job_name, version)`

const named = (row: Row) => ({ pipelineName: row.pipeline_name, jobName: row.job_name })

const jobOf = (row: Row): Job => ({
  ...named(row),
  jobNo: row.job_no,
  openBlock: row.open_block,
  used: row.used,
  version: row.version
})
