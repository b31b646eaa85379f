/** The law of test details, of the health of tests, and of repository statistics. */
import { Instant, type Repository, Rollup, TestFilter, TestId } from "@lazaret/domain"
import { TestStore } from "@lazaret/store"
import { Effect, Option } from "effect"
import { Ask, Case, Law, Plain, Sample, Upload } from "../law/index.ts"

const statuses = [null, "healthy", "flaky", "broken"] as const

const count = (ref: Repository.RepositoryRef, given: TestFilter.Given = {}, status: (typeof statuses)[number] = null) =>
  TestStore.use((store) => store.count(ref, { filter: TestFilter.make(given), status, now: Sample.noon }))

const days = (failed: Readonly<Record<number, number>>) => Array.from({ length: 30 }, (_, day) => failed[day] ?? 0)

/** The cases of details, health and statistics. */
export const cases: ReadonlyArray<Case.Case> = [
  Case.make("TestStore", "a record tells the first and the last of everything", function* (ref) {
    yield* Upload.moments(ref, [
      ["passed", "c1", 50],
      ["failed", "c2", 40],
      ["flaky", "c3", 20],
      ["failed", "c4", 10],
      ["passed", "c5", 5],
      ["skipped", "c6", 1]
    ])
    const record = yield* Ask.record(ref)
    yield* Law.equal(
      [record.firstSeenAt, record.lastAt, record.lastConclusion, record.lastFailureAt, record.lastSuccessAt],
      [Sample.daysAgo(50), Sample.daysAgo(1), "skipped", Sample.daysAgo(10), Sample.daysAgo(5)]
    )
    const durationUs = 3_000_000
    yield* Law.equal(record.recent, {
      executions: 4,
      passed: 2,
      failed: 1,
      skipped: 1,
      flaky: 1,
      reruns: 1,
      durationUs
    })
    yield* Law.equal([record.state.status, record.state.onset?.at], ["flaky", Sample.daysAgo(40)])
  }),

  Case.make(
    "TestStore",
    "each part of the description is the latest that an execution said, whenever it arrived",
    function* (ref) {
      const vitest = { framework: "vitest", frameworkVersion: "5.1.1", language: "typescript" }
      yield* Upload.one(ref, "r2", { framework: "jest", language: null }, [{ at: Sample.daysAgo(1), filepath: "b.ts" }])
      yield* Upload.one(ref, "r1", vitest, [{ at: Sample.daysAgo(2), filepath: "a.ts", functionName: "adds" }])
      yield* Upload.one(ref, "r3", {}, [{ at: Sample.daysAgo(0) }])
      yield* Upload.one(ref, "r4", { framework: "other", branch: "topic" }, [{ filepath: "c.ts" }])
      const { filepath, framework, frameworkVersion, functionName, language } = yield* Ask.record(ref)
      yield* Law.equal(
        { filepath, framework, frameworkVersion, functionName, language },
        {
          filepath: "b.ts",
          framework: "jest",
          frameworkVersion: "5.1.1",
          functionName: "adds",
          language: "typescript"
        }
      )
    }
  ),

  Case.make(
    "TestStore",
    "an identity without executions for 30 days leaves search and statistics, and keeps its details",
    function* (ref) {
      yield* Upload.moments(ref, [["failed", "c1", 31]])
      yield* Law.equal(yield* Ask.rows(ref), [])
      yield* Law.equal((yield* count(ref)).tests, 0)
      const { lastFailureAt, recent, state } = yield* Ask.record(ref)
      yield* Law.equal([state.status, lastFailureAt, recent], ["broken", Sample.daysAgo(31), Rollup.empty])
      const health = yield* TestStore.use((store) => store.health(ref, [Sample.testId], Sample.noon))
      yield* Law.equal(
        health.get(Sample.testId)?.map(({ active, lastAt }) => [active, lastAt] as const),
        [[false, Sample.daysAgo(31)]]
      )
    }
  ),

  Case.make(
    "TestStore",
    "the identities of a test are in the order of identities, each with what is its own",
    function* (ref) {
      yield* Upload.one(ref, "r1", { pipelineName: "ci", jobName: "a" }, [{}])
      yield* Upload.one(ref, "r2", { pipelineName: "CI", jobName: "\u{1f600}" }, [Sample.failure()])
      yield* Upload.one(ref, "r3", { pipelineName: "CI", jobName: "\ufffd" }, [{}, { testName: "other" }])
      const records = yield* Ask.records(ref)
      yield* Law.equal(
        records.map(({ identity, recent }) => [
          identity.pipelineName,
          identity.jobName,
          recent.executions,
          recent.failed
        ]),
        [
          ["CI", "\ufffd", 1, 0],
          ["CI", "\u{1f600}", 1, 1],
          ["ci", "a", 1, 0]
        ]
      )
    }
  ),

  Case.make(
    "TestStore",
    "the first failure is that since the test was last healthy, and stays known after recovery",
    function* (ref) {
      yield* Upload.moments(ref, [
        ["failed", "a", 90],
        ["passed", "b", 89],
        ["passed", "c", 88],
        ["passed", "d", 87],
        ["failed", "e", 60],
        ["failed", "f", 59]
      ])
      const onset = Effect.map(Ask.record(ref), ({ state }) => [state.status, state.onset?.commit])
      yield* Law.equal(yield* onset, ["broken", "e"])
      yield* Upload.moments(ref, [
        ["passed", "g", 58],
        ["passed", "h", 57],
        ["passed", "i", 56]
      ])
      yield* Law.equal(yield* onset, ["healthy", "e"])
    }
  ),

  Case.make(
    "TestStore",
    "the health of tests gives each identity with its last pass or failure, and no unknown test",
    function* (ref) {
      const store = yield* TestStore
      yield* Upload.moments(ref, [
        ["passed", "c1", 2],
        ["failed", "c2", 1],
        ["skipped", "c3", 0]
      ])
      yield* Upload.moments(ref, [["passed", "c1", 40]], { jobName: "e2e" })
      yield* Upload.moments(ref, [["skipped", "c1", 1]], { jobName: "lint" })
      const unknown = TestId.of("unknown")
      const health = yield* store.health(ref, [unknown, Sample.testId, Sample.testId], Sample.noon)
      const states = Option.getOrElse(yield* store.get(ref, Sample.testId, Sample.noon), () => [])
      const moments = [
        { lastAt: Sample.daysAgo(40), active: false },
        { lastAt: null, active: true },
        { lastAt: Sample.daysAgo(1), active: true }
      ]
      const expected = states.map(({ state }, index) => ({ state, ...moments[index] }))
      yield* Law.equal(Array.from(health.keys()), [Sample.testId])
      yield* Law.equal<unknown>(Plain.sorted(health.get(Sample.testId) ?? []), Plain.sorted(expected))
      yield* Law.equal(yield* store.health(ref, [], Sample.noon), new Map())
    }
  ),

  Case.make(
    "TestStore",
    "the active identities are those of the last 30 days, with what took how long together",
    function* (ref) {
      yield* Upload.one(ref, "r1", {}, [
        { durationMs: 10 },
        Sample.failure({ durationMs: 0.5, at: Sample.noon + 1 }),
        { conclusion: "skipped", at: Sample.noon + 2 },
        { durationMs: 99, at: Sample.daysAgo(31) },
        { testName: "old", at: Sample.daysAgo(31) }
      ])
      yield* Upload.one(ref, "r2", { jobName: "e2e" }, [{ durationMs: 7 }])
      const found = yield* TestStore.use((store) => store.active(ref, Sample.noon))
      const { testName } = Sample
      yield* Law.equal(
        Plain.sorted(found),
        Plain.sorted([
          { testName, healthStatus: "flaky", concluded: 2, durationUs: 10_500 },
          { testName, healthStatus: "healthy", concluded: 1, durationUs: 7000 }
        ])
      )
    }
  ),

  Case.make(
    "TestStore",
    "a count has the identities of a status, and their failures per UTC day, today last",
    function* (ref) {
      const start = Instant.startOfLastDays(Sample.noon, 30)
      yield* Upload.one(ref, "r1", { commit: "c1" }, [
        Sample.failure({ testName: "broken", at: start }),
        Sample.failure({ testName: "broken", at: start - 1 }),
        Sample.failure({ testName: "broken", at: Sample.noon }),
        { testName: "healthy", at: start + Instant.day - 1 },
        { testName: "flaky", at: start + Instant.day },
        Sample.failure({ testName: "flaky", at: start + 2 * Instant.day - 1 }),
        Sample.failure({ testName: "flaky", at: start + 2 * Instant.day })
      ])
      const found = yield* Effect.forEach(statuses, (status) => count(ref, {}, status))
      const byStatus = { healthy: 1, flaky: 1, broken: 1 }
      yield* Law.equal(found, [
        { tests: 3, byStatus, concluded: 6, failedPerDay: days({ 0: 1, 1: 1, 2: 1, 29: 1 }) },
        { tests: 1, byStatus, concluded: 1, failedPerDay: days({}) },
        { tests: 1, byStatus, concluded: 3, failedPerDay: days({ 1: 1, 2: 1 }) },
        { tests: 1, byStatus, concluded: 2, failedPerDay: days({ 0: 1, 29: 1 }) }
      ])
      yield* Law.equal(yield* count(ref, { testName: { include: ["f*"] } }), {
        tests: 1,
        byStatus: { healthy: 0, flaky: 1, broken: 0 },
        concluded: 3,
        failedPerDay: days({ 1: 1, 2: 1 })
      })
      yield* Law.equal((yield* count(ref, { testName: { include: ["f*"] } }, "broken")).tests, 0)
    }
  ),

  Case.make(
    "TestStore",
    "a repository of which nothing is known has no rows, no tests and thirty empty days",
    function* (ref) {
      const store = yield* TestStore
      const page = yield* store.page(ref, Sample.search())
      yield* Law.equal(page, { rows: [], hasPrevious: false, hasNext: false, total: 0 })
      yield* Law.equal(yield* count(ref), {
        tests: 0,
        byStatus: { healthy: 0, flaky: 0, broken: 0 },
        concluded: 0,
        failedPerDay: days({})
      })
      yield* Law.equal(yield* store.active(ref, Sample.noon), [])
      yield* Law.equal(yield* Ask.records(ref), [])
    }
  )
]
