import { assert, describe, it } from "@effect/vitest"
import { test } from "@lazaret/tools/steps"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Progress from "../../src/terminal/Progress.ts"

const output = (isTTY: boolean) => {
  const written: Array<string> = []
  return { written, isTTY, columns: 60, write: (text: string) => written.push(text) }
}

const steps = (progress: Progress.Progress) =>
  Effect.all([progress.bar("a.xml", 1, 4), progress.waiting("Wait."), progress.clear])

describe("progress", () => {
  test("the bar replaces itself on a terminal, and is cleared at the end", function* () {
    const terminal = output(true)
    yield* steps(Progress.make(terminal, false))
    assert.deepStrictEqual(terminal.written, [
      "\r\u001B[K[######------------------]  25 %  a.xml",
      "\r\u001B[KWait.",
      "\r\u001B[K"
    ])
  })

  test("a file, a pipe and a quiet command show no bar", function* () {
    const [file, terminal] = [output(false), output(true)]
    yield* steps(Progress.make(file, false))
    yield* steps(Progress.make(terminal, true))
    assert.deepStrictEqual([file.written, terminal.written], [[], []])
  })

  test("a pipe gets a line for each ten seconds of work, and none for shorter work", function* () {
    const pipe = output(false)
    const progress = Progress.make(pipe, false)
    for (let done = 0; done < 5; done++) {
      yield* progress.bar("sending a.xml", done, 5)
      yield* TestClock.adjust("6 seconds")
    }
    assert.deepStrictEqual(pipe.written, ["lazaret: sending a.xml (40 %)\n", "lazaret: sending a.xml (80 %)\n"])
  })

  it("the bar has the same width for every share, also for impossible numbers", () => {
    for (const [done, total] of [
      [0, 0],
      [0, 10],
      [10, 10],
      [11, 10],
      [-1, 10]
    ] as const) {
      assert.match(Progress.barLine("x", done, total), /^\[[#-]{24}\] [ \d]{3} % {2}x$/)
    }
  })
})
