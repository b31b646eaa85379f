import { CommitNotice, HostingPlatform, Repositories, Services } from "@lazaret/services"
import { TestId } from "@lazaret/domain"
import { MemoryStores, StoreError } from "@lazaret/store"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as TestClock from "effect/testing/TestClock"
import { commit, noon, record, ref } from "../builders.ts"

describe("Repositories", () => {
  it.effect("the removal of a test whose notice failed can be repeated, so that its issue is closed", () => {
    let failures = 1
    const down = new StoreError({ operation: "IssueStore.request", reason: "unavailable", cause: "down" })
    const changed = () => Effect.suspend(() => (failures-- > 0 ? Effect.fail(down) : Effect.void))
    const memory = Layer.fresh(Services.layer).pipe(
      Layer.provideMerge(Layer.mergeAll(MemoryStores.layer, HostingPlatform.layerOff)),
      Layer.provide(Layer.succeed(CommitNotice, { notice: () => Effect.void, changed }))
    )
    return Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      yield* record({ commit, conclusion: "failed", hoursAgo: 1 })
      const { removeTest } = yield* Repositories
      const removal = removeTest(ref, TestId.of("adds"), "adds")
      assert.strictEqual((yield* Effect.flip(removal))._tag, "StoreError")
      yield* removal
      assert.strictEqual((yield* Effect.flip(removal))._tag, "TestNotFound")
    }).pipe(Effect.provide(memory))
  })
})
