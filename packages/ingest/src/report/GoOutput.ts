/** The output of a Go test, and the failure in it. */
import type { Execution } from "@lazaret/domain"
import * as FailureText from "../text/FailureText.ts"
import type { Limits } from "../text/Limits.ts"
import * as PlainText from "../text/PlainText.ts"

/** The end of a growing output, which holds the failure. */
export interface GoOutput {
  readonly add: (text: string) => void
  readonly text: () => string
}

/** An empty output. */
export const make = (limits: Limits): GoOutput => {
  let pieces: Array<string> = []
  let length = 0
  const joined = (): string => {
    const all = pieces.join("")
    const kept = all.length > limits.stacktraceBytes ? `${cutMark}\n${afterLine(all.slice(-room(limits)))}` : all
    pieces = [kept]
    length = kept.length
    return kept
  }
  return {
    add: (text) => {
      pieces.push(text)
      length += text.length
      if (length > 4 * limits.stacktraceBytes) joined()
    },
    text: () => PlainText.of(joined())
  }
}

const cutMark = "… (the beginning is cut)"

const room = (limits: Limits): number => Math.max(1, limits.stacktraceBytes - 64)

/** The text after its first line, which may be a part of one. */
const afterLine = (text: string): string => text.slice(text.indexOf("\n") + 1)

/** The end that a test printed where its event is missing: output without a line feed hides it from test2json. */
export const endOf = (output: string, test: string): Execution.Conclusion | undefined => {
  const marks = output.split("\n").map((line) => /--- (PASS|FAIL|SKIP): (.+) \(\d/.exec(line))
  return ends.get(marks.findLast((mark) => mark?.[2] === test)?.[1] ?? "")
}

const ends: ReadonlyMap<string, Execution.Conclusion> = new Map([
  ["PASS", "passed"],
  ["FAIL", "failed"],
  ["SKIP", "skipped"]
])

/**
 * The exception of a failed test or package.
 *
 * **Details**
 *
 * - message: that of a panic; else testify's `Error:`; else what stands after the last `file.go:12:`, because logs come
 *   before the failure; else the first line; else `otherwise`.
 * - stacktrace: the output without the marks of the test runner.
 */
export const exceptionOf = (output: string, otherwise: string, limits: Limits): Execution.ExceptionReport => {
  const lines = output.split("\n").filter((line) => !mark.test(line))
  const panic = lines.map((line) => /^\s*(panic|fatal error): (.*?)(?: \[recovered\])?$/.exec(line)).find(Boolean)
  const reported =
    lines.map((line) => /^\s+Error:\s+(\S.*)$/.exec(line)?.[1]).find(Boolean) ??
    lines.map((line) => /^\s*[^\s:]+\.go:\d+(?::\d+)?: (.*)$/.exec(line)?.[1]).findLast(Boolean) ??
    lines.map((line) => line.trim()).find(Boolean)
  const body = lines.join("\n")
  return FailureText.make(
    { type: panic?.[1], message: panic?.[2] ?? reported ?? otherwise, body: body.trim() === "" ? otherwise : body },
    limits
  )
}

/** Whether a text is the output of a Go test: it has marks of the test runner, or messages with the place of a test. */
export const isOutput = (text: string): boolean =>
  /^\s*(?:=== RUN {3}|--- FAIL: |[^\s:]+_test\.go:\d+: )/m.test(text.slice(0, 4000))

const mark = /^\s*(?:=== (?:RUN|PAUSE|CONT|NAME)|--- (?:FAIL|PASS|SKIP): |(?:PASS|FAIL)$|FAIL\t\S+\t[\d.]+s|coverage: )/
