import { CostLedger, type CostKnown } from "@lazaret/domain"
import { Quarantines, RepositoryMetrics } from "@lazaret/services"
import { CostStore } from "@lazaret/store"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { PrometheusMetrics } from "effect/observability"
import * as TestClock from "effect/testing/TestClock"
import { memory, noon, record, ref } from "../builders.ts"

/** The rounds begin when the layer is built, at noon. */
const on = (isOn: boolean) =>
  RepositoryMetrics.layerRounds.pipe(
    Layer.provideMerge(Layer.fresh(memory)),
    Layer.provide(Layer.succeed(RepositoryMetrics.RepositoryMetrics, isOn))
  )

const minute = 60_000_000

/** A computed cost of 30 minutes of machines, and 7 of waiting. */
const storeCost = Effect.gen(function* () {
  const store = yield* CostStore
  const week = CostLedger.emptyWeek(noon)
  const known: CostKnown.CostKnown = {
    from: noon,
    weeks: [{ ...week, runs: { ...week.runs, all: 1000 } }],
    tests: [{ testName: "b", causeId: null, file: null }],
    causes: [],
    cells: [
      {
        week: 0,
        test: 0,
        failed: 10 * minute,
        repeated: 15 * minute,
        retried: 5 * minute,
        waiting: 7 * minute,
        runs: 1
      }
    ]
  }
  yield* store.request(ref, noon)
  const [leased] = yield* store.lease({ now: noon, until: noon + 1000, lease: "l", limit: 1 })
  assert.isDefined(leased)
  if (leased !== undefined) {
    yield* store.replace(leased, { known, computedAt: noon, againAt: noon, atLatest: null, events: [] })
  }
})

const facts = Effect.gen(function* () {
  yield* record(
    { test: "a", commit: "1", hoursAgo: 5 },
    { test: "b", commit: "1", hoursAgo: 5 },
    { test: "b", commit: "1", hoursAgo: 4, conclusion: "failed" },
    { test: "c", commit: "1", hoursAgo: 4, conclusion: "failed" }
  )
  yield* Quarantines.use((quarantines) =>
    quarantines.create(ref, { testName: "b", branch: null, reason: "flaky", source: "manual", by: "ada" })
  )
  yield* storeCost
  yield* TestClock.adjust("1 minute")
  const page = yield* PrometheusMetrics.format()
  return page.split("\n").filter((line) => line.includes('repository="'))
})

describe("the metrics of repositories", () => {
  it.effect("nothing names a repository while they are off", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      assert.deepStrictEqual(yield* Effect.provide(facts, on(false)), [])
    })
  )

  it.effect("each repository has its tests by health, its quarantines and the time of its last upload", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      assert.sameMembers(yield* Effect.provide(facts, on(true)), [
        'lazaret_tests{repository="acme/widgets",health="healthy"} 1',
        'lazaret_tests{repository="acme/widgets",health="flaky"} 1',
        'lazaret_tests{repository="acme/widgets",health="broken"} 1',
        'lazaret_quarantined_tests{repository="acme/widgets"} 1',
        `lazaret_last_upload_timestamp_seconds{repository="acme/widgets"} ${noon / 1000}`,
        'lazaret_open_causes{repository="acme/widgets"} 0',
        'lazaret_flaky_minutes{repository="acme/widgets",of="machines"} 30',
        'lazaret_flaky_minutes{repository="acme/widgets",of="waiting"} 7'
      ])
    })
  )
})
