import { Ingestion, Tests } from "@lazaret/services"
import { Instant, TestFilter, TestId, type TimeWindow } from "@lazaret/domain"
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import * as TestClock from "effect/testing/TestClock"
import { given, memory, noon, pull, record, ref, testsWith } from "../builders.ts"

const adds = TestId.of("adds")

const test = testsWith(memory)

describe("Tests.details", () => {
  test("a test that failed and passed on one commit is flaky, with the pull request that brought the commit", function* () {
    yield* record(
      { commit: "a", hoursAgo: 5 },
      { commit: "b", hoursAgo: 4, conclusion: "failed", pullRequest: pull },
      { commit: "b", hoursAgo: 3 },
      { commit: "c", hoursAgo: 2 }
    )
    const details = yield* (yield* Tests).details({ owner: "ACME", repository: "Widgets" }, adds)
    assert.deepInclude(details, {
      repository: "widgets",
      testName: "adds",
      healthStatus: "flaky",
      lastConclusion: "passed",
      failureRatio: 0.25,
      flakinessRatio: 0.25,
      successRatio: 0.75,
      lastFailureAt: noon - 4 * Instant.hour,
      lastSuccessAt: noon - 2 * Instant.hour,
      flakyDetectionEnabled: true
    })
    assert.strictEqual(details.firstFailure?.commit, "b")
    assert.deepStrictEqual(details.firstFailurePull, pull)
  })

  test("a test that only failed and passed inside one job has no first and no last failure", function* () {
    const upload = given({ commit: "a", hoursAgo: 1, pullRequest: pull })
    const cases = upload.cases.map((each) => ({ ...each, flaky: true, reruns: 1 }))
    yield* (yield* Ingestion).record(ref, { ...upload, cases })
    const details = yield* (yield* Tests).details(ref, adds)
    assert.deepInclude(details, { healthStatus: "flaky", flakinessRatio: 1, failureRatio: 0 })
    assert.deepInclude(details, { firstFailure: null, firstFailurePull: null, lastFailureAt: null })
  })

  test("an unknown repository and an unknown test are not found", function* () {
    const tests = yield* Tests
    assert.deepInclude(yield* Effect.flip(tests.details(ref, adds)), {
      _tag: "RepositoryNotFound",
      owner: ref.owner
    })
    yield* record({ commit: "a", hoursAgo: 1, test: "other" })
    assert.deepInclude(yield* Effect.flip(tests.details(ref, adds)), { _tag: "TestNotFound", testId: adds })
  })
})

describe("Tests.transitions", () => {
  test("edges name the exception and the pull request of the first failure of the episode", function* () {
    yield* record(
      { commit: "a", hoursAgo: 20 },
      { commit: "b", hoursAgo: 10, conclusion: "failed", exception: "TypeError", pullRequest: pull },
      { commit: "b", hoursAgo: 8 }
    )
    const { firstActivityAt, transitions } = yield* (yield* Tests).transitions(ref, adds, {})
    assert.deepStrictEqual(
      transitions.map((edge) => [(edge.at - noon) / Instant.hour, edge.status, edge.exceptionType, edge.pull]),
      [
        [-20, "healthy", null, null],
        [-10, "broken", "TypeError", pull],
        [-8, "flaky", "TypeError", pull]
      ]
    )
    assert.strictEqual(firstActivityAt, noon - 20 * Instant.hour)
  })

  test("a window in which nothing ran ends on the verdict that held, without activity", function* () {
    yield* record({ commit: "b", hoursAgo: 100, conclusion: "failed" })
    const { firstActivityAt, transitions } = yield* (yield* Tests).transitions(ref, adds, {})
    assert.deepStrictEqual([transitions.map((edge) => edge.status), firstActivityAt], [["broken"], null])
  })

  test("a window that ends in the past ends on the badge as it read then", function* () {
    yield* record(
      { commit: "a", hoursAgo: 30 },
      { commit: "b", hoursAgo: 1.5, conclusion: "failed", exception: "ValueError" }
    )
    const tests = yield* Tests
    const failedAt = noon - 1.5 * Instant.hour
    const statuses = (start: Instant.Instant, end: Instant.Instant) =>
      Effect.map(tests.transitions(ref, adds, { start, end }), ({ transitions }) =>
        transitions.map((edge) => edge.status)
      )
    const day = Instant.startOfLastDays(noon, 1)
    for (const start of [day, day - 30 * Instant.day]) {
      assert.deepStrictEqual(yield* statuses(start, failedAt - 10 * Instant.minute), ["healthy"])
      assert.deepStrictEqual(yield* statuses(start, failedAt), ["healthy"])
      assert.deepStrictEqual((yield* statuses(start, failedAt + 1)).at(-1), "broken")
    }
  })

  test("a first point whose episode began before the window has no exception and no pull request", function* () {
    yield* record(
      { commit: "a", hoursAgo: 20 },
      { commit: "b", hoursAgo: 1.5, conclusion: "failed", exception: "ValueError", pullRequest: pull }
    )
    const tests = yield* Tests
    const failedAt = noon - 1.5 * Instant.hour
    const points = (start: Instant.Instant) =>
      Effect.map(tests.transitions(ref, adds, { start, end: noon }), ({ firstActivityAt, transitions }) => [
        ...transitions.map((edge) => [(edge.at - noon) / Instant.hour, edge.status, edge.exceptionType, edge.pull]),
        firstActivityAt === null ? null : (firstActivityAt - noon) / Instant.hour
      ])
    assert.deepStrictEqual(yield* points(failedAt + 10 * Instant.minute), [[-2, "broken", null, null], null])
    assert.deepStrictEqual(yield* points(failedAt + 1), [[-2, "broken", null, null], null])
    assert.deepStrictEqual(yield* points(failedAt), [[-2, "broken", "ValueError", pull], -2])
  })

  test("a window wholly in the future is invalid, and one that begins now is not", function* () {
    yield* record({ commit: "a", hoursAgo: 1 })
    const tests = yield* Tests
    const boundOf = (bounds: TimeWindow.Bounds) =>
      Effect.map(Effect.flip(tests.transitions(ref, adds, bounds)), (error) =>
        error._tag === "Invalid" ? error.faults.map((fault) => [fault._tag, "bound" in fault && fault.bound]) : error
      )
    assert.deepStrictEqual(yield* boundOf({ start: noon + 1 }), [["InvalidWindow", "start"]])
    assert.deepStrictEqual(yield* boundOf({ end: noon + 1 + Instant.day }), [["InvalidWindow", "end"]])
    const { transitions } = yield* tests.transitions(ref, adds, { start: noon })
    assert.deepStrictEqual(
      transitions.map((edge) => [edge.at, edge.status]),
      [[noon, "healthy"]]
    )
  })

  test("a window that ends before it starts is invalid", function* () {
    yield* record({ commit: "a", hoursAgo: 1 })
    const bounds = { start: noon, end: noon - 1 }
    const error = yield* Effect.flip((yield* Tests).transitions(ref, adds, bounds))
    assert.strictEqual(error._tag, "Invalid")
    if (error._tag === "Invalid") assert.deepInclude(error.faults[0], { _tag: "InvalidWindow", bound: "end" })
  })
})

