import { assert, describe, it } from "@effect/vitest"
import { Ingestion, TestAliases } from "@lazaret/services"
import { StoreError, TestStore } from "@lazaret/store"
import { Effect, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import { given, memory, noon, ref } from "../builders.ts"

/** Records a run with tests of these names, and yields the warnings. */
const upload = Effect.fnUntraced(function* (number: number, names: ReadonlyArray<string>) {
  const [template] = given({ commit: `c${number}`, hoursAgo: 10 - number }).cases
  const cases = names.flatMap((testName) => (template === undefined ? [] : { ...template, testName }))
  const one = { ...given({ commit: `c${number}`, hoursAgo: 10 - number }), digest: String(number), cases }
  return (yield* Ingestion.use((ingestion) => ingestion.record(ref, one))).warnings
})

const namesOf = (number: number) => ["adds 2", `takes 0x7f0${number}aa`, `listens on 127.0.0.1:${40_000 + number}`]

describe("the warning about names that change with each run", () => {
  it.effect(
    "names that change with each run have a warning from the second run on, which says how many tests they made",
    () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(noon)
        assert.deepStrictEqual(yield* upload(1, namesOf(1)), [])
        const [second, ...others] = yield* upload(2, namesOf(2))
        assert.deepStrictEqual(others, [])
        assert.match(
          second ?? "",
          /^2 tests have names that change with each run: `takes 0x7f02aa` is `takes <\*>` each time/
        )
        assert.match((yield* upload(3, namesOf(3))).join(), /6 tests of this job are such names/)
        assert.deepStrictEqual(yield* upload(4, ["adds 2"]), [], "no name that could change")
      }).pipe(Effect.provide(memory))
  )

  it.effect("the warning has the command that makes the names one test, and is gone when each mask is one", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      const namesIn = (number: number) => namesOf(number).map((name) => `it's ${name}`)
      yield* upload(1, namesIn(1))
      assert.include((yield* upload(2, namesIn(2))).join(), String.raw`lazaret tests alias --mask 'it'\''s takes <*>'`)
      const accept = (from: string) =>
        TestAliases.use((aliases) => aliases.create(ref, [{ kind: "mask", from, to: from }], "ada"))
      yield* accept("it's takes <*>")
      assert.match(
        (yield* upload(3, namesIn(3))).join(),
        /^1 test has a name that .* --mask 'it'\\''s listens on <\*>'$/
      )
      yield* accept("it's listens on <*>")
      assert.deepStrictEqual(yield* upload(4, namesIn(4)), [])
    }).pipe(Effect.provide(memory))
  )

  it.effect("names that stay have no warning, whatever they look like", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      for (const number of [1, 2, 3]) assert.deepStrictEqual(yield* upload(number, namesOf(7)), [])
    }).pipe(Effect.provide(memory))
  )

  it.effect("an upload is recorded without the warning when the store does not answer", () => {
    const failing = Layer.effect(
      TestStore,
      Effect.map(TestStore, (store) =>
        TestStore.of({
          ...store,
          page: () => Effect.fail(new StoreError({ operation: "tests.page", reason: "failed", cause: "away" }))
        })
      )
    ).pipe(Layer.provide(memory))
    const ingestion = Layer.fresh(Ingestion.layer).pipe(Layer.provide(failing), Layer.provide(memory))
    return Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      for (const number of [1, 2]) assert.deepStrictEqual(yield* upload(number, namesOf(number)), [])
    }).pipe(Effect.provide(Layer.mergeAll(ingestion, Logger.layer([]))))
  })
})
