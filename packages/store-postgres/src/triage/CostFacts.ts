/** The facts on cost in PostgreSQL: the latest job runs, and the tests that failed or ran again in them. */
import { type CostFacts, type Instant, Steps } from "@lazaret/domain"
import { type CostStore, JobRun, PaidRuns, Slices } from "@lazaret/store"
import { Effect } from "effect"
import * as Parameter from "../database/Parameter.ts"
import * as Snapshot from "../reading/Snapshot.ts"
import * as RunNames from "../repository/RunNames.ts"
import * as CauseFacts from "./CauseFacts.ts"
import * as Outcomes from "./Outcomes.ts"
import * as TriageRuns from "./TriageRuns.ts"

/** The facts on cost over a reader. */
export const make =
  (reader: Snapshot.Reader): CostStore["Service"]["facts"] =>
  (ref, since) =>
    Snapshot.ofRepository<CostFacts.CostFacts>(reader, "CostStore.facts", ref, { from: since, runs: [] }, (id) =>
      Effect.flatMap(TriageRuns.placeOf(reader.client.sql, id), (place) => select(place, since))
    )

const select = Effect.fnUntraced(function* (place: TriageRuns.Place, since: Instant.Instant) {
  const start = Math.max(since, place.horizon)
  const { from, runs: rows } = PaidRuns.within(yield* allRuns(place, start), start)
  const tests = yield* testsOf(place, rows)
  const passed = yield* passes(place, rows, tests)
  const runs: Array<CostFacts.CostRun> = []
  yield* Slices.visit(rows, runsAtOnce, (row) => {
    const own = (tests.get(row.runNo) ?? []).map(({ testNo, ...test }) => ({
      ...test,
      hasPassed: passed(row, testNo)
    }))
    const { runNo: _, ...run } = row
    runs.push({ ...run, tests: own })
  })
  return { from, runs }
})

const runsAtOnce = 500

/** A job run without its tests. */
interface Read extends Omit<CostFacts.CostRun, "tests"> {
  readonly runNo: number
}

/** The latest job runs, at most one more than the bound, read in pages so that other fibers run in between. */
const allRuns = Effect.fnUntraced(function* (place: TriageRuns.Place, start: Instant.Instant) {
  const found: Array<Read> = []
  let last: Pick<Row, "finished_at" | "run_no"> | null = null
  while (found.length <= PaidRuns.mostRuns) {
    const rows: ReadonlyArray<Row> = yield* selectRuns(place, start, last)
    for (const row of rows) found.push(readOf(row, place.defaultBranch))
    last = rows.at(-1) ?? null
    if (rows.length < rowsOfPage || last === null) break
    yield* Effect.yieldNow
  }
  return found
})

const rowsOfPage = 2000

interface Row {
  readonly run_no: number
  readonly run_id: string
  readonly run_attempt: number
  readonly branch: string | null
  readonly base_branch: string | null
  readonly finished_at: Instant.Instant
  readonly is_excused: boolean
  readonly passed: number
  readonly failed: number
  readonly duration_us: number
  readonly sha: string
  readonly pipeline_name: string
  readonly job_name: string
}

const selectRuns = (
  place: TriageRuns.Place,
  start: Instant.Instant,
  last: Pick<Row, "finished_at" | "run_no"> | null
) => {
  const { repositoryId, sql } = place
  const before =
    last === null
      ? sql``
      : sql`AND (finished_at, run_no) < (${Parameter.instant(last.finished_at)}, ${last.run_no}::int)`
  return sql<Row>`
    SELECT r.*, c.sha, j.pipeline_name, j.job_name
    FROM (
      SELECT run_no, job_no, commit_no, run_id, run_attempt, branch, base_branch, finished_at,
        on_default_branch AND excused AS is_excused, passed, failed, duration_us
      FROM job_runs
      WHERE repository_id = ${repositoryId} AND ${TriageRuns.ofNoFork(place)}
        AND finished_at >= ${Parameter.instant(start)} ${before}
      ORDER BY finished_at DESC, run_no DESC
      LIMIT ${sql.literal(String(rowsOfPage))}
    ) r
    ${RunNames.joined({ sql, repositoryId })}
    ORDER BY r.finished_at DESC, r.run_no DESC`
}

const readOf = (row: Row, defaultBranch: string): Read => {
  const { base_branch: baseBranch, job_name: jobName, pipeline_name: pipelineName, run_id: runId, sha: commit } = row
  const branch = row.branch ?? defaultBranch
  return {
    runNo: row.run_no,
    key: JobRun.key({ pipelineName, jobName, runId, runAttempt: row.run_attempt, commit, branch, baseBranch }),
    at: row.finished_at,
    pipelineName,
    jobName,
    runId,
    runAttempt: row.run_attempt,
    commit,
    branch,
    baseBranch,
    isExcused: row.is_excused,
    passed: row.passed,
    failed: row.failed,
    durationUs: row.duration_us,
    source: "reports"
  }
}

