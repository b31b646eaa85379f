/** The tables of work to do for a commit or a run. */
import { type CiRun, type JobTime, type PlatformCertification, PlatformSighting } from "@lazaret/domain"
import { Schema } from "effect"
import * as Due from "../driver/Due.ts"
import type { Table } from "../driver/Table.ts"
import { Num, rowsOf, Str } from "../driver/RowFields.ts"

/** A commit to publish, and the holder and end of its lease. */
export interface PublicationRow extends Due.Due {
  readonly commit: string
}

/** Publications. */
export const publications: Table<PublicationRow> = {
  name: "publications",
  scope: "repository",
  columns: {
    commit: "text",
    ...Due.columns
  },
  key: ["commit"],
  ...rowsOf(
    Schema.Struct({
      commit: Str,
      ...Due.fields
    })
  )
}

/** When a job of the repository uploaded a report itself. */
export interface OwnUploadRow {
  readonly at: number
}

/** Uploads of jobs: one row per repository. */
export const ownUploads: Table<OwnUploadRow> = {
  name: "own_uploads",
  scope: "repository",
  columns: { at: "instant" },
  key: [],
  ...rowsOf(Schema.Struct({ at: Num }))
}

/** Times of jobs as their hosting platform says them. */
export const jobTimes: Table<JobTime.JobTime> = {
  name: "job_times",
  scope: "repository",
  columns: { runId: "text", runAttempt: "integer", jobName: "text", at: "instant", durationMs: "integer" },
  key: ["runId", "runAttempt", "jobName"],
  ...rowsOf(Schema.Struct({ runId: Str, runAttempt: Num, jobName: Str, at: Num, durationMs: Num }))
}

/** Runs as their CI system reports them. */
export const ciRuns: Table<CiRun.CiRun> = {
  name: "ci_runs",
  scope: "repository",
  columns: { runId: "text", pipelineName: "text", commit: "text", attempt: "integer", state: "text", at: "instant" },
  key: ["runId"],
  ...rowsOf(
    Schema.Struct({
      runId: Str,
      pipelineName: Str,
      commit: Str,
      attempt: Num,
      state: Schema.Literals(["running", "over"]),
      at: Num
    })
  )
}

/** The last sightings of the hosting platform. */
export const platformSightings: Table<PlatformSighting.PlatformSighting> = {
  name: "platform_sightings",
  scope: "repository",
  columns: { kind: "text", name: "text", at: "instant", detail: "text" },
  key: ["kind", "name"],
  ...rowsOf(
    Schema.Struct({
      kind: Schema.Literals(PlatformSighting.kinds),
      name: Str,
      at: Num,
      detail: Schema.NullOr(Str)
    })
  )
}

/** The last certification of each host. */
export const certifications: Table<PlatformCertification.PlatformCertification> = {
  name: "certifications",
  scope: "repository",
  columns: {
    host: "text",
    id: "text",
    scratch: "text",
    startedBy: "text",
    startedAt: "instant",
    beatAt: "instant",
    endedAt: "instant",
    total: "integer",
    cases: "json",
    failure: "text"
  },
  key: ["host"],
  ...rowsOf(
    Schema.Struct({
      host: Str,
      id: Str,
      scratch: Str,
      startedBy: Str,
      startedAt: Num,
      beatAt: Num,
      endedAt: Schema.NullOr(Num),
      total: Num,
      cases: Schema.Array(Schema.Struct({ name: Str, fault: Schema.NullOr(Str) })),
      failure: Schema.NullOr(Str)
    })
  )
}

/** A run to read, and the holder and end of its lease. */
export interface ReadingRow extends Due.Due {
  readonly runId: string
}

/** Readings. */
export const readings: Table<ReadingRow> = {
  name: "readings",
  scope: "repository",
  columns: {
    runId: "text",
    ...Due.columns
  },
  key: ["runId"],
  ...rowsOf(
    Schema.Struct({
      runId: Str,
      ...Due.fields
    })
  )
}
