import { Effect, Fiber, Result, Schema } from "effect"
import { assert, describe, it } from "@effect/vitest"
import { test } from "@lazaret/tools/steps"
import * as Blocks from "../../src/report/thread/Blocks.ts"
import * as Parsing from "../../src/report/thread/Parsing.ts"
import * as ParserThread from "../../src/report/thread/ParserThread.ts"

const ctrf = (tests: number): Uint8Array<ArrayBuffer> => {
  const results = Array.from({ length: tests }, (_, index) => ({
    name: `keeps law ${index}`,
    status: index % 100 === 0 ? "failed" : "passed",
    filePath: "/srv/ci/shop/src/laws.test.ts",
    duration: index % 1000,
    message: index % 100 === 0 ? `expected ${index}` : undefined
  }))
  return new TextEncoder().encode(JSON.stringify({ results: { tool: { name: "vitest" }, tests: results } }))
}

const blocksOf = (...pieces: ReadonlyArray<Uint8Array>): Blocks.Blocks => {
  const gatherer = Blocks.make()
  for (const piece of pieces) gatherer.write(piece)
  return gatherer.take()
}

const taskOf = (blocks: Blocks.Blocks): Parsing.Task => ({ format: "report_json", checkout: "/srv/ci/shop", blocks })

/** How many threads the process starts meanwhile. */
const startedDuring = <E>(work: Effect.Effect<void, E>): Effect.Effect<number, E> =>
  Effect.suspend(() => {
    let started = 0
    const count = (): void => void (started += 1)
    process.on("worker", count)
    return Effect.map(
      Effect.ensuring(
        work,
        Effect.sync(() => process.off("worker", count))
      ),
      () => started
    )
  })

describe("blocks of bytes", () => {
  it.prop(
    "joined blocks hold the bytes of all pieces in order, whatever the length of the pieces",
    [Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 9000 })))],
    ([lengths]) => {
      const pieces = lengths.map((length, index) => new Uint8Array(length).fill(index + 1))
      assert.deepStrictEqual(Buffer.from(Blocks.join(blocksOf(...pieces))), Buffer.concat(pieces))
    },
    { arbitrary: { runs: 100 } }
  )

  it("joined blocks are empty, and so is the gatherer after its blocks were taken", () => {
    const gatherer = Blocks.make()
    gatherer.write(new Uint8Array(3_000_000))
    const blocks = gatherer.take()
    assert.strictEqual(Blocks.join(blocks).length, 3_000_000)
    assert.isTrue(blocks.every(({ buffer }) => buffer.detached))
    assert.strictEqual(Blocks.join(gatherer.take()).length, 0)
  })
})

describe("ParserThread", () => {
  test("a thread parses a body as the main thread does, in any number of pieces", function* () {
    for (const bytes of [ctrf(3), ctrf(5001)]) {
      assert.deepStrictEqual(
        yield* ParserThread.parse(taskOf(blocksOf(bytes))),
        Result.getOrThrow(Parsing.parse(taskOf([]), bytes.slice()))
      )
      const [report] = yield* ParserThread.parse(taskOf(blocksOf(bytes)))
      assert.strictEqual(report?.cases[0]?.testName, "src/laws.test.ts › keeps law 0")
    }
  })

  test("a thread refuses an invalid body as the main thread does", function* () {
    const broken = ctrf(5001).slice(0, -10)
    assert.isAbove(broken.length, ParserThread.smallBody)
    const refusal = yield* Effect.flip(ParserThread.parse(taskOf(blocksOf(broken))))
    const direct = Parsing.parse(taskOf([]), broken.slice())
    assert.deepStrictEqual(refusal, Result.isFailure(direct) ? direct.failure : undefined)
  })

  it.live("one thread parses bodies one after another, also after one that it refused", () =>
    Effect.gen(function* () {
      yield* ParserThread.parse(taskOf(blocksOf(ctrf(3000))))
      const started = yield* startedDuring(
        Effect.gen(function* () {
          for (const tests of [2500, 4000]) {
            const [report] = yield* ParserThread.parse(taskOf(blocksOf(ctrf(tests))))
            assert.lengthOf(report?.cases ?? [], tests)
            yield* Effect.flip(ParserThread.parse(taskOf(blocksOf(ctrf(tests).slice(0, -10)))))
          }
        })
      )
      assert.strictEqual(started, 0)
    })
  )

  it.live("a thread is not used again after a body of many megabytes, or when its body was given up", () =>
    Effect.gen(function* () {
      yield* ParserThread.parse(taskOf(blocksOf(ctrf(80_000))))
      const body = blocksOf(ctrf(20_000))
      const started = yield* startedDuring(
        Effect.gen(function* () {
          const given = yield* Effect.forkChild(ParserThread.parse(taskOf(body)), { startImmediately: true })
          yield* Fiber.interrupt(given)
          assert.lengthOf((yield* ParserThread.parse(taskOf(blocksOf(ctrf(5001)))))[0]?.cases ?? [], 5001)
        })
      )
      assert.strictEqual(started, 2)
    })
  )

  it.live("a large body is parsed outside of the main thread", () =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(ParserThread.parse(taskOf(blocksOf(ctrf(100_000)))), {
        startImmediately: true
      })
      assert.isUndefined(fiber.pollUnsafe(), "the main thread goes on before the body is parsed")
      assert.lengthOf((yield* Fiber.join(fiber))[0]?.cases ?? [], 100_000)
    })
  )
})
