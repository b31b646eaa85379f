/** The tests that job runs executed, in PostgreSQL: the packed sets of the latest runs of each job. */
import { Instant, MissingFacts, type Repository, type TestSet } from "@lazaret/domain"
import { type AskedRuns, JobHistories, type MissingQuery, type MissingStore, Slices } from "@lazaret/store"
import { Effect, Option, Result } from "effect"
import type { Fragment } from "effect/sql/Statement"
import * as Parameter from "../database/Parameter.ts"
import * as Snapshot from "../reading/Snapshot.ts"
import * as RepositorySettings from "../repository/RepositorySettings.ts"
import type { Sql } from "../repository/Session.ts"
import * as SkippedTests from "./SkippedTests.ts"
import * as TestPlaces from "./TestPlaces.ts"
import * as TriageRuns from "./TriageRuns.ts"

/** The histories over a reader. */
export const make = (reader: Snapshot.Reader): MissingStore["Service"]["histories"] => {
  const { sql } = reader.client
  return <A>(ref: Repository.RepositoryRef, query: MissingQuery, judge: MissingFacts.Judge<A>) =>
    Snapshot.ofRepository<ReadonlyArray<MissingFacts.Named<A>>>(
      reader,
      "MissingStore.histories",
      ref,
      [],
      Effect.fnUntraced(function* (repositoryId: number) {
        const { defaultBranch, horizon } = yield* RepositorySettings.select(sql, repositoryId)
        const since = Math.max(horizon ?? 0, query.now - MissingFacts.bounds.days * Instant.day)
        const place: Place = { sql, repositoryId, defaultBranch, query, since, horizon: horizon ?? 0 }
        const judged: Array<MissingFacts.Named<A>> = []
        for (const group of yield* groupsOf(place)) {
          judged.push(yield* judgedOf(place, group, judge))
          yield* Effect.yieldNow
        }
        return judged
      })
    )
}

interface Place {
  readonly sql: Sql
  readonly repositoryId: number
  readonly defaultBranch: string
  readonly query: MissingQuery
  readonly since: Instant.Instant
  readonly horizon: Instant.Instant
}

interface Job extends JobHistories.Job {
  readonly jobNo: number
}

/** The groups of jobs that the question is about. */
const groupsOf = Effect.fnUntraced(function* (place: Place) {
  const { runs } = place.query
  const asked = runs === null ? null : new Set((yield* selectAsked(place, runs)).map((row) => row.job_no))
  if (asked?.size === 0) return []
  const rows = yield* selectJobs(place, asked === null ? null : [...asked])
  const jobs = JobHistories.latest(
    rows.map((row) => ({
      jobNo: row.job_no,
      pipelineName: row.pipeline_name,
      jobName: row.job_name,
      last: row.last
    })),
    ({ last }) => last
  )
  return JobHistories.groupsOf(jobs).filter((group) => asked === null || group.some(({ jobNo }) => asked.has(jobNo)))
})

const selectAsked = ({ repositoryId, sql }: Place, { commit, runIds }: AskedRuns) => sql<{
  readonly job_no: number
}>`
  SELECT DISTINCT r.job_no
  FROM job_runs r
  JOIN commits c ON c.repository_id = r.repository_id AND c.commit_no = r.commit_no
  WHERE r.repository_id = ${repositoryId} AND r.run_id = ANY(${Parameter.texts(runIds)})
    AND c.sha = ${Parameter.text(commit)}`

/** The jobs, or those of the pipelines of some, with the instants of their last runs on the default branch. */
const selectJobs = ({ repositoryId, since, sql }: Place, asked: ReadonlyArray<number> | null) => sql<{
  readonly job_no: number
  readonly pipeline_name: string
  readonly job_name: string
  readonly last: Instant.Instant
}>`
  SELECT j.job_no, j.pipeline_name, j.job_name, r.finished_at AS last
  FROM jobs j
  CROSS JOIN LATERAL (
    SELECT finished_at
    FROM job_runs
    WHERE repository_id = ${repositoryId} AND job_no = j.job_no AND on_default_branch
      AND finished_at >= ${Parameter.instant(since)}
    ORDER BY finished_at DESC
    LIMIT 1
  ) r
  WHERE j.repository_id = ${repositoryId}
    AND ${
      asked === null
        ? sql`true`
        : sql`j.pipeline_name IN (
            SELECT pipeline_name
            FROM jobs
            WHERE repository_id = ${repositoryId} AND job_no = ANY(${Parameter.int4s(asked)})
          )`
    }`

const judgedOf = Effect.fnUntraced(function* <A>(
  place: Place,
  group: ReadonlyArray<Job>,
  judge: MissingFacts.Judge<A>
) {
  const rows = yield* selectRuns(place, group)
  const places = group.length === 1 ? TestPlaces.ofBlocks() : yield* TestPlaces.ofIds(yield* selectTests(place, group))
  const sets: Array<{ readonly row: RunRow; readonly run: MissingFacts.JobRunSet }> = []
  yield* Slices.visit(rows, setsAtOnce, (row) => {
    // Ignore a set that is damaged or not yet built by a refold.
    const ran = Result.getSuccess(places.setOf(row.outcomes))
    if (Option.isSome(ran)) sets.push({ row, run: runOf(row, ran.value) })
  })
  const histories = group.map(({ jobName, jobNo, pipelineName }) => {
    const partOf = (part: RunRow["part"]) =>
      sets.filter(({ row }) => row.job_no === jobNo && row.part === part).map(({ run }) => run)
    return { pipelineName, jobName, runs: partOf("runs"), others: partOf("others"), own: partOf("own") }
  })
  const { asked, value } = yield* Slices.steps(judge(histories))
  const found: Array<MissingFacts.NamesFound> = []
  for (const { runId, tests } of asked) {
    const numbers = places.testsAt(tests)
    const names = yield* selectNames(place, numbers)
    const runs = rows.filter((row) => row.run_id === runId).map((row) => row.run_no)
    found.push({
      names: JobHistories.namesOf([...new Set(names.map((row) => row.test_name))]),
      skipped: places.sizeOf(yield* SkippedTests.inRuns(place, runs, numbers))
    })
  }
  return { value, found }
})

