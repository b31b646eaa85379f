/** The event stream of `go test -json` (test2json), one JSON object a line. */
import { Predicate, Result } from "effect"
import * as JsonDepth from "../json/JsonDepth.ts"
import * as Limits from "../text/Limits.ts"
import type * as ParseError from "../text/ParseError.ts"
import type { Parsed } from "../text/Parsed.ts"
import type { Options, Reader } from "../junit/JUnit.ts"
import type { Refusal } from "../text/Refusal.ts"
import * as GoRun from "./GoRun.ts"
import * as Lines from "../text/Lines.ts"

/** The content of a whole stream. */
export const parse = (input: string | Uint8Array, options?: Options): Result.Result<Parsed, ParseError.ParseError> => {
  const reader = make(options)
  reader.write(input)
  return reader.end()
}

/**
 * A reader for a stream that arrives in pieces.
 *
 * **Details**
 *
 * - name: `<package>.<test>`, as gotestsum's JUnit report has it.
 * - a test that began and has no end failed when its package failed (a panic, a time-out).
 * - a package that fails without a failed test (it does not build, `TestMain` exits, a race after the tests) is a failed
 *   case `<package>.TestMain`, as gotestsum writes it.
 * - reruns: a package that runs again after it ended, as `gotestsum --rerun-fails` does. Repetitions within one run of
 *   a package (`-count`) are executions of their own.
 * - lines that are not JSON are messages of `go` itself: compiler errors belong to their package.
 */
export const make = (options: Options = {}): Reader => {
  const limits = { ...Limits.standard, ...options.limits }
  const run = GoRun.make(limits)
  const lines = Lines.make(limits, (line, number) => takeLine(run, line, number))
  return {
    write: lines.write,
    end: () => Result.flatMap(lines.end(), () => run.parsed())
  }
}

const takeLine = (run: GoRun.GoRun, line: string, number: number): Refusal | undefined => {
  if (!line.startsWith("{")) return run.text(line)
  if (JsonDepth.isTooDeep(line)) return run.torn(number)
  const json = Result.try({ try: (): unknown => JSON.parse(line), catch: () => undefined })
  if (Result.isFailure(json)) return run.torn(number)
  return Predicate.isObject(json.success) ? run.event(eventOf(json.success)) : run.text(line)
}

const eventOf = (json: object): GoRun.Event => {
  const fields = json as { readonly [key: string]: unknown }
  const text = (key: string): string => {
    const value = fields[key]
    return typeof value === "string" ? value : ""
  }
  const elapsed = fields["Elapsed"]
  return {
    time: text("Time"),
    action: text("Action"),
    package: text("Package"),
    test: text("Test"),
    output: text("Output"),
    importPath: text("ImportPath"),
    failedBuild: text("FailedBuild"),
    elapsed: typeof elapsed === "number" ? elapsed : 0
  }
}
