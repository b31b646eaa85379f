import { Badges } from "@lazaret/services"
import { Repository, TestId } from "@lazaret/domain"
import { RepositoryStore, StoreError, TestStore } from "@lazaret/store"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as TestClock from "effect/testing/TestClock"
import { memory, noon, record, ref } from "../builders.ts"

const show = (badge: boolean) => RepositoryStore.use((store) => store.change(ref, (held) => ({ ...held, badge }), noon))

describe("Badges", () => {
  it.effect("count identities by status, and are at most a minute behind", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      yield* record(
        { test: "a", commit: "1", hoursAgo: 5 },
        { test: "b", commit: "1", hoursAgo: 5 },
        { test: "b", commit: "1", hoursAgo: 4, conclusion: "failed" }
      )
      yield* show(true)
      const badges = yield* Badges
      assert.deepStrictEqual(yield* badges.repository(ref), { healthy: 1, flaky: 1, broken: 0 })
      yield* record({ test: "c", commit: "1", hoursAgo: 3, conclusion: "failed" })
      const upper = { owner: ref.owner.toUpperCase(), repository: ref.repository }
      assert.deepStrictEqual(yield* badges.repository(upper), { healthy: 1, flaky: 1, broken: 0 })
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* badges.repository(ref), { healthy: 1, flaky: 1, broken: 1 })
    }).pipe(Effect.provide(memory))
  )

  it.effect("a badge is not cached when the store has failed", () => {
    const state = { isDown: true }
    const down = new StoreError({ operation: "count", reason: "unavailable", cause: null })
    const failing = Layer.effect(
      TestStore,
      Effect.map(TestStore, (store) => ({
        ...store,
        count: (...asked: Parameters<typeof store.count>) =>
          Effect.suspend(() => (state.isDown ? Effect.fail(down) : store.count(...asked)))
      }))
    )
    return Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      yield* record({ test: "a", commit: "1", hoursAgo: 5 })
      yield* show(true)
      const badges = yield* Badges
      assert.strictEqual(yield* Effect.flip(badges.repository(ref)), down)
      state.isDown = false
      assert.deepStrictEqual(yield* badges.repository(ref), { healthy: 1, flaky: 0, broken: 0 })
    }).pipe(Effect.provide(Layer.fresh(Badges.layer).pipe(Layer.provide(failing), Layer.provideMerge(memory))))
  })

  it.effect("a badge of a test shows the worst status of its pipelines and jobs", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      yield* record(
        { test: "a", commit: "1", hoursAgo: 5 },
        { test: "a", commit: "1", hoursAgo: 5, job: "other", conclusion: "failed" }
      )
      yield* show(true)
      assert.strictEqual(yield* (yield* Badges).test(ref, TestId.of("a")), "broken")
    }).pipe(Effect.provide(memory))
  )

  it.effect("badges answer like those of an unknown test as soon as they are turned off", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      yield* record({ test: "a", commit: "1", hoursAgo: 5 })
      const badges = yield* Badges
      const asked = [Effect.asVoid(badges.repository(ref)), Effect.asVoid(badges.test(ref, TestId.of("a")))]
      const other = { owner: ref.owner, repository: "unknown" }
      const unknown = yield* Effect.flip(badges.repository(other))
      for (const each of asked) assert.deepStrictEqual(yield* Effect.flip(each), unknown)
      yield* show(true)
      for (const each of asked) yield* each
      assert.deepStrictEqual(yield* Effect.flip(badges.test(ref, TestId.of("b"))), unknown)
      yield* show(false)
      for (const each of asked) assert.deepStrictEqual(yield* Effect.flip(each), unknown)
      assert.isFalse(Repository.defaultSettings.badge)
    }).pipe(Effect.provide(memory))
  )
})