/** A set of 50,000 tests takes a millisecond or two. */
const setsAtOnce = 2

interface RunRow {
  readonly job_no: number
  readonly run_no: number
  readonly run_id: string
  readonly finished_at: Instant.Instant
  readonly outcomes: Uint8Array
  readonly sha: string
  readonly part: "runs" | "others" | "own"
}

const runOf = ({ finished_at, run_id, sha }: RunRow, ran: TestSet.TestSet): MissingFacts.JobRunSet => ({
  runId: run_id,
  at: finished_at,
  commit: sha,
  ran
})

const selectRuns = (place: Place, group: ReadonlyArray<Job>) => {
  const { query, repositoryId, sql } = place
  return sql<RunRow>`
    SELECT r.job_no, r.run_no, r.run_id, r.finished_at, r.outcomes, r.part, c.sha
    FROM (
      SELECT p.*
      FROM unnest(${Parameter.int4s(group.map(({ jobNo }) => jobNo))}) AS n (job_no)
      CROSS JOIN LATERAL (
        ${query.runs === null ? baseRuns(place, sql`true`) : runsAround(place, query.runs)}
      ) p
    ) r
    CROSS JOIN LATERAL (
      SELECT sha
      FROM commits
      WHERE repository_id = ${repositoryId} AND commit_no BETWEEN r.commit_no AND r.commit_no
      ORDER BY commit_no
      LIMIT 1
    ) c`
}

/** The latest runs of job `n` on the default branch. */
const baseRuns = ({ repositoryId, since, sql }: Place, condition: Fragment) => sql`
  SELECT *
  FROM (
    SELECT job_no, run_no, run_id, finished_at, outcomes, commit_no, 'runs' AS part
    FROM job_runs
    WHERE repository_id = ${repositoryId} AND job_no = n.job_no AND on_default_branch
      AND finished_at >= ${Parameter.instant(since)} AND ${condition}
    ORDER BY finished_at DESC, run_id COLLATE "C" DESC, run_attempt DESC
    LIMIT ${sql.literal(String(MissingFacts.bounds.runs))}
  ) base`

/** The runs of job `n` that somebody asks about, and those before them. */
const runsAround = (place: Place, { before, commit, runIds }: AskedRuns) => {
  const { repositoryId, since, sql } = place
  const isAsked = sql`run_id = ANY(${Parameter.texts(runIds)}) AND commit_no = (
      SELECT commit_no
      FROM commits
      WHERE repository_id = ${repositoryId} AND sha = ${Parameter.text(commit)}
    )`
  const isBefore = sql`finished_at < ${Parameter.instant(before)} AND NOT (${isAsked})`
  return sql`
    ${baseRuns(place, isBefore)}
    UNION ALL
    SELECT *
    FROM (
      SELECT job_no, run_no, run_id, finished_at, outcomes, commit_no, 'others' AS part
      FROM job_runs
      WHERE repository_id = ${repositoryId} AND job_no = n.job_no AND NOT on_default_branch
        AND finished_at >= ${Parameter.instant(since)} AND ${isBefore} AND ${TriageRuns.ofNoFork(place)}
      ORDER BY finished_at DESC, run_id COLLATE "C" DESC, run_attempt DESC
      LIMIT ${sql.literal(String(MissingFacts.bounds.elsewhere))}
    ) others
    UNION ALL
    SELECT job_no, run_no, run_id, finished_at, outcomes, commit_no, 'own' AS part
    FROM job_runs
    WHERE repository_id = ${repositoryId} AND job_no = n.job_no AND ${isAsked}`
}

/** The tests of the jobs of a group. */
const selectTests = ({ repositoryId, sql }: Place, group: ReadonlyArray<Job>) => sql<{
  readonly test_no: number
  readonly test_id: string
}>`
  SELECT test_no, test_id
  FROM tests
  WHERE repository_id = ${repositoryId} AND job_no = ANY(${Parameter.int4s(group.map(({ jobNo }) => jobNo))})
  ORDER BY test_no
  LIMIT ${sql.literal(String(MissingFacts.bounds.shardTests))}`

const selectNames = ({ repositoryId, sql }: Place, tests: ReadonlyArray<number>) =>
  tests.length === 0
    ? Effect.succeed([])
    : sql<{ readonly test_name: string }>`
        SELECT t.test_name
        FROM unnest(${Parameter.int4s(tests.slice(0, mostNumbers))}) AS n (test_no)
        CROSS JOIN LATERAL (
          SELECT test_no, test_name
          FROM tests
          WHERE repository_id = ${repositoryId} AND test_no BETWEEN n.test_no AND n.test_no
          ORDER BY test_no
          LIMIT 1
        ) t`

/** A test may have a number in each of some shards. */
const mostNumbers = 2 * MissingFacts.bounds.names
