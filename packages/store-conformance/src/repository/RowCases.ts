/** The law of search rows: what each says, and which identities have one. */
import { Instant, type TestSort } from "@lazaret/domain"
import { Ask, Case, Law, Sample, Upload } from "../law/index.ts"

const executions = (testName: string, failed: number, passed: number) => [
  ...Array.from({ length: failed }, () => Sample.failure({ testName, at: Sample.noon + 1 })),
  ...Array.from({ length: passed }, () => ({ testName }))
]

const times = (testName: string, count: number) => Array.from({ length: count }, () => ({ testName }))

/** The cases of rows. */
export const cases: ReadonlyArray<Case.Case> = [
  Case.make(
    "TestStore",
    "a row counts all executions of the last 30 days, and its ratio the passed and failed ones",
    function* (ref) {
      yield* Upload.moments(ref, [
        ["failed", "c1", 40],
        ["failed", "c2", 3],
        ["passed", "c3", 2],
        ["passed", "c4", 1],
        ["skipped", "c4", 0]
      ])
      const row: TestSort.Row = {
        testName: Sample.testName,
        pipelineName: "CI",
        jobName: "unit",
        executionsCount: 4,
        healthStatus: "broken",
        healthConfidence: "low",
        failedExecutionsImpact: "high",
        failedExecutionsRatio: 1 / 3
      }
      yield* Law.equal(yield* Ask.rows(ref), [row])
    }
  ),

  Case.make(
    "TestStore",
    "impact is low below 5 %, medium below 20 %, and high from there; healthy tests have none",
    function* (ref) {
      const all = [
        ...executions("low", 1, 20),
        ...executions("medium", 1, 19),
        ...executions("high", 1, 4),
        ...executions("none", 0, 1)
      ]
      yield* Upload.one(ref, "r", {}, all)
      const rows = yield* Ask.rows(ref, { sort: "failed_executions_impact", direction: "desc" })
      yield* Law.equal(
        rows.map(({ failedExecutionsImpact, testName }) => [testName, failedExecutionsImpact]),
        [
          ["high", "high"],
          ["medium", "medium"],
          ["low", "low"],
          ["none", null]
        ]
      )
    }
  ),

  Case.make(
    "TestStore",
    "confidence counts the reruns since the verdict last moved: low below 10, medium below 30, then high",
    function* (ref) {
      yield* Upload.one(ref, "r", {}, [
        ...times("low", 10),
        ...times("medium", 11),
        ...times("almost", 30),
        ...times("high", 31),
        { testName: "in job", flaky: true, reruns: 40 },
        { testName: "in job", reruns: 30, at: Sample.noon + 1 },
        { testName: "moved", flaky: true, reruns: 40 }
      ])
      const rows = yield* Ask.rows(ref, { sort: "health_confidence", direction: "asc" })
      yield* Law.equal(
        rows.map(({ healthConfidence, testName }) => [testName, healthConfidence]),
        [
          ["low", "low"],
          ["moved", "low"],
          ["almost", "medium"],
          ["medium", "medium"],
          ["high", "high"],
          ["in job", "high"]
        ]
      )
    }
  ),

  Case.make(
    "TestStore",
    "the 30 days are whole UTC days, today included, the thirtieth day from its first millisecond",
    function* (ref) {
      const start = Instant.startOfLastDays(Sample.noon, 30)
      yield* Upload.one(ref, "r", {}, [
        { testName: "in", at: start },
        Sample.failure({ testName: "in", at: start - 1 }),
        { testName: "out", at: start - 1 },
        { testName: "today", at: Sample.noon - 1 }
      ])
      const rows = yield* Ask.rows(ref)
      yield* Law.equal(
        rows.map((row) => [row.testName, row.executionsCount, row.failedExecutionsRatio]),
        [
          ["in", 1, 0],
          ["today", 1, 0]
        ]
      )
      const yesterday = yield* Ask.rows(ref, { now: Sample.daysAgo(1) })
      yield* Law.equal(
        yesterday.map((row) => [row.testName, row.executionsCount]),
        [
          ["in", 2],
          ["out", 1]
        ],
        "what the 30 days up to yesterday hold"
      )
      const lastMoment = Instant.startOfLastDays(Sample.noon, 0) - 1
      yield* Law.equal(yield* Ask.names(ref, { now: lastMoment }), ["in", "today"])
      yield* Law.equal(yield* Ask.names(ref, { now: lastMoment + 1 }), ["today"])
    }
  ),

  Case.make(
    "TestStore",
    "a test that was only skipped is found, and one that left the 30 days comes back when it runs",
    function* (ref) {
      yield* Upload.one(ref, "r1", {}, [{ testName: "skipped", conclusion: "skipped" }])
      yield* Upload.one(ref, "r2", {}, [Sample.failure({ testName: "old", at: Sample.daysAgo(50) })])
      yield* Law.equal(yield* Ask.names(ref), ["skipped"])
      yield* Upload.one(ref, "r3", {}, [{ testName: "old", conclusion: "skipped" }])
      const rows = yield* Ask.rows(ref)
      yield* Law.equal(
        rows.map(({ healthStatus, testName }) => [testName, healthStatus]),
        [
          ["old", "broken"],
          ["skipped", "healthy"]
        ]
      )
    }
  )
]
