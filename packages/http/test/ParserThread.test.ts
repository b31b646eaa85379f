import { Effect, Exit, Result } from "effect"
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
  it.effect("a body is read alike at once and in a thread, in however many pieces its cases come", () =>
    Effect.gen(function* () {
      for (const bytes of [ctrf(3), ctrf(5001)]) {
        assert.deepStrictEqual(
          yield* ParserThread.parse("report_json", bytes),
          Result.getOrThrow(Parsing.parse("report_json", bytes))
        )
      }
    })
  )

  it.effect("a body that cannot be read is refused alike", () =>
    Effect.gen(function* () {
      const broken = ctrf(5001).slice(0, -10)
      assert.isAbove(broken.length, ParserThread.smallBody)
      const refusal = yield* Effect.flip(ParserThread.parse("report_json", broken))
      const direct = Parsing.parse("report_json", broken)
      assert.deepStrictEqual(refusal, Result.isFailure(direct) ? direct.failure : undefined)
    })
  )

  it.live("the main thread goes on while a large body is read", () =>
    Effect.gen(function* () {
      const bytes = ctrf(100_000)
      let turns = 0
      const timer = setInterval(() => {
        turns += 1
      }, 1)
      const exit = yield* Effect.exit(ParserThread.parse("report_json", bytes))
      clearInterval(timer)
      assert.isTrue(Exit.isSuccess(exit))
      assert.isAbove(turns, 10)
    })
  )
})
