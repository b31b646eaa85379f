/** Job runs of every branch, as triage reads them. */
import { CommitSummary, type Instant, type Repository } from "@lazaret/domain"
import { type TriageRun, Triages, type TriageSubject } from "@lazaret/store"
import { Effect } from "effect"
import type { Fragment } from "effect/sql/Statement"
import * as Parameter from "../database/Parameter.ts"
import * as RepositorySettings from "../repository/RepositorySettings.ts"
import * as RunNames from "../repository/RunNames.ts"
import type { Sql } from "../repository/Session.ts"

/** A repository as triage reads it: executions before the horizon are dropped. */
export interface Place extends Triages.Branches {
  readonly sql: Sql
  readonly policies: Pick<Repository.Policies, "outage">
  readonly repositoryId: number
  readonly horizon: Instant.Instant
}

/** A job run with its numbers. */
export interface NumberedRun {
  readonly runNo: number
  readonly jobNo: number
  readonly commitNo: number
  readonly run: TriageRun
}

/** An upload of a job run; its chunks begin between the two instants, both inclusive. */
export interface RunUpload {
  readonly uploadNo: number
  readonly reportId: string
  readonly earliestAt: Instant.Instant
  readonly latestAt: Instant.Instant
  readonly of: NumberedRun
}

/** Whether a row of `job_runs` is of no fork, as `Report.isFork` says; without a branch it is of the default branch. */
export const ofNoFork = ({ defaultBranch, sql }: Pick<Place, "sql" | "defaultBranch">) =>
  sql`strpos(coalesce(branch, ${Parameter.text(defaultBranch)}), ':') = 0`

/** The place with the branches that pull requests, not of forks, name as their base. */
export const placeOf = Effect.fnUntraced(function* (sql: Sql, repositoryId: number) {
  const { defaultBranch, horizon, policies } = yield* RepositorySettings.select(sql, repositoryId)
  const rows = yield* selectBases({ sql, repositoryId, defaultBranch })
  const bases = new Set(rows.map((row) => row.base_branch))
  return { sql, repositoryId, policies, horizon: horizon ?? 0, defaultBranch, bases } satisfies Place
})

/** Reads few entries of the index for each branch instead of every run; nothing depends on the default branch in it. */
const selectBases = ({
  defaultBranch,
  repositoryId,
  sql
}: Pick<Place, "sql" | "repositoryId" | "defaultBranch">) => sql<{
  readonly base_branch: string
}>`
  WITH RECURSIVE b AS (
    (
      SELECT base_branch
      FROM job_runs
      WHERE repository_id = ${repositoryId} AND base_branch IS NOT NULL
      ORDER BY base_branch COLLATE "C"
      LIMIT 1
    )
    UNION ALL
    SELECT (
      SELECT r.base_branch
      FROM job_runs r
      WHERE r.repository_id = ${repositoryId} AND r.base_branch > b.base_branch COLLATE "C"
      ORDER BY r.base_branch COLLATE "C"
      LIMIT 1
    )
    FROM b
    WHERE b.base_branch IS NOT NULL
  )
  SELECT base_branch
  FROM b
  WHERE base_branch <> ${Parameter.text(defaultBranch)} AND EXISTS (
    SELECT
    FROM job_runs r
    WHERE r.repository_id = ${repositoryId} AND r.base_branch = b.base_branch AND ${ofNoFork({ sql, defaultBranch })}
    OFFSET 0
  )`

