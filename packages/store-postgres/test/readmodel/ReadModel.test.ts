import { Report, TestFilter, TestList } from "@lazaret/domain"
import { ExecutionStore, TestStore } from "@lazaret/store"
import { PostgresStores } from "@lazaret/store-postgres"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import * as TestDatabase from "../support/TestDatabase.ts"

const ref = { owner: "acme", repository: "widgets" }

const now = Date.UTC(2026, 4, 20, 12)

/** Tests that pass, that fail, and that do both, in more blocks than one. */
const report = (job: string, run: number, tests: number): Report.Report =>
  Report.make({
    key: `${job} ${run}`,
    digest: `${job} ${run}`,
    receivedAt: now - (9 - run) * 60_000,
    finishedAt: now - (9 - run) * 60_000,
    run: Report.contextOf({ pipelineName: "CI", jobName: job, branch: "main", commit: `c${Math.floor(run / 2)}` }),
    cases: Array.from({ length: tests }, (_, index) =>
      Report.caseOf({
        testName: `law ${tests - index}`,
        conclusion: index % 9 === 2 || (index % 9 === 5 && run % 2 === 0) ? "failed" : "passed"
      })
    )
  })

const quarantined = new Set(["law 1", "law 99", "unknown"])

/** The answers of the overview, and lists of tests that are not healthy. */
const overview = Effect.gen(function* () {
  const tests = yield* TestStore
  const list = (query: Partial<TestList.Query>, filter: Partial<TestList.Filter> = {}) => {
    const unhealthy: TestList.Filter = { ...TestList.all, healthStatus: ["broken", "flaky"], ...filter }
    return tests.list(ref, { ...TestList.everything, filter: unhealthy, limit: 12, quarantined, ...query }, now)
  }
  return {
    attention: yield* list({ sort: "attention", direction: "desc" }),
    byName: yield* list({ sort: "test_name" }),
    quarantined: yield* list({}, { isQuarantined: true }),
    flaky: yield* list({}, { healthStatus: ["flaky"], jobName: ["unit"] }),
    files: yield* tests.files(ref, quarantined, now),
    counts: yield* tests.count(ref, { filter: TestFilter.all, status: null, now }),
    days: yield* tests.runs(ref, now)
  }
})

describe("the read model", () => {
  it.live("the overview has the same answers before and after the names of all tests were read", () =>
    Effect.gen(function* () {
      const server = PostgresStores.layer({ url: Redacted.make(yield* TestDatabase.url) })
      const append = (each: Report.Report) => ExecutionStore.use((store) => store.append(ref, each))
      yield* Effect.gen(function* () {
        for (let run = 0; run < 8; run++) {
          yield* append(report("unit", run, 200))
          yield* append(report("e2e", run, 70))
        }
      }).pipe(Effect.provide(server, { local: true }))
      yield* Effect.gen(function* () {
        const before = yield* overview
        assert.isAbove(before.attention.total, 12)
        assert.isTrue(before.byName.rows.every(({ testName }) => testName.startsWith("law ")))
        assert.isAbove(before.quarantined.total, 0)
        yield* append(report("unit", 8, 300))
        const written = yield* overview
        assert.notDeepEqual(written, before)
        const all = yield* TestStore.use((tests) => tests.list(ref, TestList.everything, now))
        assert.strictEqual(all.total, 370)
        assert.isTrue(all.rows.every(({ testName }) => testName.startsWith("law ")))
        assert.deepStrictEqual(yield* overview, written)
      }).pipe(Effect.provide(server, { local: true }))
    })
  )
})
