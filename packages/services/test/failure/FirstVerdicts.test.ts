import { FailureGate, Instant } from "@lazaret/domain"
import { FirstVerdicts, Services, HostingPlatform, Triages } from "@lazaret/services"
import { MemoryStores, RepositoryStore, VerdictStore } from "@lazaret/store"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { memory, noon, record, ref } from "../builders.ts"

const list = (commit: string) => Triages.use((triages) => triages.list(ref, { _tag: "Commit", commit }, {}))

const kept = (commit: string) =>
  Effect.map(
    VerdictStore.use((store) => store.ofCommit(ref, commit)),
    (found) => found.map(({ outcome, verdict }) => ({ verdict, outcome }))
  )

const round = FirstVerdicts.use((verdicts) => verdicts.round)

/** Ports whose writes of verdicts end the test. */
const readOnly = Layer.effect(
  VerdictStore,
  Effect.map(VerdictStore, (store) =>
    VerdictStore.of({
      ...store,
      note: () => Effect.die(new Error("a verdict is written")),
      resolve: () => Effect.die(new Error("an outcome is written")),
      suspend: () => Effect.die(new Error("a suspension is written"))
    })
  )
)

describe("FirstVerdicts", () => {
  it.effect(
    "the first verdict on a failure is kept in the background, and its outcome once the same code ran again",
    () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(noon)
        yield* record({ commit: "m1", hoursAgo: 4 }, { commit: "m2", hoursAgo: 3, conclusion: "failed" })
        assert.strictEqual(yield* round, 0, "within the pause")
        yield* TestClock.adjust("3 seconds")
        assert.strictEqual(yield* round, 2)
        const [first] = yield* kept("m2")
        assert.isDefined(first)
        assert.isNull(first?.outcome)
        yield* record({ commit: "m2", hoursAgo: 2 })
        yield* TestClock.adjust("3 seconds")
        assert.strictEqual(yield* round, 1)
        assert.deepStrictEqual(yield* kept("m2"), [{ verdict: first?.verdict ?? "flaky", outcome: "flaky" }])
        assert.strictEqual(yield* round, 0, "nothing is left")
      }).pipe(Effect.provide(memory))
  )

  it.effect("a failure that is marked before the round gets its verdict first", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      yield* record({ commit: "m1", hoursAgo: 4 }, { commit: "m2", hoursAgo: 3, conclusion: "failed" })
      const { listing } = yield* list("m2")
      const [failure] = listing.rows
      assert.isDefined(failure)
      if (failure?.executionId === undefined || failure.executionId === null) return
      const execution = { testId: failure.testId, executionId: failure.executionId }
      const marked = yield* FirstVerdicts.use((verdicts) => verdicts.mark(ref, execution, { truth: "real", by: "ada" }))
      assert.deepStrictEqual(marked.mark, { truth: "real", by: "ada", at: noon })
    }).pipe(Effect.provide(memory))
  )

  it.effect("probabilities follow the outcomes of the repository, and the answered ones show it", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      const probabilities: Array<{ readonly answered: number; readonly model: number }> = []
      for (let index = 0; index < 30; index++) {
        const commit = `m${index}`
        const parts = { commit, test: `test ${index}` }
        yield* record({ ...parts, commit: `${commit} before`, hoursAgo: 40 - index - 0.3 })
        yield* record({ ...parts, hoursAgo: 40 - index - 0.4, conclusion: "failed" })
        yield* TestClock.adjust("1 minute")
        yield* round
        yield* record({ ...parts, hoursAgo: 40 - index - 0.5, conclusion: "passed" })
        yield* TestClock.adjust("1 minute")
        yield* round
        const [own] = yield* VerdictStore.use((store) => store.ofCommit(ref, commit))
        if (own !== undefined) probabilities.push({ answered: own.probability, model: 1 / (1 + 2 ** -own.odds) })
      }
      const [first] = probabilities
      const last = probabilities.at(-1)
      assert.lengthOf(probabilities, 30)
      assert.closeTo(first?.answered ?? 0, first?.model ?? 1, 1e-9)
      assert.isAbove(last?.answered ?? 0, last?.model ?? 1)
    }).pipe(Effect.provide(memory))
  )

  it.effect("an answer about failures writes nothing, also where excuses hold by verdict", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      yield* record({ commit: "m1", hoursAgo: 4 }, { commit: "m2", hoursAgo: 3, conclusion: "failed" })
      yield* RepositoryStore.use((store) =>
        store.change(ref, (held) => ({ ...held, gate: { ...FailureGate.defaults, flaky: 0.5 } }), noon - Instant.hour)
      )
      const { listing } = yield* list("m2")
      assert.lengthOf(listing.rows, 1)
      assert.deepStrictEqual(yield* kept("m2"), [])
    }).pipe(
      Effect.provide(
        Services.layer.pipe(
          Layer.provideMerge(readOnly),
          Layer.provideMerge(Layer.mergeAll(MemoryStores.layer, HostingPlatform.layerOff))
        )
      )
    )
  )
})
