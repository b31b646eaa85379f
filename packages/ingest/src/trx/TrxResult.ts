/** One result of a TRX file. */
import type { Execution, Report } from "@lazaret/domain"
import * as Duration from "../text/Duration.ts"
import * as Excerpt from "../text/Excerpt.ts"
import * as FailureText from "../text/FailureText.ts"
import type { Limits } from "../text/Limits.ts"
import * as Timestamp from "../text/Timestamp.ts"
import type { Attributes } from "../xml/Xml.ts"
import * as Attempt from "../report/Attempt.ts"
import * as FileName from "../report/FileName.ts"
import * as PlainText from "../text/PlainText.ts"

/** A result with what its elements say; a test of several rows of data, or an ordered test, holds inner results. */
export interface TrxResult {
  readonly testId: string
  readonly testName: string
  readonly outcome: string
  readonly duration: string
  readonly endTime: string
  readonly message: { text: string }
  readonly stack: { text: string }
  hasInner: boolean
  hasFailedInner: boolean
}

/** Whether an element is a result: of a unit test, a manual, a generic, a web test, or of an ordered one. */
export const isResult = (element: string): boolean =>
  element.endsWith("TestResult") || element === "TestResultAggregation"

/** A result whose element opens inside of another one's, or of none. */
export const make = (attributes: Attributes, outer: TrxResult | undefined): TrxResult => {
  const result: TrxResult = {
    testId: attributes["testId"] ?? "",
    testName: Excerpt.owned(attributes["testName"] ?? ""),
    outcome: attributes["outcome"] ?? "",
    duration: attributes["duration"] ?? "",
    endTime: attributes["endTime"] ?? "",
    message: { text: "" },
    stack: { text: "" },
    hasInner: false,
    hasFailedInner: false
  }
  if (outer !== undefined) {
    outer.hasInner = true
    outer.hasFailedInner ||= isFailed(result)
  }
  return result
}

const conclusions: ReadonlyMap<string, Execution.Conclusion> = new Map([
  ["passed", "passed"],
  ["passedbutrunaborted", "passed"],
  ["warning", "passed"],
  ["completed", "passed"],
  ["notexecuted", "skipped"],
  ["inconclusive", "skipped"],
  ["pending", "skipped"],
  ["failed", "failed"],
  ["error", "failed"],
  ["timeout", "failed"],
  ["aborted", "failed"],
  ["notrunnable", "failed"],
  ["disconnected", "failed"],
  ["inprogress", "failed"],
  // The first value of the enumeration, `Error`, is left out by some writers.
  ["", "failed"]
])

/** An unknown word does not count as a pass. */
const conclusionOf = ({ outcome }: TrxResult): Execution.Conclusion =>
  conclusions.get(outcome.toLowerCase()) ?? "failed"

/** Whether the outcome of a result is a word that the format does not have. */
export const isUnknown = ({ outcome }: TrxResult): boolean => !conclusions.has(outcome.toLowerCase())

/** Whether a result is a failure. */
export const isFailed = (result: TrxResult): boolean => conclusionOf(result) === "failed"

/** Whether a result is an execution of its own: one with inner results is, when it failed and they did not. */
export const isCounted = (result: TrxResult): boolean =>
  !result.hasInner || (isFailed(result) && !result.hasFailedInner)

/** The name of a class without its assembly, as `Shop.CartTest, Shop, Version=1.0.0.0` has it. */
export const classOf = (name: string): string => (/^[^,[(]+(?=,)/.exec(name)?.[0] ?? name).trim()

/**
 * The case of a result.
 *
 * **Details**
 *
 * - name: `class.name`; the name alone when it begins with the class (xUnit.net).
 * - time: the end of the test.
 */
export const caseOf = (result: TrxResult, className: string, limits: Limits): Report.Case => {
  const conclusion = conclusionOf(result)
  const durationMs = durationOf(result.duration)
  return {
    ...Attempt.caseOf({ testName: nameOf(result.testName, className), filepath: null }, [
      {
        conclusion,
        at: Timestamp.parse(result.endTime),
        durationMs: conclusion === "skipped" ? 0 : durationMs,
        exception: conclusion === "failed" ? exceptionOf(result, limits) : null
      }
    ])
  }
}

const nameOf = (name: string, className: string): string => {
  const own = FailureText.storable(name.trim())
  if (own === "") return className === "" ? FileName.testRun : className
  return className === "" || own === className || own.startsWith(`${className}.`) ? own : `${className}.${own}`
}

/** `00:00:01.5` and `1.02:03:04` are days, hours, minutes and seconds. */
const durationOf = (text: string): number => {
  const match = /^(?:(\d{1,6})\.)?(\d{1,2}):(\d{1,2}):(\d{1,2}(?:\.\d{1,9})?)$/.exec(text.trim())
  if (match === null) return 0
  const [, days = "0", hours, minutes, seconds] = match
  const total = ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds)
  return Duration.ofMilliseconds(total * 1000) ?? 0
}

/** MSTest puts a sentence before what was thrown; xUnit.net a space before the colon. */
const thrown = /^(?:Test method [^\n]{1,2000} threw exception:\s+)?((?:[\w+`]+\.)*[\w+`]*(?:Exception|Error)) ?: ([^]*)/

const exceptionOf = ({ message, outcome, stack }: TrxResult, limits: Limits): Execution.ExceptionReport => {
  const text = PlainText.of(message.text).trim()
  const parts = thrown.exec(text)
  return FailureText.make(
    {
      type: parts?.[1],
      message: parts?.[2] ?? (text === "" ? `The test ended as ${outcome === "" ? "Error" : outcome}.` : text),
      body: stack.text
    },
    limits
  )
}

/** Whether a message of the run is an error; others are warnings and what the tests print. */
export const isErrorOfRun = (outcome: string | undefined): boolean =>
  outcome !== undefined && /^(?:error|failed|aborted|timeout)$/i.test(outcome)

/** Sentences of the run that only repeat failures of tests: `[xUnit.net 00:00:01.23]     Shop.CartTest.Adds [FAIL]`. */
const repeated = /\[FAIL\]\s*$/

/** Microsoft.Testing.Platform ends with 2 when a test failed, and writes so into the errors of the run. */
const aTestFailed = /^\s*Exit code indicates failure: '2'\./

/**
 * The case for failures outside of all tests; null without such failures.
 *
 * **Details**
 *
 * Errors of the run (a test host that crashed) are a failure. So is a run that failed and lists no failed test. Sentences
 * that listed failures explain are not.
 */
export const runFailure = (
  outcome: string,
  errors: string,
  failedTests: number,
  limits: Limits
): Report.Case | null => {
  const reported = PlainText.of(errors)
    .split("\n")
    .filter((line) => line.trim() !== "" && !repeated.test(line) && !(failedTests > 0 && aTestFailed.test(line)))
    .join("\n")
  const hasFailed = outcome !== "" && outcome !== "Completed" && outcome !== "Passed" && outcome !== "Warning"
  if (reported === "" && !(hasFailed && failedTests === 0)) return null
  return {
    ...Attempt.caseOf({ testName: FileName.testRun, filepath: null }, []),
    conclusion: "failed",
    exception: FailureText.make(
      { type: undefined, message: undefined, body: reported === "" ? `The run ended as ${outcome}.` : reported },
      limits
    )
  }
}