/** The runs of a subject that count (`Triages.takenOf`), and all runs on their commits; null without runs. */
export const ofSubject = Effect.fnUntraced(function* (place: Place, subject: TriageSubject) {
  const { repositoryId, sql } = place
  const rows = yield* subject._tag !== "Run"
    ? sql<{ readonly commit_no: number }>`
        SELECT commit_no
        FROM commits
        WHERE repository_id = ${repositoryId} AND sha = ANY(${Parameter.texts(commitsOf(subject))})`
    : sql<{ readonly commit_no: number }>`
        SELECT DISTINCT commit_no
        FROM job_runs
        WHERE repository_id = ${repositoryId} AND run_id = ${Parameter.text(subject.runId)}`
  const all = yield* ofCommits(
    place,
    rows.map((row) => row.commit_no)
  )
  const named = subject._tag === "Run" ? all.filter(({ run }) => run.runId === subject.runId) : all
  if (named.length === 0) return null
  const { commit, counted, forks } = Triages.takenOf(
    named.map(({ run }) => run),
    subject
  )
  const isCounted = new Set(counted)
  return {
    all: subject._tag === "Run" ? all : all.filter(({ run }) => run.commit === commit),
    commit,
    own: named.filter(({ run }) => isCounted.has(run)),
    forks
  }
})

/** All runs on a commit. */
export const onCommit = Effect.fnUntraced(function* (place: Place, commit: string) {
  const { repositoryId, sql } = place
  const rows = yield* sql<{ readonly commit_no: number }>`
    SELECT commit_no
    FROM commits
    WHERE repository_id = ${repositoryId} AND sha = ${Parameter.text(commit)}`
  return yield* ofCommits(
    place,
    rows.map((row) => row.commit_no)
  )
})

const commitsOf = (subject: Exclude<TriageSubject, { readonly _tag: "Run" }>): ReadonlyArray<string> =>
  subject._tag === "Commit" ? [subject.commit] : subject.commits

const ofCommits = (place: Place, commits: ReadonlyArray<number>) =>
  selectEach(place, commits, {
    keys: place.sql`unnest(${Parameter.int4s(commits)}) AS n (commit_no)`,
    runs: place.sql`commit_no = n.commit_no OFFSET 0`
  })

/** The runs of jobs on commits, from pairs of both. */
export const ofJobsOnCommits = (
  place: Place,
  pairs: ReadonlyArray<{ readonly jobNo: number; readonly commitNo: number }>
) =>
  selectEach(place, pairs, {
    keys: place.sql`unnest(
          ${Parameter.int4s(pairs.map(({ jobNo }) => jobNo))},
          ${Parameter.int4s(pairs.map(({ commitNo }) => commitNo))}
        ) AS n (job_no, commit_no)`,
    runs: place.sql`commit_no = n.commit_no AND job_no = n.job_no OFFSET 0`
  })

/** The runs with these numbers. */
export const ofNumbers = (place: Place, runs: ReadonlyArray<number>) =>
  selectEach(place, runs, {
    keys: place.sql`unnest(${Parameter.int4s(runs)}) AS n (run_no)`,
    runs: place.sql`run_no BETWEEN n.run_no AND n.run_no ORDER BY run_no LIMIT 1`
  })

/** A query for runs of a job: pushes to a branch that finished before an instant, on other commits than one. */
export interface Pushes {
  readonly jobNo: number
  readonly branch: string
  readonly before: Instant.Instant
  readonly notCommit: number
}

/** The latest pushes of each group, at most `limit` and those that finished at the same instant as the last of them. */
export const latestPushes = Effect.fnUntraced(function* (place: Place, groups: ReadonlyArray<Pushes>, limit: number) {
  const [onDefault, others] = [true, false].map((isDefault) =>
    groups.filter(({ branch }) => (branch === place.defaultBranch) === isDefault)
  )
  return [
    ...(yield* selectPushes(place, onDefault ?? [], place.sql`on_default_branch`, limit)),
    ...(yield* selectPushes(place, others ?? [], place.sql`base_branch IS NULL AND branch = n.branch`, limit))
  ]
})

