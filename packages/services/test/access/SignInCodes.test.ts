import { assert, describe, it } from "@effect/vitest"
import { KeyRegistry, SignInCodes } from "@lazaret/services"
import { MemoryStores } from "@lazaret/store"
import { Context, Effect, Layer, Option, Redacted } from "effect"
import { TestClock } from "effect/testing"

/** Two server processes on one store. */
const processes = Effect.gen(function* () {
  const stores = yield* Layer.build(Layer.fresh(MemoryStores.layer))
  const start = Effect.map(
    Layer.build(
      Layer.fresh(SignInCodes.layer).pipe(
        Layer.provideMerge(Layer.fresh(KeyRegistry.layer)),
        Layer.provide(Layer.succeedContext(stores))
      )
    ),
    (context) => ({ codes: Context.get(context, SignInCodes), keys: Context.get(context, KeyRegistry) })
  )
  const [one, other] = [yield* start, yield* start]
  const issued = yield* one.keys.issue({ name: "ada", owner: null, scope: "admin" })
  const issue = Effect.map(one.codes.issue(issued.secret), ({ code }) => Redacted.make(code))
  return { one, other, issued, issue }
})

describe("a sign-in code", () => {
  it.effect("a sign-in code yields its key once, at whichever process asks, and to one of many that ask at once", () =>
    Effect.gen(function* () {
      const { issue, issued, one, other } = yield* processes
      const code = yield* issue
      assert.match(Redacted.value(code), /^[\w-]{32}$/u)
      const asked = yield* Effect.all(
        [one, other, one, other].map(({ codes }) => codes.redeem(code)),
        { concurrency: 4 }
      )
      assert.deepStrictEqual(
        asked.filter(Option.isSome).map(({ value }) => value.id),
        [issued.key.id]
      )
      assert.deepStrictEqual(yield* other.codes.redeem(Redacted.make("guess")), Option.none())
    }).pipe(Effect.scoped)
  )

  it.effect("a sign-in code is good for less than a quarter of an hour", () =>
    Effect.gen(function* () {
      const { issue, other } = yield* processes
      const [early, late] = [yield* issue, yield* issue]
      yield* TestClock.adjust("899999 millis")
      assert.isTrue(Option.isSome(yield* other.codes.redeem(early)))
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(yield* other.codes.redeem(late), Option.none())
    }).pipe(Effect.scoped)
  )

  it.effect("a sign-in code is replaced by the eleventh of its own key, and by none of another key", () =>
    Effect.gen(function* () {
      const { issue, one } = yield* processes
      const [first, second] = [yield* issue, yield* issue]
      yield* TestClock.adjust("1 second")
      yield* Effect.replicateEffect(issue, 9)
      const stranger = yield* one.keys.issue({ name: "bob", owner: "acme", scope: "ci" })
      yield* Effect.replicateEffect(one.codes.issue(stranger.secret), 11)
      const found = [yield* one.codes.redeem(first), yield* one.codes.redeem(second)].map(Option.isSome)
      // Both were made in one instant: one of them, and no other, was the oldest.
      assert.sameMembers(found, [false, true])
    }).pipe(Effect.scoped)
  )

  it.effect("the code of a key that was revoked meanwhile, or of an unknown secret, yields nothing", () =>
    Effect.gen(function* () {
      const { issue, issued, one, other } = yield* processes
      yield* one.keys.issue({ name: "another", owner: null, scope: "admin" })
      const code = yield* issue
      yield* one.keys.revoke(issued.key.id)
      assert.deepStrictEqual(yield* other.codes.redeem(code), Option.none())
      const { code: nobody } = yield* one.codes.issue(Redacted.make("lzr_admin_unknown"))
      assert.deepStrictEqual(yield* one.codes.redeem(Redacted.make(nobody)), Option.none())
    }).pipe(Effect.scoped)
  )
})
