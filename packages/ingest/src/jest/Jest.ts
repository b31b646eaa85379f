/** The JSON report of Jest (`--json`), which Vitest's `json` reporter writes, too. */
import type { Execution, Instant, Report as Domain } from "@lazaret/domain"
import { Result, Schema } from "effect"
import type * as Checkout from "../text/Checkout.ts"
import * as Duration from "../text/Duration.ts"
import * as Excerpt from "../text/Excerpt.ts"
import * as FailureText from "../text/FailureText.ts"
import * as Filepath from "../text/Filepath.ts"
import * as Hints from "../report/Hints.ts"
import type { Limits } from "../text/Limits.ts"
import * as Outcome from "../junit/Outcome.ts"
import type * as ParseError from "../text/ParseError.ts"
import type { Parsed } from "../text/Parsed.ts"
import { type Refusal, toError } from "../text/Refusal.ts"
import * as RepeatedFiles from "../report/RepeatedFiles.ts"
import * as Timestamp from "../text/Timestamp.ts"
import * as Attempt from "../report/Attempt.ts"
import * as CaseSink from "../report/CaseSink.ts"
import * as FileName from "../report/FileName.ts"
import * as PlainText from "../text/PlainText.ts"
import * as Shape from "../json/Shape.ts"

const { Count, Text, maybe } = Shape
const list = Schema.Array

const Test = Schema.Struct({
  ancestorTitles: maybe(list(Schema.String)),
  title: Text,
  fullName: Text,
  status: Text,
  duration: Count,
  startAt: Count,
  failureMessages: maybe(list(Schema.NullOr(Schema.String))),
  invocations: Count,
  retryReasons: maybe(list(Schema.NullOr(Schema.String)))
})

type Test = typeof Test.Type

const File = Schema.Struct({
  name: Text,
  status: Text,
  message: Text,
  endTime: Count,
  assertionResults: list(Test)
})

type File = typeof File.Type

const Report = Schema.Struct({
  numRuntimeErrorTestSuites: Count,
  numFailedTests: Count,
  numFailedTestSuites: Count,
  success: maybe(Schema.Boolean),
  wasInterrupted: maybe(Schema.Boolean),
  testResults: list(File)
})

const decode = Schema.decodeUnknownResult(Report)

/**
 * The content of a Jest or Vitest report.
 *
 * **Details**
 *
 * - name: `<file> › <title>`, as the JUnit reporters build it: Jest joins the titles of suites with a space, Vitest with
 *   ` > `. Both write absolute paths of files (see `Filepath`).
 * - reruns: Jest's `invocations`; Vitest keeps the failures of earlier attempts of a test that passed.
 * - a file that failed without a failed test (it does not load, a hook of a suite failed), or of which Jest says that it failed
 *   as a whole: a failed case of the file.
 * - suites that failed in Vitest and that no listed failure explains (a hook in a file with failed tests): failures that the
 *   report announces and does not list.
 * - a run without success that lists no failure: a failed case of the test run.
 */
export const ofJson = (
  json: unknown,
  limits: Limits,
  relative: Checkout.Relative
): Result.Result<Parsed, ParseError.ParseError> => {
  const decoded = decode(json)
  if (Result.isFailure(decoded)) return Result.fail(Shape.fault("Jest", [], decoded.failure))
  const report = decoded.success
  // Only Jest counts the files that do not load.
  const isJest = report.numRuntimeErrorTestSuites !== undefined
  const sink = CaseSink.make(limits)
  const files = RepeatedFiles.make()
  for (const each of report.testResults) {
    const file = { ...each, name: relative(each.name ?? "") }
    files.add(Filepath.relative(file.name))
    const refusal = addFile(file, isJest, sink, limits)
    if (refusal !== undefined) return Result.fail(toError(refusal))
  }
  if (report.success === false && sink.failed() === 0) {
    const failure = failedCase({ testName: FileName.testRun, filepath: null }, noFailure, limits)
    const refusal = sink.add(failure)
    if (refusal !== undefined) return Result.fail(toError(refusal))
  }
  const unknown = report.testResults.flatMap(({ assertionResults }) =>
    assertionResults.filter((test) => !isKnown(test)).map(({ status }) => Outcome.unknownStatus(status))
  )
  for (const fault of new Set(unknown)) sink.warnings.add(fault)
  const isOrderExplained = files.warn(sink.warnings)
  if (report.wasInterrupted === true) sink.warnings.add("The test run was interrupted: tests may be missing.")
  return Result.succeed(
    sink.parsed({
      isOrderExplained,
      announced: { tests: null, failures: announcedFailures(report, isJest, sink.failed()) },
      context: Hints.make({ framework: isJest ? "jest" : "vitest", language: "javascript" }),
      finishedAt: finishOf(report.testResults)
    })
  )
}