/** The first runs of jobs on the default branch that finished after an instant, on other commits than one, and those of the same instant as the last. */
export const nextPushes = (
  place: Place,
  runs: ReadonlyArray<{ readonly jobNo: number; readonly after: Instant.Instant; readonly notCommit: number }>,
  limit: number
) =>
  selectEach(place, runs, {
    keys: place.sql`unnest(
          ${Parameter.int4s(runs.map(({ jobNo }) => jobNo))},
          ${Parameter.instants(runs.map(({ after }) => after))},
          ${Parameter.int4s(runs.map(({ notCommit }) => notCommit))}
        ) AS n (job_no, after, not_commit)`,
    runs: place.sql`job_no = n.job_no AND on_default_branch AND finished_at > n.after AND commit_no <> n.not_commit
          ORDER BY finished_at
          FETCH FIRST ${place.sql.literal(String(limit))} ROWS WITH TIES`
  })

/** The latest runs of jobs on other branches that finished at an instant or later, at most `limit` of each job. */
export const latestElsewhere = (
  place: Place,
  jobs: ReadonlyArray<number>,
  { limit, since }: { readonly limit: number; readonly since: Instant.Instant }
) =>
  selectEach(place, jobs, {
    keys: place.sql`unnest(${Parameter.int4s(jobs)}) AS n (job_no)`,
    runs: place.sql`job_no = n.job_no AND NOT on_default_branch
          AND finished_at >= ${Parameter.instant(Math.max(since, place.horizon))}
          ORDER BY finished_at DESC, run_id COLLATE "C" DESC, run_attempt DESC
          LIMIT ${place.sql.literal(String(limit))}`
  })

/** The latest outages in each of some spans, at most `limit` and those that finished at the same instant as the last of them. */
export const latestOutages = (
  place: Place,
  spans: ReadonlyArray<{ readonly start: Instant.Instant; readonly before: Instant.Instant }>,
  limit: number
) =>
  selectEach(place, spans, {
    keys: place.sql`unnest(
          ${Parameter.instants(spans.map(({ start }) => start))},
          ${Parameter.instants(spans.map(({ before }) => before))}
        ) AS n (start_at, before)`,
    runs: place.sql`is_outage AND finished_at >= n.start_at AND finished_at < n.before
          ORDER BY finished_at DESC
          FETCH FIRST ${place.sql.literal(String(limit))} ROWS WITH TIES`
  })

const selectPushes = (place: Place, groups: ReadonlyArray<Pushes>, condition: Fragment, limit: number) =>
  selectEach(place, groups, {
    keys: place.sql`unnest(
          ${Parameter.int4s(groups.map(({ jobNo }) => jobNo))},
          ${Parameter.texts(groups.map(({ branch }) => branch))},
          ${Parameter.instants(groups.map(({ before }) => before))},
          ${Parameter.int4s(groups.map(({ notCommit }) => notCommit))}
        ) AS n (job_no, branch, before, not_commit)`,
    runs: place.sql`job_no = n.job_no AND finished_at < n.before AND commit_no <> n.not_commit AND ${condition}
          ORDER BY finished_at DESC
          FETCH FIRST ${place.sql.literal(String(limit))} ROWS WITH TIES`
  })

/** The numbers of the jobs of pipelines. */
export const jobsOf = ({ repositoryId, sql }: Place, pipelines: ReadonlyArray<string>) => sql<{
  readonly job_no: number
  readonly pipeline_name: string
  readonly job_name: string
}>`
  SELECT job_no, pipeline_name, job_name
  FROM jobs
  WHERE repository_id = ${repositoryId} AND pipeline_name = ANY(${Parameter.texts(pipelines)})`

/** The uploads of runs. */
export const uploadsOf = Effect.fnUntraced(function* (place: Place, runs: ReadonlyArray<NumberedRun>) {
  if (runs.length === 0) return []
  const byNo = new Map(runs.map((run) => [run.runNo, run]))
  const rows = yield* selectUploads(place, [...byNo.keys()])
  return rows.flatMap((row): ReadonlyArray<RunUpload> => {
    const of = byNo.get(row.run_no)
    return of === undefined
      ? []
      : [{ uploadNo: row.upload_no, reportId: row.report_id, earliestAt: row.earliest_at, latestAt: row.latest_at, of }]
  })
})

