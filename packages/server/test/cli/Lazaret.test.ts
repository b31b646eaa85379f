import { assert, describe, it } from "@effect/vitest"
import { Console, Effect } from "effect"
import * as ExitCode from "../../src/cli/ExitCode.ts"
import * as Lazaret from "../../src/cli/Lazaret.ts"

/** What is told of a defect, and the exit code. */
const told = Effect.fnUntraced(function* (defect: unknown) {
  const lines: Array<unknown> = []
  const current = yield* Console.Console
  const exitCode = yield* Lazaret.ofDefect(defect).pipe(
    Effect.provideService(Console.Console, { ...current, error: (line: unknown) => void lines.push(line) })
  )
  return { exitCode, line: lines.join("") }
})

describe("what no command foresees", () => {
  it.effect("a package that is not installed is named with its remedy", () =>
    Effect.gen(function* () {
      const missing = new Error("Cannot find package '@lazaret/web' imported from /src/Server.ts")
      const { exitCode, line } = yield* told(missing)
      assert.strictEqual(exitCode, ExitCode.unfit)
      assert.match(line, /^lazaret: The package @lazaret\/web is not installed: run npm ci/)
    })
  )

  it.effect("all else is a bug, and says so", () =>
    Effect.gen(function* () {
      const { exitCode, line } = yield* told(new TypeError("x is not a function"))
      assert.strictEqual(exitCode, ExitCode.broken)
      assert.match(line, /^lazaret: this is a bug/)
    })
  )
})