const noFailure = "The report says that the run failed, and lists no failed test: see the output of the run."

const addFile = (file: File, isJest: boolean, sink: CaseSink.CaseSink, limits: Limits): Refusal | undefined => {
  const path = FailureText.storable(Filepath.relative(file.name ?? ""))
  const filepath = path === "" ? null : Excerpt.owned(Excerpt.ofUnits(path, limits.pathLength))
  const failedBefore = sink.failed()
  const { hasFailedItself, tests } = contentOf(file)
  for (const test of tests) {
    const source = { testName: FileName.of({ file: filepath, titles: [titleOf(test, isJest)] }), filepath }
    const refusal = sink.add(caseOf(test, source, isJest, limits), invocationsOf(test))
    if (refusal !== undefined) return refusal
  }
  const isExplained = Outcome.ofStatus(file.status ?? "") !== "failed" || sink.failed() > failedBefore
  if (isExplained && !hasFailedItself) return undefined
  const message = messageOf(file) || "The file failed, and none of its tests did: see the output of the run."
  return sink.add(failedCase({ testName: filepath ?? FileName.testRun, filepath }, message, limits))
}

/**
 * The tests of a file. jest-junit adds a result without a title to a file that does not load when its option
 * `reportTestSuiteErrors` is set: it is not a test.
 */
const contentOf = (file: File): { readonly tests: ReadonlyArray<Test>; readonly hasFailedItself: boolean } => {
  const tests = file.assertionResults.filter(({ title }) => typeof title === "string")
  const hasUntitledFailure = file.assertionResults.some(
    (test) => typeof test.title !== "string" && conclusionOf(test) === "failed"
  )
  return { tests, hasFailedItself: hasUntitledFailure || PlainText.of(file.message ?? "").includes(fileFailed) }
}

/** The heading of Jest for a failure outside of the tests of a file: it does not load, or a hook after its tests failed. */
const fileFailed = "● Test suite failed to run"

const messageOf = (file: File): string => {
  const text = PlainText.of(file.message ?? "")
  const start = text.indexOf(fileFailed)
  const section = start === -1 ? text.replace(/^\s*● .*\n/, "") : text.slice(start + fileFailed.length)
  return (section.split(/\n {2}● /, 1)[0] ?? "").trim()
}

/**
 * The failures that a run announces: those of tests and, for Vitest, of suites that no listed failure explains.
 *
 * **Details**
 *
 * Vitest counts a file and each suite in it that failed. A failed test explains every suite around it; the failed case of a
 * file explains every suite in that file. The report does not distinguish suites with equal titles, so the suites around
 * each failed test are counted separately: the sum is the greatest possible number of explained suites.
 */
const announcedFailures = (report: typeof Report.Type, isJest: boolean, listed: number): number | null => {
  const tests = report.numFailedTests ?? null
  const failedSuites = report.numFailedTestSuites ?? 0
  if (isJest || failedSuites === 0) return tests
  const explained = report.testResults.reduce((sum, file) => sum + explainedSuites(file), 0)
  return failedSuites > explained ? Math.max(tests ?? 0, listed + failedSuites - explained) : tests
}