const selectUploads = ({ repositoryId, sql }: Place, runs: ReadonlyArray<number>) => sql<{
  readonly run_no: number
  readonly upload_no: number
  readonly report_id: string
  readonly earliest_at: Instant.Instant
  readonly latest_at: Instant.Instant
}>`
  SELECT u.run_no, u.upload_no, u.report_id, u.earliest_at, u.latest_at
  FROM unnest(${Parameter.int4s(runs)}) AS n (run_no)
  CROSS JOIN LATERAL (
    SELECT run_no, upload_no, report_id, earliest_at, latest_at
    FROM uploads
    WHERE repository_id = ${repositoryId} AND run_no = n.run_no
    OFFSET 0
  ) u`

/** The runs of the latest commits (`CommitSummary.bounds`), of those whose latest run finished at an instant or later. */
export const ofLatestCommits = Effect.fnUntraced(function* (place: Place, since: Instant.Instant) {
  const rows = yield* selectLatestCommits(place, since)
  return yield* ofCommits(
    place,
    rows.map((row) => row.commit_no)
  )
})

/** Reads the index by finish alone. */
const selectLatestCommits = ({ repositoryId, sql }: Place, since: Instant.Instant) => sql<{
  readonly commit_no: number
}>`
  SELECT commit_no
  FROM (
    SELECT commit_no, max(finished_at) AS finished_at
    FROM job_runs
    WHERE repository_id = ${repositoryId} AND finished_at >= ${Parameter.instant(since)}
    GROUP BY commit_no
  ) c
  ORDER BY finished_at DESC
  FETCH FIRST ${sql.literal(String(CommitSummary.bounds.commits))} ROWS WITH TIES`

/** The columns of a run that {@link select} reads. */
export const columns = (sql: Sql) =>
  sql.literal(
    "run_no, job_no, commit_no, run_id, run_attempt, branch, base_branch, finished_at, is_outage, passed, failed"
  )

interface Row {
  readonly run_no: number
  readonly job_no: number
  readonly commit_no: number
  readonly run_id: string
  readonly run_attempt: number
  readonly branch: string | null
  readonly base_branch: string | null
  readonly finished_at: Instant.Instant
  readonly is_outage: boolean
  readonly passed: number
  readonly failed: number
  readonly sha: string
  readonly pipeline_name: string
  readonly job_name: string
}

/** The runs that meet a condition for each row of keys `n`; no statement without keys. */
const selectEach = (
  place: Place,
  { length }: ReadonlyArray<unknown>,
  { keys, runs }: { readonly keys: Fragment; readonly runs: Fragment }
) =>
  length === 0
    ? Effect.succeed<ReadonlyArray<NumberedRun>>([])
    : select(
        place,
        place.sql`
        SELECT r.*
        FROM ${keys}
        CROSS JOIN LATERAL (
          SELECT ${columns(place.sql)}
          FROM job_runs
          WHERE repository_id = ${place.repositoryId} AND ${runs}
        ) r`
      )

/** The runs of a query for {@link columns}, each once. */
export const select = (place: Place, runs: Fragment) =>
  Effect.map(selectRows(place, runs), (rows): ReadonlyArray<NumberedRun> => [
    ...new Map(rows.map((row) => [row.run_no, runOf(row, place.defaultBranch)])).values()
  ])

const selectRows = ({ repositoryId, sql }: Place, runs: Fragment) => sql<Row>`
  SELECT r.*, c.sha, j.pipeline_name, j.job_name
  FROM (${runs}) r
  ${RunNames.joined({ sql, repositoryId })}`

const runOf = (row: Row, defaultBranch: string): NumberedRun => ({
  runNo: row.run_no,
  jobNo: row.job_no,
  commitNo: row.commit_no,
  run: {
    pipelineName: row.pipeline_name,
    jobName: row.job_name,
    runId: row.run_id,
    runAttempt: row.run_attempt,
    commit: row.sha,
    branch: row.branch ?? defaultBranch,
    baseBranch: row.base_branch,
    at: row.finished_at,
    isOutage: row.is_outage,
    passed: row.passed,
    failed: row.failed
  }
})
