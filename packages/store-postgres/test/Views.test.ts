import { assert, layer } from "@effect/vitest"
import { stepsOf } from "@lazaret/tools/steps"
import { TestId } from "@lazaret/domain"
import { ExecutionStore, type RecordedExecution, RetentionStore, TestStore } from "@lazaret/store"
import { Case, Sample } from "@lazaret/store-conformance"
import { PostgresClient } from "@lazaret/store-postgres"
import { Effect, Layer, Option } from "effect"
import * as Servers from "./support/Servers.ts"
import * as TestDatabase from "./support/TestDatabase.ts"

const server = Layer.unwrap(Effect.map(TestDatabase.url, (url) => Servers.layer(url, 8)))

/** More tests than a block has, some executed more than once in a report, one of them for long. */
const recorded = Effect.gen(function* () {
  const ref = yield* Case.repository
  const { append } = yield* ExecutionStore
  const names = Array.from({ length: 70 }, (_, test) => `law ${test}`)
  for (const [day, commit] of [
    [3, "c1"],
    [2, "c2"]
  ] as const) {
    const at = Sample.daysAgo(day)
    const executions = [...names, "law 3", "law 3", "law 66"].map((testName, index) => {
      const others = { testName, at: at + index, durationMs: index === 71 ? 7_200_000.001 : index + 0.25 }
      if (index % 9 === 0) return Sample.failure({ ...others, reruns: index % 4 })
      return index % 10 === 0 ? { ...others, flaky: true, reruns: 5 } : others
    })
    yield* append(ref, Sample.report(`day ${day}`, { commit, branch: day === 2 ? null : "main" }, executions))
  }
  yield* append(ref, Sample.report("topic", { branch: "topic" }, [{ testName: "law 1" }]))
  return ref
})

layer(server, { excludeTestServices: true })("the views", (it) => {
  const test = stepsOf(it)
  test("the views show every execution as the store answers it", function* () {
    const ref = yield* recorded
    const { sql } = yield* PostgresClient
    const { history } = yield* ExecutionStore
    const rows = yield* sql<Omit<RecordedExecution, "outage" | "many">>`
        SELECT execution_id AS id, at, commit, conclusion, flaky, reruns, excused AND conclusion = 'failed' AS excused,
          run_id AS "runId", duration_ms AS "durationMs", exception_type AS "exceptionType", job_url AS "jobUrl"
        FROM executions
        WHERE repository = ${ref.repository} AND on_default_branch AND test_name IN ('law 3', 'law 66', 'law 0')
        ORDER BY at, execution_id COLLATE "C"`
    const expected = yield* Effect.forEach(["law 3", "law 66", "law 0"], (name) => history(ref, TestId.of(name)))
    const executions = expected
      .flatMap((found) => Option.getOrThrow(found).flatMap((each) => each.executions))
      .map(({ many: _many, outage: _outage, ...execution }) => execution)
    assert.deepStrictEqual(
      rows,
      executions.toSorted((a, b) => a.at - b.at)
    )
    assert.strictEqual(rows.length, 2 * 6)
  })

  test("the views show executions of other branches, as such", function* () {
    const ref = yield* recorded
    const { sql } = yield* PostgresClient
    const rows = yield* sql`
        SELECT test_name, pipeline_name, job_name, run_id, branch
        FROM executions
        WHERE repository = ${ref.repository} AND NOT on_default_branch`
    assert.deepStrictEqual(rows, [
      { test_name: "law 1", pipeline_name: "CI", job_name: "unit", run_id: "topic", branch: "topic" }
    ])
  })

  test("the views show nothing from before the horizon, though its week has not been given back yet", function* () {
    const ref = yield* recorded
    const { sql } = yield* PostgresClient
    const { append } = yield* ExecutionStore
    const { drop } = yield* RetentionStore
    yield* append(ref, Sample.report("old", {}, [{ testName: "law 1", at: Sample.daysAgo(30) }]))
    const shown = sql<{ readonly run_id: string }>`
        SELECT run_id
        FROM executions
        WHERE repository = ${ref.repository} AND test_name = 'law 1'
        ORDER BY at`
    const runsOf = Effect.map(shown, (rows) => rows.map((row) => row.run_id))
    assert.deepStrictEqual(yield* runsOf, ["old", "day 3", "day 2", "topic"])
    yield* drop(ref, Sample.daysAgo(10))
    assert.deepStrictEqual(yield* runsOf, ["day 3", "day 2", "topic"])
  })

  for (const [question, condition] of [
    ["of everything", ""],
    ["of one test", " WHERE test_name = 'law 3'"],
    ["of many tests", " WHERE test_name LIKE 'law %'"],
    ["of a branch", " WHERE on_default_branch"]
  ] as const) {
    test(`the views are read without comparing each execution with every test, though nothing is known of them: ${question}`, function* () {
      yield* recorded
      const { sql } = yield* PostgresClient
      const plan = yield* sql
        .unsafe<{ readonly "QUERY PLAN": string }>(`EXPLAIN (COSTS OFF) SELECT * FROM executions${condition}`)
        .pipe(Effect.map((rows) => rows.map((row) => row["QUERY PLAN"].trim())))
      const joins = plan.filter((line) => /^(Merge|Hash) Cond: .*test_no/u.test(line))
      const ofTests = plan.filter((line) => /^(Index Cond|Filter): .*block_no = ANY/u.test(line))
      assert.isAbove(joins.length + ofTests.length, 0, plan.join("\n"))
      assert.deepStrictEqual(
        plan.filter((line) => /^Merge Cond: \(\w+\.repository_id = (u|n|j|m|t)\w*\.repository_id\)$/u.test(line)),
        []
      )
    })
  }

  test("the views show the health and the totals of every test as search does", function* () {
    const ref = yield* recorded
    const { sql } = yield* PostgresClient
    const { page } = yield* TestStore
    const rows = yield* sql`
        SELECT test_name AS "testName", pipeline_name AS "pipelineName", job_name AS "jobName",
          health_status AS "healthStatus", executions AS "executionsCount",
          failed::float8 / (executions - skipped) AS "failedExecutionsRatio"
        FROM test_health
        WHERE repository = ${ref.repository}
        ORDER BY test_name COLLATE "C"`
    const found = yield* page(ref, Sample.search({ limit: 100 }))
    const expected = found.rows.map((row) => ({
      testName: row.testName,
      pipelineName: row.pipelineName,
      jobName: row.jobName,
      healthStatus: row.healthStatus,
      executionsCount: row.executionsCount,
      failedExecutionsRatio: row.failedExecutionsRatio
    }))
    assert.deepStrictEqual(rows, expected)
    assert.strictEqual(rows.length, 70)
  })
})
