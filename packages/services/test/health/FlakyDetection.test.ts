import { FlakyDetection, HostingPlatform, Services, Tests } from "@lazaret/services"
import { Repository, TestId } from "@lazaret/domain"
import { MemoryStores, RepositoryStore } from "@lazaret/store"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import * as TestClock from "effect/testing/TestClock"
import { memory, noon, pull, record, ref } from "../builders.ts"

describe("FlakyDetection", () => {
  it.effect("the context names the tests by their worst status, with the mean duration of their executions", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      yield* record(
        { test: "b", commit: "1", hoursAgo: 5, durationMs: 10 },
        { test: "a", commit: "1", hoursAgo: 5, durationMs: 20, conclusion: "failed" },
        { test: "a", commit: "1", hoursAgo: 4, durationMs: 30, job: "other" },
        { test: "c", commit: "1", hoursAgo: 5, durationMs: 40 },
        { test: "c", commit: "1", hoursAgo: 4, durationMs: 50, conclusion: "failed" }
      )
      const context = yield* (yield* FlakyDetection).context(ref)
      assert.deepStrictEqual(context, { existing: ["a", "b", "c"], flaky: ["c"], broken: ["a"], meanDurationMs: 30 })
    }).pipe(Effect.provide(memory))
  )

  it.effect("the context is not found while flaky detection is off", () =>
    Effect.gen(function* () {
      const detection = yield* FlakyDetection
      assert.strictEqual((yield* Effect.flip(detection.context(ref)))._tag, "FlakyDetectionOff")
      yield* record({ commit: "1", hoursAgo: 1 })
      assert.deepStrictEqual((yield* detection.context(ref)).existing, ["adds"])
      yield* (yield* RepositoryStore).set(ref, { ...Repository.defaultSettings, flakyDetection: false }, noon)
      assert.strictEqual((yield* Effect.flip(detection.context(ref)))._tag, "FlakyDetectionOff")
    }).pipe(Effect.provide(memory))
  )
})

describe("PullRequests", () => {
  it.effect(
    "PullRequests asks the hosting platform once for a commit that no fact traces, and keeps the answer",
    () => {
      const asked: Array<string> = []
      const platform = Layer.succeed(HostingPlatform, {
        isConnected: Effect.succeed(true),
        permission: () => Effect.succeed("none" as const),
        file: () => Effect.succeed(Option.none()),
        pullOf: (_: Repository.RepositoryRef, commit: string) =>
          Effect.sync(() => {
            asked.push(commit)
            return commit === "b" ? Option.some(pull) : Option.none()
          })
      })
      const layer = Services.layer.pipe(Layer.provideMerge(Layer.mergeAll(MemoryStores.layer, platform)))
      return Effect.gen(function* () {
        yield* TestClock.setTime(noon)
        yield* record({ commit: "a", hoursAgo: 5 }, { commit: "b", hoursAgo: 4, conclusion: "failed" })
        const tests = yield* Tests
        assert.deepStrictEqual((yield* tests.details(ref, TestId.of("adds"))).firstFailurePull, pull)
        assert.deepStrictEqual((yield* tests.details(ref, TestId.of("adds"))).firstFailurePull, pull)
        assert.deepStrictEqual(asked, ["b"])
      }).pipe(Effect.provide(layer))
    }
  )
})
