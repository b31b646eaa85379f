import { Ingestion, Retention } from "@lazaret/services"
import { Instant } from "@lazaret/domain"
import { RetentionStore } from "@lazaret/store"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as TestClock from "effect/testing/TestClock"
import { given, memory, noon, record, ref, testsWith } from "../builders.ts"

const scenario = <A, E>(body: Effect.Effect<A, E, Retention | Ingestion | RetentionStore>) =>
  TestClock.setTime(noon).pipe(Effect.andThen(body), Effect.provide(memory))

const test = testsWith(memory)

const daysAgo = (days: number) => ({ commit: `c${days}`, hoursAgo: 24 * days })

/** The horizon of 90 days before noon. */
const horizon = Date.UTC(2026, 1, 16)

const late = (days: number) => Effect.flatMap(Ingestion, (ingestion) => ingestion.record(ref, given(daysAgo(days))))

describe("Retention", () => {
  test("retention deletes data older than 90 days in whole weeks, and reports what it deleted", function* () {
    yield* record(daysAgo(95), daysAgo(94), daysAgo(93), daysAgo(1))
    const { run } = yield* Retention
    const done = yield* run
    assert.deepInclude(done, { days: 90, horizon, repositories: 1, failed: 0, reports: 2, identities: 0 })
    assert.deepInclude(yield* run, { reports: 0, identities: 0 })
  })

  test("an upload from before the horizon gets a warning, and records no executions", function* () {
    yield* record(daysAgo(1))
    const { run } = yield* Retention
    yield* run
    const receipt = yield* late(100)
    assert.deepInclude(receipt, { received: 1, recorded: 0, duplicates: 0 })
    assert.deepStrictEqual(receipt.expired, { results: 1, horizon: Date.UTC(2026, 1, 16) })
    assert.deepInclude(yield* late(93), { recorded: 1, expired: null })
  })

  it.effect("retention runs a minute after the start and then every day", () =>
    scenario(
      Effect.gen(function* () {
        yield* record(daysAgo(95), daysAgo(80))
        yield* Layer.build(Retention.layerRounds)
        yield* TestClock.adjust("59 seconds")
        assert.deepInclude(yield* late(96), { recorded: 1 })
        yield* TestClock.adjust("1 second")
        assert.deepInclude(yield* late(97), { recorded: 0 })
        assert.deepInclude(yield* late(91), { recorded: 1 })
        yield* TestClock.adjust(7 * Instant.day)
        assert.deepInclude(yield* late(98), { recorded: 0 })
      }).pipe(Effect.scoped)
    )
  )
})
