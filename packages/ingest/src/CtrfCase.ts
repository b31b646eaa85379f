/** One test of a CTRF report. */
import { Instant, type Report } from "@lazaret/domain"
import { Result, Schema } from "effect"
import * as Dialect from "./Dialect.ts"
import * as Duration from "./Duration.ts"
import * as Excerpt from "./Excerpt.ts"
import * as FailureText from "./FailureText.ts"
import type { Limits } from "./Limits.ts"
import * as Outcome from "./Outcome.ts"
import * as Timestamp from "./Timestamp.ts"
import * as Warnings from "./Warnings.ts"

const Text = Schema.optionalKey(Schema.NullOr(Schema.String))

/** Schema of a number that may be missing. */
export const Count = Schema.optionalKey(Schema.NullOr(Schema.Number))

/** Schema of a time: milliseconds since the epoch by the format, seconds or ISO 8601 text by some reporters. */
export const Time = Schema.optionalKey(Schema.NullOr(Schema.Union([Schema.Number, Schema.String])))

/** Schema of what is read of a test. */
export const Test = Schema.Struct({
  name: Text,
  status: Schema.String,
  duration: Count,
  start: Time,
  stop: Time,
  suite: Schema.optionalKey(Schema.NullOr(Schema.Union([Schema.String, Schema.Array(Schema.String)]))),
  message: Text,
  trace: Text,
  filePath: Text,
  browser: Text,
  device: Text,
  retries: Count,
  retryAttempts: Schema.optionalKey(
    Schema.NullOr(Schema.Array(Schema.Struct({ status: Text, message: Text, trace: Text })))
  ),
  flaky: Schema.optionalKey(Schema.NullOr(Schema.Boolean))
})

/** A test as the format has it. */
export type Test = typeof Test.Type

/** A case with what the list must know about it. */
export interface CtrfCase {
  readonly case_: Report.Case
  readonly group: string
  readonly isNamed: boolean
  readonly isKnownStatus: boolean
}

/** The case of a test; a sentence when its name cannot be stored. */
export const make = (test: Test, limits: Limits): Result.Result<CtrfCase, string> => {
  const testName = nameOf(test)
  if (!FailureText.isStorable(testName)) {
    return Result.fail(
      `the name ${Warnings.quoted(FailureText.storable(testName))} holds a character that cannot be stored.`
    )
  }
  const status = Outcome.ofWord(test.status)
  const conclusion = status ?? "skipped"
  const { flaky, reruns } = retriesOf(test, conclusion)
  return Result.succeed({
    isNamed: (test.name ?? "").trim() !== "",
    isKnownStatus: status !== undefined || test.status === "other",
    group: `${test.browser ?? ""}\0${test.device ?? ""}`,
    case_: {
      testName,
      at: finishOf(test),
      durationMs: conclusion === "skipped" ? 0 : (Duration.ofMilliseconds(test.duration ?? 0) ?? 0),
      conclusion,
      flaky,
      reruns,
      exception: conclusion === "failed" ? exceptionOf(test, limits) : null,
      filepath: test.filePath ? Excerpt.ofUnits(FailureText.storable(test.filePath), limits.pathLength) : null,
      functionName: null
    }
  })
}

/** The instant of a time; null when it is missing or none. */
export const instantOf = (time: number | string | null | undefined): Instant.Instant | null => {
  if (typeof time === "string") return Timestamp.parse(time)
  if (time === null || time === undefined) return null
  // Milliseconds of this size would lie in the first days of 1973, seconds in the year 5138.
  return Timestamp.ofMilliseconds(time < 1e11 ? time * 1000 : time)
}

const finishOf = (test: Test): Instant.Instant | null => {
  const start = instantOf(test.start)
  return instantOf(test.stop) ?? (start === null ? null : Timestamp.ofMilliseconds(start + (test.duration ?? 0)))
}

const sourceFile = /\.(?:[cm]?[jt]sx?|vue|svelte|py|rb|php|go|java|kt|cs)$/

const nameOf = ({ filePath, name, suite }: Test): string => {
  const own = name ?? ""
  const title = typeof suite === "string" ? suite : (suite ?? []).join(" > ")
  if (title === "" || title === filePath || isFullTitle(own, title)) return own
  return !title.includes(" > ") && sourceFile.test(title) ? own : `${title} > ${own}`
}

/** Reporters join the titles of nested suites in their own ways, and jest's begins with the file, which the name lacks. */
const isFullTitle = (name: string, title: string): boolean => {
  if (Dialect.holds(name, title)) return true
  const [first = "", ...inner] = title.split(" > ")
  const suites = sourceFile.test(first) ? inner : [first, ...inner]
  return suites.length > 0 && [" > ", " ", " › "].some((each) => Dialect.holds(name, suites.join(each)))
}

const retriesOf = (test: Test, conclusion: Report.Case["conclusion"]): { flaky: boolean; reruns: number } => {
  const attempts = test.retryAttempts ?? []
  const retries = Math.min(Math.max(0, Math.floor(test.retries ?? attempts.length)), Number.MAX_SAFE_INTEGER)
  const hasFailed = retries > 0 || attempts.some((each) => Outcome.ofWord(each.status ?? "") === "failed")
  const flaky = conclusion === "passed" && (test.flaky === true || hasFailed)
  return { flaky, reruns: flaky ? Math.max(1, retries) : retries }
}

const exceptionOf = (test: Test, limits: Limits): Report.Case["exception"] => {
  const told = [test, ...(test.retryAttempts ?? [])].find((each) => each.message || each.trace) ?? test
  return FailureText.make(
    { type: undefined, message: told.message ?? undefined, body: told.trace ?? undefined },
    limits
  )
}
