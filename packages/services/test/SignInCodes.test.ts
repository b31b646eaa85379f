import { assert, it, layer } from "@effect/vitest"
import { SignInCodes } from "@lazaret/services"
import { Effect, Option, Redacted } from "effect"
import { TestClock } from "effect/testing"

const redeem = (code: string) =>
  Effect.flatMap(SignInCodes, (codes) => Effect.map(codes.redeem(Redacted.make(code)), Option.map(Redacted.value)))

const issueFor = (secret: string) =>
  Effect.flatMap(SignInCodes, (codes) => Effect.map(codes.issue(Redacted.make(secret)), ({ code }) => code))

const issue = issueFor("lzr_admin_1")

layer(SignInCodes.layer)("a sign-in code", (test) => {
  test.effect("a sign-in code yields its key once", () =>
    Effect.gen(function* () {
      const code = yield* issue
      assert.match(code, /^[\w-]{32}$/u)
      assert.deepStrictEqual(yield* redeem(code), Option.some("lzr_admin_1"))
      assert.deepStrictEqual(yield* redeem(code), Option.none())
    })
  )

  test.effect("a sign-in code is good for less than a quarter of an hour", () =>
    Effect.gen(function* () {
      const [early, late] = [yield* issue, yield* issue]
      yield* TestClock.adjust("899999 millis")
      assert.isTrue(Option.isSome(yield* redeem(early)))
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(yield* redeem(late), Option.none())
    })
  )

  test.effect(
    "a sign-in code is replaced by the eleventh of its own key, and by those of ten thousand other codes at the earliest",
    () =>
      Effect.gen(function* () {
        const [first, second] = [yield* issue, yield* issue]
        yield* Effect.replicateEffect(issue, 9)
        assert.deepStrictEqual(yield* redeem(first), Option.none())
        yield* Effect.forEach(Array.from({ length: 9990 }), (_, index) => issueFor(`lzr_ci_${index % 999}`))
        assert.isTrue(Option.isSome(yield* redeem(second)))
        const last = yield* issue
        yield* Effect.forEach(Array.from({ length: 10_000 }), (_, index) => issueFor(`lzr_ci_${index % 1000}`))
        assert.deepStrictEqual(yield* redeem(last), Option.none())
      })
  )
})

it.effect("a code that was never issued yields nothing", () =>
  Effect.map(Effect.provide(redeem("guess"), SignInCodes.layer), (found) =>
    assert.deepStrictEqual(found, Option.none())
  )
)
