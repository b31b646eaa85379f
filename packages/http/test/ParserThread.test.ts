import { Effect, Fiber, Result } from "effect"
import { assert, describe, it } from "@effect/vitest"
import * as Parsing from "../src/thread/Parsing.ts"
import * as ParserThread from "../src/thread/ParserThread.ts"

const ctrf = (tests: number): Uint8Array => {
  const results = Array.from({ length: tests }, (_, index) => ({
    name: `keeps law ${index}`,
    status: index % 100 === 0 ? "failed" : "passed",
    duration: index % 1000,
    message: index % 100 === 0 ? `expected ${index}` : undefined
  }))
  return new TextEncoder().encode(JSON.stringify({ results: { tool: { name: "vitest" }, tests: results } }))
}

describe("ParserThread", () => {
  it.effect("a thread parses a body as the main thread does, in any number of pieces", () =>
    Effect.gen(function* () {
      for (const bytes of [ctrf(3), ctrf(5001)]) {
        assert.deepStrictEqual(
          yield* ParserThread.parse("report_json", bytes.slice()),
          Result.getOrThrow(Parsing.parse("report_json", bytes))
        )
      }
    })
  )

  it.effect("a thread refuses an invalid body as the main thread does", () =>
    Effect.gen(function* () {
      const broken = ctrf(5001).slice(0, -10)
      assert.isAbove(broken.length, ParserThread.smallBody)
      const refusal = yield* Effect.flip(ParserThread.parse("report_json", broken.slice()))
      const direct = Parsing.parse("report_json", broken)
      assert.deepStrictEqual(refusal, Result.isFailure(direct) ? direct.failure : undefined)
    })
  )

  it.live("a large body is parsed outside of the main thread", () =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(ParserThread.parse("report_json", ctrf(100_000)), {
        startImmediately: true
      })
      assert.isUndefined(fiber.pollUnsafe(), "the main thread goes on before the body is parsed")
      assert.lengthOf((yield* Fiber.join(fiber))[0]?.cases ?? [], 100_000)
    })
  )
})
