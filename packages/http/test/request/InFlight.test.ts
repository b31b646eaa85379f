import { assert, describe, it } from "@effect/vitest"
import { test } from "@lazaret/tools/steps"
import { Effect, Exit, Fiber, Schema } from "effect"
import { TestClock } from "effect/testing"
import * as InFlight from "../../src/request/InFlight.ts"

const limits: InFlight.Limits = { shared: 100, perCaller: 60, largest: 1000, patience: "30 seconds" }

const callers = ["a", "b", "c"] as const

const upTo = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum }))

/** Each body grows some times, settles, and is released. */
const Body = Schema.Struct({ caller: Schema.Literals(callers), sizes: Schema.Array(upTo(1000)), final: upTo(120) })

const Bodies = Schema.Array(Body).check(Schema.isMinLength(1), Schema.isMaxLength(20))

describe("a budget of bytes", () => {
  it.effect.prop(
    "a budget of bytes never reserves more than it has, lets every body that does not go on for ever finish, and ends empty",
    [Bodies],
    ([bodies]) =>
      Effect.gen(function* () {
        let isLargestTaken = false
        const onLargest = (isTaken: boolean) => {
          assert.notStrictEqual(isTaken, isLargestTaken)
          isLargestTaken = isTaken
        }
        const budget = InFlight.make({ ...limits, onLargest })
        const read = Effect.fnUntraced(function* ({ caller, final, sizes }: typeof Body.Type) {
          const reservation = budget.open(caller)
          for (const size of sizes.toSorted((a, b) => a - b)) {
            assert.isTrue(yield* reservation.grow(size))
            assert.isAtMost(budget.reserved(), limits.shared + limits.largest)
            yield* Effect.yieldNow
          }
          yield* reservation.settle(final)
          yield* Effect.yieldNow
          yield* reservation.release
        })
        yield* Effect.forEach(bodies, read, { concurrency: "unbounded", discard: true })
        assert.strictEqual(budget.reserved(), 0)
        assert.isFalse(isLargestTaken)
      }),
    { arbitrary: { runs: 300 } }
  )

  test("a caller who takes all that it may leaves room for others", function* () {
    const budget = InFlight.make({ ...limits, largest: 0 })
    const mine = Array.from({ length: 3 }, () => budget.open("a"))
    assert.deepStrictEqual(yield* Effect.forEach(mine, (each) => each.grow(20)), [true, true, true])
    const fourth = yield* Effect.forkChild(budget.open("a").grow(20), { startImmediately: true })
    assert.isTrue(yield* budget.open("b").grow(40))
    yield* TestClock.adjust("30 seconds")
    assert.isFalse(yield* Fiber.join(fourth))
  })

  test("a body that waits goes on when another one is released, and gives up after its patience", function* () {
    const budget = InFlight.make(limits)
    const [first, largest, third] = [budget.open("a"), budget.open("a"), budget.open("a")]
    assert.deepStrictEqual([yield* first.grow(60), yield* largest.grow(500)], [true, true])
    const waiting = yield* Effect.forkChild(third.grow(10), { startImmediately: true })
    assert.isUndefined(waiting.pollUnsafe())
    yield* first.release
    assert.isTrue(yield* Fiber.join(waiting))
    const late = yield* Effect.forkChild(budget.open("a").grow(51), { startImmediately: true })
    yield* TestClock.adjust("30 seconds")
    assert.isFalse(yield* Fiber.join(late))
    yield* largest.release
    yield* third.release
    assert.strictEqual(budget.reserved(), 0)
  })

  test("a body whose reading is interrupted while it waits is not waited for", function* () {
    const budget = InFlight.make(limits)
    const [first, largest] = [budget.open("a"), budget.open("b")]
    yield* Effect.all([first.grow(60), largest.grow(500)])
    const waiting = yield* Effect.forkChild(budget.open("a").grow(10), { startImmediately: true })
    yield* Fiber.interrupt(waiting)
    yield* first.release
    yield* largest.release
    assert.strictEqual(budget.reserved(), 0)
    assert.isTrue(Exit.isFailure(yield* Fiber.await(waiting)))
  })
})
