/** One test of a CTRF report. */
import { Instant, type Report } from "@lazaret/domain"
import { Schema } from "effect"
import * as Attempt from "../report/Attempt.ts"
import type * as Checkout from "../text/Checkout.ts"
import * as Duration from "../text/Duration.ts"
import * as Excerpt from "../text/Excerpt.ts"
import * as Filepath from "../text/Filepath.ts"
import * as FailureText from "../text/FailureText.ts"
import type { Limits } from "../text/Limits.ts"
import * as Outcome from "../junit/Outcome.ts"
import * as TestName from "../report/TestName.ts"
import * as Timestamp from "../text/Timestamp.ts"

const Text = Schema.optionalKey(Schema.NullOr(Schema.String))

/** Schema of a number that may be missing. */
export const Count = Schema.optionalKey(Schema.NullOr(Schema.Number))

/** Schema of a time: milliseconds since the epoch by the format, seconds or ISO 8601 text by some reporters. */
export const Time = Schema.optionalKey(Schema.NullOr(Schema.Union([Schema.Number, Schema.String])))

/** Schema of the keys of a test that are read. */
export const Test = Schema.Struct({
  name: Text,
  status: Text,
  rawStatus: Text,
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

/** A case with the fields that the case list needs. */
export interface CtrfCase {
  readonly case_: Report.Case
  readonly isNamed: boolean
  /** Whether a character of the name that cannot be stored was replaced. */
  readonly isMended: boolean
  /** The warning about its status; null when the status is known. */
  readonly fault: string | null
}

/** A test with its paths made relative; reporters write the file into the suite, too. */
export const placed = (test: Test, relative: Checkout.Relative): Test => {
  const { filePath, suite } = test
  const ofSuite = (text: string): string => text.split(" > ").map(relative).join(" > ")
  return {
    ...test,
    ...(typeof filePath === "string" ? { filePath: relative(filePath) } : {}),
    ...(typeof suite === "string" ? { suite: ofSuite(suite) } : suite ? { suite: suite.map(relative) } : {})
  }
}

/** The case of a test; `tool` is the test runner as the report names it. */
export const make = (test: Test, tool: string, limits: Limits): CtrfCase => {
  const parts = partsOf(test, tool.toLowerCase() === "playwright")
  const testName = nameOf(test, parts)
  const conclusion = conclusionOf(test)
  const { flaky, reruns } = retriesOf(test, conclusion)
  return {
    isNamed: testName.trim() !== "",
    isMended: !FailureText.isStorable(testName),
    fault: isKnown(test) ? null : Outcome.unknownStatus(test.status),
    case_: {
      testName: FailureText.storable(testName),
      at: finishOf(test),
      durationMs: conclusion === "skipped" ? 0 : (Duration.ofMilliseconds(test.duration ?? 0) ?? 0),
      conclusion,
      flaky,
      reruns,
      exception: conclusion === "failed" || flaky ? exceptionOf(test, flaky, limits) : null,
      filepath: test.filePath ? Excerpt.ofUnits(FailureText.storable(parts.file), limits.pathLength) : null,
      functionName: null
    }
  }
}

/**
 * `other` is what the format has no word for: `rawStatus` may have one. Otherwise it is skipped, unless it has the text of
 * a failure.
 */
const conclusionOf = (test: Test): Report.Case["conclusion"] => {
  if (test.status !== "other") return Outcome.ofCaseStatus(test.status)
  const raw = Outcome.ofStatus(test.rawStatus ?? undefined)
  return raw ?? (test.message || test.trace ? "failed" : "skipped")
}

/** Whether a test passed because it failed, as `test.fail()` of Playwright asks for: its reporter counts it as failed. */
export const isExpectedFailure = (test: Test): boolean =>
  conclusionOf(test) === "passed" && Outcome.ofStatus(test.rawStatus ?? undefined) === "failed"

const isKnown = ({ status }: Test): boolean => status === "other" || Outcome.ofWord(status ?? "") !== undefined

/** The instant of a time; null when it is missing or invalid. */
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

/** The parts of a name, from `suite` and the fields next to it. */
interface Parts {
  readonly project: string
  readonly file: string
  readonly titles: ReadonlyArray<string>
}

/**
 * Reporters join project, file and titles into the suite in different ways. The part that is the file separates them:
 * Playwright's is relative, so it is preferred to an absolute path, always behind a project; jest's is only the end of the
 * path.
 */
const partsOf = ({ filePath, suite }: Test, isPlaywright: boolean): Parts => {
  const path = filePath ? Filepath.relative(filePath) : ""
  if (!suite) return { project: "", file: path, titles: [] }
  const parts = (typeof suite === "string" ? suite.split(" > ") : suite).filter((part) => part.trim() !== "")
  const index = parts.findIndex((part) => (path === "" ? Filepath.isSource(part) : isEnd(path, part)))
  if (index === -1) return { project: "", file: path, titles: parts }
  const isRelative = index > 0 || path === "" || (isPlaywright && Filepath.isAbsolute(path))
  const file = isRelative ? (parts[index] ?? path) : path
  return { project: parts.slice(0, index).join(" > "), file, titles: parts.slice(index + 1) }
}

const isEnd = (path: string, part: string): boolean => {
  const end = Filepath.relative(part)
  return path === end || path.endsWith(`/${end}`)
}

const nameOf = (test: Test, { file, project, titles }: Parts): string => {
  const own = test.name ?? ""
  const isHeld = titles.length === 0 || joints.some((joint) => TestName.holds(own, titles.join(joint)))
  const title = isHeld ? own : TestName.joined([titles.join(" > ")], own)
  return TestName.joined([project || browserOf(test), file], title)
}

/** The separators between titles. */
const joints = [" > ", " ", " › ", "."]

/** The browser, else the device, without a version: a test keeps its name when its browser is updated. */
const browserOf = ({ browser, device }: Test): string =>
  browser?.replace(/(?<![\s/])[\s/]+v?\d[\d.]*$/i, "") || device || ""

/**
 * When all attempts are listed, they decide: Playwright's reporter says `flaky` of every test that it tried again, also of one
 * that was skipped because the test before it failed.
 */
const retriesOf = (test: Test, conclusion: Report.Case["conclusion"]): { flaky: boolean; reruns: number } => {
  const attempts = (test.retryAttempts ?? []).map(({ status }) => Outcome.ofWord(status ?? ""))
  const retries = Math.min(Math.max(0, Math.floor(test.retries ?? attempts.length)), Attempt.mostRuns)
  const isWhole = attempts.length > 0 && attempts.length >= retries && !attempts.includes(undefined)
  const hasFailed = isWhole ? attempts.includes("failed") : retries > 0 || attempts.includes("failed")
  const flaky = conclusion === "passed" && (hasFailed || (test.flaky === true && !isWhole))
  const ran = conclusion === "skipped" ? 0 : retries - attempts.filter((each) => each === "skipped").length
  return { flaky, reruns: Math.max(flaky ? 1 : 0, ran) }
}

/** The text of a failure: its own or that of an attempt. A flaky pass has that of an attempt before its own, if any. */
const exceptionOf = (test: Test, flaky: boolean, limits: Limits): Report.Case["exception"] => {
  const attempts = (test.retryAttempts ?? []).filter(({ status }) => Outcome.ofWord(status ?? "") !== "passed")
  const reported =
    (flaky ? [...attempts, test] : [test, ...attempts]).find((each) => each.message || each.trace) ?? test
  return FailureText.make(
    { type: undefined, message: reported.message ?? undefined, body: reported.trace ?? undefined },
    limits
  )
}