describe("Tests.explain", () => {
  test("an explanation names the executions and the rule of each identity, the worst first, and what recovery needs", function* () {
    yield* record(
      { commit: "a", hoursAgo: 20, job: "docs" },
      { commit: "b", hoursAgo: 10, conclusion: "failed", exception: "TypeError" },
      { commit: "b", hoursAgo: 8 },
      { commit: "b", hoursAgo: 7 }
    )
    const why = yield* (yield* Tests).explain(ref, adds)
    assert.deepInclude(why, { testId: adds, testName: "adds", status: "flaky" })
    const [flaky, healthy] = why.identities
    assert.deepInclude(flaky, {
      jobName: "unit",
      status: "flaky",
      rule: "contradiction",
      since: noon - 8 * Instant.hour,
      confidence: "low",
      reruns: 1,
      clean: 2,
      recovery: {
        passes: 8,
        commits: 0,
        notBefore: noon - 10 * Instant.hour + 14 * Instant.day,
        sooner: null
      }
    })
    assert.deepStrictEqual(
      flaky?.evidence.map((execution) => [execution.commit, execution.conclusion, execution.exceptionType]),
      [
        ["b", "failed", "TypeError"],
        ["b", "passed", null],
        ["b", "passed", null]
      ]
    )
    assert.deepInclude(healthy, {
      jobName: "docs",
      status: "healthy",
      rule: "start",
      since: noon - 20 * Instant.hour,
      recovery: null,
      flakeRateBound: 1
    })
  })

  test("an unknown repository and an unknown test are not found", function* () {
    const tests = yield* Tests
    assert.deepInclude(yield* Effect.flip(tests.explain(ref, adds)), {
      _tag: "RepositoryNotFound",
      owner: ref.owner
    })
    yield* record({ commit: "a", hoursAgo: 1, test: "other" })
    assert.deepInclude(yield* Effect.flip(tests.explain(ref, adds)), { _tag: "TestNotFound", testId: adds })
  })
})

