import { assert, it, layer } from "@effect/vitest"
import { SignInCodes } from "@lazaret/services"
import { Effect, Option, Redacted } from "effect"
import { TestClock } from "effect/testing"

const secret = Redacted.make("lzr_admin_1")

const redeem = (code: string) =>
  Effect.flatMap(SignInCodes, (codes) => Effect.map(codes.redeem(Redacted.make(code)), Option.map(Redacted.value)))

const issue = Effect.flatMap(SignInCodes, (codes) => Effect.map(codes.issue(secret), ({ code }) => code))

layer(SignInCodes.layer)("a sign-in code", (test) => {
  test.effect("yields its key once", () =>
    Effect.gen(function* () {
      const code = yield* issue
      assert.match(code, /^[\w-]{32}$/u)
      assert.deepStrictEqual(yield* redeem(code), Option.some("lzr_admin_1"))
      assert.deepStrictEqual(yield* redeem(code), Option.none())
    })
  )

  test.effect("is good for less than a quarter of an hour", () =>
    Effect.gen(function* () {
      const [early, late] = [yield* issue, yield* issue]
      yield* TestClock.adjust("899999 millis")
      assert.isTrue(Option.isSome(yield* redeem(early)))
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(yield* redeem(late), Option.none())
    })
  )

  test.effect("is forgotten when a thousand newer ones are asked for, so that memory stays bounded", () =>
    Effect.gen(function* () {
      const first = yield* issue
      const second = yield* Effect.as(Effect.void, yield* issue)
      yield* Effect.replicateEffect(issue, 999)
      assert.deepStrictEqual(yield* redeem(first), Option.none())
      assert.isTrue(Option.isSome(yield* redeem(second)))
    })
  )
})

it.effect("a code that was never issued yields nothing", () =>
  Effect.map(Effect.provide(redeem("guess"), SignInCodes.layer), (found) =>
    assert.deepStrictEqual(found, Option.none())
  )
)