/** A test of a job run with its number. */
interface Numbered extends PaidRuns.ReadTest {
  readonly testNo: number
}

/** The tests of each job run that failed or ran again in it, in the order of names. */
const testsOf = Effect.fnUntraced(function* (place: TriageRuns.Place, runs: ReadonlyArray<Read>) {
  const rows: Array<TestRow> = []
  for (let start = 0; start < runs.length; start += runsAtOnce) {
    const numbers = runs.slice(start, start + runsAtOnce).map(({ runNo }) => runNo)
    for (const row of yield* selectTests(place, numbers)) rows.push(row)
    yield* Effect.yieldNow
  }
  const names = yield* CauseFacts.namesOf(place, rows)
  yield* Effect.yieldNow
  const numberOf = new Map<string, number>()
  yield* Slices.visit(names, namesAtOnce, ([testNo, testName]) => numberOf.set(testName, testNo))
  yield* Effect.yieldNow
  const byRun = Map.groupBy(rows, ({ run_no }) => run_no)
  return new Map(
    yield* Slices.steps(
      Steps.mapSteps(byRun, perTest, function* ([runNo, ofRun]) {
        const tests = ofRun.flatMap(({ file, is_failed: isFailed, reruns, test_no }) => {
          const testName = names.get(test_no)
          return testName === undefined ? [] : [{ testName, isFailed, reruns, file }]
        })
        const together = yield* PaidRuns.together(tests)
        const numbered = together.map((test): Numbered => ({ ...test, testNo: numberOf.get(test.testName) ?? -1 }))
        return [runNo, numbered] as const
      })
    )
  )
})

/** Names that are noted in a step: some milliseconds. */
const namesAtOnce = 10_000

/** The size of a step over the tests of job runs: some milliseconds. */
const perTest = {
  most: 5000,
  weightOf: ([, rows]: readonly [number, ReadonlyArray<TestRow>]) => 1 + rows.length
}

interface TestRow {
  readonly run_no: number
  readonly test_no: number
  readonly is_failed: boolean
  readonly reruns: number
  readonly file: string | null
}

const selectTests = ({ horizon, repositoryId, sql }: TriageRuns.Place, runs: ReadonlyArray<number>) =>
  sql<TestRow>`
    SELECT f.run_no, f.test_no, f.is_failed, f.reruns, f.file
    FROM unnest(${Parameter.int4s(runs)}) AS n (run_no)
    CROSS JOIN LATERAL (
      SELECT run_no, test_no, bool_or(is_failed) AS is_failed, sum(reruns)::int AS reruns,
        min(filepath COLLATE "C") AS file
      FROM failed_executions
      WHERE repository_id = ${repositoryId} AND run_no = n.run_no AND at >= ${Parameter.instant(horizon)}
      GROUP BY run_no, test_no
      ORDER BY test_no
      LIMIT ${sql.literal(String(PaidRuns.mostTestsOfRun))}
    ) f`

/** Finds whether a test passed in a job run, or in another one on the same code. */
const passes = Effect.fnUntraced(function* (
  place: TriageRuns.Place,
  runs: ReadonlyArray<Read>,
  tests: ReadonlyMap<number, ReadonlyArray<Numbered>>
) {
  const passed = new Map<number, ReadonlySet<number>>()
  const groups = PaidRuns.onSameCode(runs)
  const wantedOf = (group: ReadonlyArray<Read>) =>
    new Set(group.flatMap(({ runNo }) => (tests.get(runNo) ?? []).map(({ testNo }) => testNo)))
  for (const slice of Slices.byWeight(groups, ({ length }) => length, setsAtOnce)) {
    const all = slice.map((group) => ({ numbers: group.map(({ runNo }) => runNo), wanted: wantedOf(group) }))
    const bitsIn = yield* Outcomes.bits(
      place,
      all.flatMap(({ numbers }) => numbers),
      all.flatMap(({ wanted }) => [...wanted])
    )
    for (const { numbers, wanted } of all) {
      const found = new Set([...wanted].filter((testNo) => numbers.some((runNo) => (bitsIn(runNo, testNo) & 1) === 1)))
      for (const runNo of numbers) passed.set(runNo, found)
    }
    yield* Effect.yieldNow
  }
  // A job run without failures: every test that was retried in it passed in the end.
  return ({ runNo }: Read, testNo: number): boolean => passed.get(runNo)?.has(testNo) ?? true
})

const setsAtOnce = 64
