import { MemoryStores, QuarantineStore, type Stores } from "@lazaret/store"
import { Conformance, Differential, Law, Plain } from "@lazaret/store-conformance"
import { assert, describe, it } from "@effect/vitest"
import { test } from "@lazaret/tools/steps"
import { Context, Effect, Layer, Schema } from "effect"
import * as Arbitrary from "effect/Arbitrary"

/** A store whose removals always claim to have removed. */
const boastful: Layer.Layer<Stores.Stores> = Layer.effectContext(
  Effect.map(Layer.build(Layer.fresh(MemoryStores.layer)), (context) => {
    const store = Context.get(context, QuarantineStore)
    const remove: typeof store.remove = (...removal) => Effect.as(store.remove(...removal), true)
    return Context.add(context, QuarantineStore, { ...store, remove })
  })
)

const timeout = 300_000

describe("Conformance", () => {
  it.effect(
    "a store that breaks one law fails the cases of that law and no other",
    () =>
      Effect.gen(function* () {
        const outcomes = yield* Conformance.run(boastful)
        assert.deepStrictEqual(
          outcomes.filter(({ error }) => error !== null).map((outcome) => outcome.case.name),
          ["two repositories never see each other"]
        )
      }),
    { timeout }
  )

  it.effect("the name of every case is a sentence of its own", () =>
    Effect.sync(() => {
      const names = Conformance.cases.map(({ name }) => name)
      assert.strictEqual(new Set(names).size, names.length)
    })
  )

  it.effect(
    "the differential test finds a store that breaks a law, with the shortest commands that show it",
    () =>
      Effect.gen(function* () {
        const effort = { runs: 60, commands: 40 }
        const violation = yield* Effect.flip(Differential.compare(boastful, MemoryStores.layer, effort))
        assert.include(violation.message, "(Remove)")
        assert.deepStrictEqual([violation.actual, violation.expected], [true, false])
      }),
    { timeout }
  )

  test("a law is tried as often as the thoroughness says, and once at least", function* () {
    let tries = 0
    const law = () => Effect.sync(() => void tries++)
    const forAll = Law.forAll(Arbitrary.schema(Schema.Int), law, { runs: 10 })
    yield* Effect.provideService(forAll, Law.Thoroughness, 2)
    assert.strictEqual(tries, 20)
    yield* Effect.provideService(forAll, Law.Thoroughness, 0)
    assert.strictEqual(tries, 21)
  })

  test("a difference is named by its path", function* () {
    const violation = yield* Effect.flip(Law.equal({ rows: [{ a: 1n }] }, { rows: [{ a: 2n }] }, "the page"))
    assert.strictEqual(violation.message, 'the page at rows.0.a.bigint is "1" where the law asks for "2"')
    assert.strictEqual(Plain.difference({ a: undefined }, {}), "a")
  })
})