describe("Tests.statistic", () => {
  test("the summary is over exactly the window, equals the sum of its buckets and agrees with the executions", function* () {
    const minutes = (ago: number) => ago / 60
    yield* record(
      { commit: "a", hoursAgo: minutes(115) },
      { commit: "b", hoursAgo: minutes(80), conclusion: "failed" },
      { commit: "c", hoursAgo: minutes(60) }
    )
    const tests = yield* Tests
    const counts = (start: Instant.Instant, end: Instant.Instant) =>
      Effect.gen(function* () {
        const bounds = { start, end }
        const passed = yield* tests.statistic(ref, adds, "success_count", bounds)
        const failed = yield* tests.statistic(ref, adds, "failure_count", bounds)
        for (const { value, valueOverTime } of [passed, failed]) {
          assert.strictEqual(
            valueOverTime.reduce((sum, bucket) => sum + bucket.value, 0),
            value
          )
          assert.isTrue(valueOverTime.every((bucket) => bucket.start % Instant.hour === 0))
        }
        const request = {
          sort: "executions_count",
          direction: "desc",
          cursor: null,
          perPage: 10,
          bounds
        } as const
        const { rows } = yield* tests.executions(ref, adds, request)
        const executions = rows.reduce((sum, row) => sum + row.executionsCount, 0)
        return [passed.value, failed.value, executions, passed.valueOverTime.length]
      })
    const [ten, half, eleven] = [noon - 2 * Instant.hour, noon - 1.5 * Instant.hour, noon - Instant.hour]
    assert.deepStrictEqual(yield* counts(half, eleven), [0, 1, 1, 1])
    assert.deepStrictEqual(yield* counts(ten, half), [1, 0, 1, 1])
    assert.deepStrictEqual(yield* counts(half, eleven + 1), [1, 1, 2, 2])
    assert.deepStrictEqual((yield* counts(half - 100 * Instant.day, half)).slice(0, 3), [1, 0, 1])
  })

  test("a window is covered by whole buckets, empty ones included", function* () {
    yield* record(
      { commit: "a", hoursAgo: 3, durationMs: 500 },
      { commit: "b", hoursAgo: 2, durationMs: 1500 },
      { commit: "b", hoursAgo: 1, conclusion: "failed", durationMs: 4000 },
      { commit: "old", hoursAgo: 30 }
    )
    const tests = yield* Tests
    const count = yield* tests.statistic(ref, adds, "success_count", {})
    assert.deepStrictEqual([count.value, count.valueOverTime.length], [2, 24])
    assert.strictEqual(count.valueOverTime[21]?.value, 1)
    assert.strictEqual((yield* tests.statistic(ref, adds, "failure_count", {})).value, 1)
    assert.strictEqual((yield* tests.statistic(ref, adds, "flaky_count", {})).value, 1)
    assert.strictEqual((yield* tests.statistic(ref, adds, "mean_duration", {})).value, 2)
  })
})

describe("Tests.search", () => {
  test("pages are followed by cursors, and a cursor of another sort is invalid", function* () {
    yield* record(...["c", "a", "b"].map((name) => ({ test: name, commit: "x", hoursAgo: 1 })))
    const tests = yield* Tests
    const first = yield* tests.search(ref, { perPage: 2 })
    assert.deepStrictEqual([first.rows.map((row) => row.testName), first.total], [["a", "b"], 3])
    const second = yield* tests.search(ref, { perPage: 2, cursor: first.links.next })
    assert.deepStrictEqual([second.rows.map((row) => row.testName), second.links.next], [["c"], null])
    const foreign = { sort: "job_name", cursor: first.links.next } as const
    assert.strictEqual((yield* Effect.flip(tests.search(ref, foreign)))._tag, "Invalid")
  })

  test("an identity leaves after 30 days without executions and keeps its details", function* () {
    yield* record({ commit: "a", hoursAgo: 24 * 29 + 12 })
    const tests = yield* Tests
    assert.strictEqual((yield* tests.search(ref, {})).total, 1)
    yield* TestClock.adjust("12 hours")
    assert.strictEqual((yield* tests.search(ref, {})).total, 0)
    assert.strictEqual((yield* tests.details(ref, adds)).successRatio, 0)
  })
})

describe("Tests.executions", () => {
  test("identities of a test are ordered by how often they ran in the window", function* () {
    yield* record(
      { commit: "a", hoursAgo: 2 },
      { commit: "a", hoursAgo: 2, job: "slow" },
      { commit: "b", hoursAgo: 1, job: "slow" },
      { commit: "b", hoursAgo: 1, job: "branch only", branch: "topic" }
    )
    const request = { sort: "executions_count", direction: "desc", cursor: null, perPage: 10, bounds: {} } as const
    const { rows } = yield* (yield* Tests).executions(ref, adds, request)
    assert.deepStrictEqual(
      rows.map((row) => [row.jobName, row.executionsCount]),
      [
        ["slow", 2],
        ["unit", 1]
      ]
    )
  })
})

describe("Tests.repositoryStatistic", () => {
  test("repository statistics count identities by health, and failed executions per day for 30 days", function* () {
    yield* record(
      { commit: "a", hoursAgo: 30, test: "one", conclusion: "failed" },
      { commit: "a", hoursAgo: 30, test: "two" },
      { commit: "b", hoursAgo: 1, test: "one", conclusion: "failed" }
    )
    const tests = yield* Tests
    const total = yield* tests.repositoryStatistic(ref, "total_tests", TestFilter.all)
    assert.deepStrictEqual([total.value, total.valueOverTime.length], [2, 30])
    const broken = yield* tests.repositoryStatistic(ref, "broken_tests", TestFilter.all)
    assert.deepStrictEqual([broken.value, broken.valueOverTime.slice(-2).map((day) => day.value)], [1, [1, 1]])
    const healthy = yield* tests.repositoryStatistic(ref, "healthy_tests", TestFilter.all)
    assert.deepStrictEqual([healthy.value, healthy.valueOverTime.every((day) => day.value === 0)], [1, true])
    assert.strictEqual((yield* tests.repositoryStatistic(ref, "failed_executions", TestFilter.all)).value, 2)
  })
})
