import { Upkeep } from "@lazaret/services"
import { MemoryStores, StoreError, UpkeepStore } from "@lazaret/store"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as TestClock from "effect/testing/TestClock"

const repositories = ["one", "two", "three"].map((repository) => ({ owner: "acme", repository }))

/** A store with three repositories of an older version; the recomputation of the second fails a number of times. */
const outdated = (failures: number) => {
  const left = new Set(repositories.map(({ repository }) => repository))
  let failed = 0
  return Layer.succeed(UpkeepStore, {
    takesWrites: Effect.void,
    verify: () => Effect.succeed([]),
    outdated: Effect.sync(() => repositories.filter(({ repository }) => left.has(repository))),
    refold: ({ repository }) =>
      Effect.suspend(() => {
        if (repository === "two" && failed++ < failures) {
          return Effect.fail(
            new StoreError({ operation: "UpkeepStore.refold", reason: "failed", cause: new Error("no") })
          )
        }
        left.delete(repository)
        return Effect.succeed(true)
      })
  })
}

describe("Upkeep.renew", () => {
  it.effect("Upkeep.renew recomputes every outdated repository, and one that fails keeps no other from it", () => {
    const upkeep = outdated(1)
    return Effect.gen(function* () {
      const { renew } = yield* Upkeep
      assert.strictEqual(yield* renew, 1)
      const store = yield* UpkeepStore
      assert.deepStrictEqual(yield* store.outdated, [{ owner: "acme", repository: "two" }])
      assert.strictEqual(yield* renew, 0)
      assert.strictEqual(yield* renew, 0)
    }).pipe(Effect.provide(Layer.fresh(Upkeep.layer).pipe(Layer.provideMerge(Layer.merge(MemoryStores.layer, upkeep)))))
  })

  it.effect("Upkeep.renew is tried again every hour until nothing is left", () => {
    const upkeep = outdated(2)
    return Effect.gen(function* () {
      const store = yield* UpkeepStore
      const left = Effect.andThen(
        Effect.repeat(Effect.yieldNow, { times: 100 }),
        Effect.map(store.outdated, ({ length }) => length)
      )
      assert.strictEqual(yield* left, 1)
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(yield* left, 1)
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(yield* left, 0)
    }).pipe(
      Effect.provide(
        Upkeep.layerRounds.pipe(
          Layer.provideMerge(Layer.fresh(Upkeep.layer)),
          Layer.provideMerge(Layer.merge(MemoryStores.layer, upkeep))
        )
      )
    )
  })
})