const explainedSuites = (file: File): number => {
  const failed = file.assertionResults.filter((test) => conclusionOf(test) === "failed")
  if (failed.length > 0) return 1 + failed.reduce((sum, { ancestorTitles }) => sum + (ancestorTitles?.length ?? 0), 0)
  if (Outcome.ofStatus(file.status ?? "") !== "failed") return 0
  const suites = file.assertionResults.flatMap(({ ancestorTitles }) =>
    (ancestorTitles ?? []).map((_, index) => (ancestorTitles ?? []).slice(0, index + 1).join("\0"))
  )
  return 1 + new Set(suites).size
}

const titleOf = ({ ancestorTitles, fullName, title }: Test, isJest: boolean): string =>
  isJest
    ? (fullName ?? [...(ancestorTitles ?? []), title].join(" ")).trim()
    : [...(ancestorTitles ?? []), title].filter(Boolean).join(" > ")

const caseOf = (test: Test, source: Attempt.Source, isJest: boolean, limits: Limits): Domain.Case => {
  const conclusion = conclusionOf(test)
  const messages = [...(test.retryReasons ?? []), ...(test.failureMessages ?? [])].filter((each) => each !== null)
  const durationMs = Duration.ofMilliseconds(test.duration ?? 0) ?? 0
  const hasRetried = invocationsOf(test) > 1 || messages.length > 0
  const flaky = conclusion === "passed" && hasRetried
  const reruns = Math.max(invocationsOf(test) - 1, flaky ? messages.length : 0)
  return {
    ...source,
    at: test.startAt ? Timestamp.ofMilliseconds(test.startAt + durationMs) : null,
    durationMs: conclusion === "skipped" ? 0 : durationMs,
    conclusion,
    flaky,
    reruns: conclusion === "skipped" ? 0 : reruns,
    exception: conclusion === "failed" || (flaky && messages.length > 0) ? textOf(messages, isJest, limits) : null,
    functionName: null
  }
}

const invocationsOf = ({ invocations }: Test): number =>
  Math.floor(Math.min(Math.max(1, invocations ?? 1), Attempt.mostRuns))

/** `focused` and `disabled` tests did not run because of another test's `only`. */
const conclusionOf = ({ status }: Test): Execution.Conclusion =>
  status === "focused" ? "skipped" : Outcome.ofCaseStatus(status)

const isKnown = ({ status }: Test): boolean => status === "focused" || Outcome.ofWord(status ?? "") !== undefined

/**
 * Vitest's JUnit reporter writes class and message apart, its JSON reporter the stack that begins with both; what is said
 * of one failure is the same either way.
 */
const textOf = (messages: ReadonlyArray<string>, isJest: boolean, limits: Limits): Execution.ExceptionReport => {
  const reported = PlainText.of(messages.slice(0, messagesKept).join("\n\n"))
  const body = isJest ? reported : reported.replaceAll(timedOut, "$1Timed out.")
  const parts = isJest ? null : /^((?:[A-Za-z_$][\w$]*\.)*[A-Za-z_$][\w$]*): (.*)/.exec(body)
  return FailureText.make({ type: parts?.[1], message: parts?.[2], body }, limits)
}

/** Vitest's JSON reporter writes the stack of a time-out with this word where its message should be. */
const timedOut = /^(Error: )STACK_TRACE_ERROR$/gm

/** Assertions of one test can fail softly: enough of them are kept. */
const messagesKept = 100

const failedCase = (source: Attempt.Source, text: string, limits: Limits): Domain.Case => ({
  ...Attempt.caseOf(source, []),
  conclusion: "failed",
  exception: FailureText.make({ type: undefined, message: undefined, body: text }, limits)
})

const finishOf = (files: ReadonlyArray<File>): Instant.Instant | null =>
  files.reduce<Instant.Instant | null>((latest, { endTime }) => {
    const at = endTime ? Timestamp.ofMilliseconds(endTime) : null
    return at === null || (latest !== null && latest > at) ? latest : at
  }, null)
