/** The outcome of one JUnit case while its element is read. */
import type { Execution } from "@lazaret/domain"
import * as FailureText from "../text/FailureText.ts"
import * as GoOutput from "../report/GoOutput.ts"
import type { Limits } from "../text/Limits.ts"
import * as Warnings from "../text/Warnings.ts"
import type { Attributes } from "../xml/Xml.ts"

/** A child element of a case that says how an attempt ended. */
export type Verdict = "failed" | "skipped" | "flaky" | "rerun"

const verdicts: ReadonlyMap<string, Verdict> = new Map([
  ["failure", "failed"],
  ["error", "failed"],
  ["flakyFailure", "flaky"],
  ["flakyError", "flaky"],
  ["rerunFailure", "rerun"],
  ["rerunError", "rerun"],
  ["skipped", "skipped"],
  ["ignored", "skipped"],
  ["disabled", "skipped"]
])

/** The outcome that an element means; undefined for other elements (output, properties, warnings). */
export const ofElement = (name: string): Verdict | undefined => verdicts.get(name)

/** The outcome that an element in a case means: a test that CTest could not run failed, though CTest writes `skipped`. */
export const ofChild = (name: string, attributes: Attributes, case_: Attributes): Verdict | undefined => {
  if (isRisky(name, attributes)) return undefined
  const verdict = verdicts.get(name)
  return verdict === "skipped" && isNotRun(attributes["message"] ?? "", case_) ? "failed" : verdict
}

/**
 * Whether an element is the remark of PHPUnit 9 on a risky test, such as one without an assertion, which it writes as an error. The
 * test passed, and the run succeeds without `--fail-on-risky`.
 */
export const isRisky = (name: string, { type = "" }: Attributes): boolean => name === "error" && risky.has(type)

const risky: ReadonlySet<string> = new Set(
  [
    "RiskyTestError",
    "OutputError",
    "UnintentionallyCoveredCodeError",
    "CoveredCodeNotExecutedException",
    "MissingCoversAnnotationException"
  ].map((type) => `PHPUnit\\Framework\\${type}`)
)

/**
 * Whether CTest could not run a test (no executable, a fixture that failed), which it counts as failed. A test that asks to be
 * skipped says so in the message; a disabled one has a status of its own.
 */
const isNotRun = (message: string, { classname, name, status }: Attributes): boolean =>
  status === "notrun" &&
  name === classname &&
  message !== "" &&
  !/^SKIP_(?:RETURN_CODE|REGULAR_EXPRESSION)/.test(message)

const failing: ReadonlySet<string> = new Set([
  "fail",
  "failed",
  "failure",
  "error",
  "errored",
  "broken",
  "crashed",
  "crash",
  "aborted",
  "panicked",
  "fatal",
  "hook_error",
  "cleanup_error",
  "timeout",
  "timedout",
  "timed_out"
])

const skipping: ReadonlySet<string> = new Set([
  "skip",
  "skipped",
  "notrun",
  "not_run",
  "notexecuted",
  "untested",
  "inconclusive",
  "disabled",
  "suppressed",
  "ignored",
  "pending",
  "todo",
  "interrupted"
])

const passing: ReadonlySet<string> = new Set(["pass", "passed", "success", "successful", "ok"])

/** The conclusion that a word of any reporter stands for; undefined when the word is not known. */
export const ofWord = (word: string): Execution.Conclusion | undefined =>
  passing.has(word.toLowerCase()) ? "passed" : ofStatus(word)

/**
 * The conclusion of a case by its status word in a format that gives each case one.
 *
 * **Details**
 *
 * A word that is unknown or missing is a failure: a failure must not be lost for a word that a reporter invents. Callers
 * warn of it with {@link unknownStatus}.
 */
export const ofCaseStatus = (word: string | null | undefined): Execution.Conclusion => ofWord(word ?? "") ?? "failed"

/** The warning about a status word that is not known. */
export const unknownStatus = (word: string | null | undefined): string =>
  word ? `The status ${Warnings.quoted(word)} is not known: taken as failed.` : "A test has no status: taken as failed."

/** The conclusion that a status word stands for; undefined when it is neither a failure nor a skip. */
export const ofStatus = (status: string | undefined): "failed" | "skipped" | undefined => {
  if (status === undefined || status === "run" || status === "completed") return undefined
  const word = status.toLowerCase()
  return failing.has(word) ? "failed" : skipping.has(word) ? "skipped" : undefined
}

/**
 * Whether a `skipped` element marks the failure next to it as expected: a `todo` of node:test, or a test case of Catch2
 * that may or should fail. The run still succeeds.
 */
export const expectsFailure = (attributes: Attributes): boolean =>
  attributes["type"] === "todo" || /^TEST_CASE tagged with !(?:may|should)fail/.test(attributes["message"] ?? "")

/** A failure element with its text. */
export interface FailureElement {
  readonly type: string | undefined
  readonly message: string | undefined
  body: string
}

/** A failure element before its text is read. */
export const failureElement = (attributes: Attributes): FailureElement => ({
  // The test runner cocotb has names of its own for both.
  type: attributes["type"] ?? attributes["error_type"],
  message: attributes["message"] ?? attributes["error_msg"],
  body: ""
})

/**
 * The exception of failure elements: type and message of the first one that has any, the bodies of all.
 *
 * **Details**
 *
 * `heading` is what the first line of a body begins with when it only repeats the test; the message is then the line after it.
 * Go's converters write `Failed` for every failure, and pytest `collection failure` for every file that it cannot load: the output says what failed.
 */
export const exceptionOf = (
  failures: ReadonlyArray<FailureElement>,
  heading: string | undefined,
  limits: Limits
): Execution.ExceptionReport => {
  const first = failures.find((each) => each.message || each.type || each.body.trim()) ?? failures[0]
  const body =
    failures.length === 1
      ? first?.body
      : failures
          .map((each) => each.body.trim())
          .filter(Boolean)
          .join("\n\n")
  const message = first?.message ?? (heading === undefined ? undefined : lineAfter(first?.body ?? "", heading))
  if (message === "Failed" && GoOutput.isOutput(body ?? "")) return GoOutput.exceptionOf(body ?? "", message, limits)
  const said = message === "collection failure" ? (loadError(body ?? "") ?? message) : message
  return FailureText.make({ type: first?.type, message: said, body }, limits)
}

/** The error with which pytest ends the output of a file that it cannot load: `E   ModuleNotFoundError: No module named 'shop'`. */
const loadError = (body: string): string | undefined =>
  body
    .slice(-outputEnd)
    .split(/\r?\n/)
    .findLast((line) => /^E {3}\S/.test(line))
    ?.slice(4)

const outputEnd = 8000

const lineAfter = (body: string, heading: string): string | undefined =>
  body.trimStart().startsWith(heading) ? /^.*\n\s*(\S.*)/.exec(body.trimStart())?.[1] : undefined
