import { assert, describe } from "@effect/vitest"
import { test } from "@lazaret/tools/steps"
import { type AppendOutcome, StoreError } from "@lazaret/store"
import { Sample } from "@lazaret/store-conformance"
import { Effect, Exit, Fiber, Latch } from "effect"
import { AppendQueue, type Entry } from "../../src/append/AppendQueue.ts"

const ref = { owner: "acme", repository: "widgets" }

const entry = (key: string): Entry => ({ ref, report: Sample.report(key, {}, [{}]) })

const refusal = (reason: StoreError["reason"]) =>
  new StoreError({ operation: "ExecutionStore.append", reason, cause: null })

/** A queue whose writes wait until they are let through, and what they were given. */
const held = (failing: (keys: ReadonlyArray<string>) => StoreError | null = () => null) =>
  Effect.gen(function* () {
    const batches: Array<ReadonlyArray<string>> = []
    const latch = yield* Latch.make()
    const queue = new AppendQueue(
      (entries) =>
        Effect.gen(function* () {
          const keys = entries.map(({ report }) => report.key)
          batches.push(keys)
          yield* latch.await
          const error = failing(keys)
          if (error !== null) return yield* error
          return entries.map(({ report }): AppendOutcome => ({ _tag: "Recorded", reportId: report.id }))
        }),
      yield* Effect.scope
    )
    const offer = (key: string, line = "acme/widgets") => Effect.forkChild(queue.offer(line, entry(key)))
    return { batches, offer, open: latch.open }
  })

const settle = Effect.repeat(Effect.yieldNow, { times: 20 })

describe("AppendQueue", () => {
  test("uploads that arrive during a write are written together, in order", function* () {
    const { batches, offer, open } = yield* held()
    const fibers = [yield* offer("a")]
    yield* settle
    for (const key of ["b", "c", "d"]) fibers.push(yield* offer(key))
    yield* settle
    assert.deepStrictEqual(batches, [["a"]])
    yield* open
    const outcomes = yield* Effect.forEach(fibers, Fiber.join)
    assert.deepStrictEqual(batches, [["a"], ["b", "c", "d"]])
    assert.deepStrictEqual(
      outcomes,
      ["a", "b", "c", "d"].map((key) => ({ _tag: "Recorded" as const, reportId: entry(key).report.id }))
    )
  })

  test("uploads of one repository do not wait for those of another", function* () {
    const { batches, offer, open } = yield* held()
    const first = yield* offer("a", "acme/one")
    const second = yield* offer("b", "acme/two")
    yield* settle
    assert.deepStrictEqual(batches, [["a"], ["b"]])
    yield* open
    yield* Fiber.join(first)
    yield* Fiber.join(second)
    yield* Fiber.join(yield* offer("c", "acme/one"))
    assert.deepStrictEqual(batches, [["a"], ["b"], ["c"]])
  })

  test("AppendQueue tries each report alone when a write of several fails, so that none fails for another", function* () {
    const { offer, open } = yield* held((keys) => (keys.includes("bad") ? refusal("failed") : null))
    const fibers = [yield* offer("a")]
    yield* settle
    for (const key of ["b", "bad", "c"]) fibers.push(yield* offer(key))
    yield* open
    const exits = yield* Effect.forEach(fibers, Fiber.await)
    assert.deepStrictEqual(exits.map(Exit.isSuccess), [true, true, false, true])
  })

  test("all waiting uploads fail at once when the database is unavailable", function* () {
    const { batches, offer, open } = yield* held(() => refusal("unavailable"))
    const fibers = [yield* offer("a")]
    yield* settle
    for (const key of ["b", "c"]) fibers.push(yield* offer(key))
    yield* open
    const exits = yield* Effect.forEach(fibers, Fiber.await)
    assert.deepStrictEqual(exits.map(Exit.isSuccess), [false, false, false])
    assert.deepStrictEqual(batches, [["a"], ["b", "c"]])
  })

  test("AppendQueue records the report of a caller that does not wait for it", function* () {
    const { batches, offer, open } = yield* held()
    const first = yield* offer("a")
    yield* settle
    const gone = yield* offer("b")
    yield* settle
    yield* Fiber.interrupt(gone)
    yield* open
    yield* Fiber.join(first)
    yield* Fiber.join(yield* offer("c"))
    assert.deepStrictEqual(batches.flat(), ["a", "b", "c"])
  })

  test("one transaction records at most eight reports", function* () {
    const { batches, offer, open } = yield* held()
    const fibers = [yield* offer("first")]
    yield* settle
    for (let index = 0; index < 10; index++) fibers.push(yield* offer(`${index}`))
    yield* open
    yield* Effect.forEach(fibers, Fiber.join)
    assert.deepStrictEqual(
      batches.map((batch) => batch.length),
      [1, 8, 2]
    )
  })
})
