/** The JSON report of Playwright Test. */
import type { Execution, Report as Domain } from "@lazaret/domain"
import { Result, Schema } from "effect"
import * as Duration from "../text/Duration.ts"
import * as Excerpt from "../text/Excerpt.ts"
import * as FailureText from "../text/FailureText.ts"
import type * as Checkout from "../text/Checkout.ts"
import * as Filepath from "../text/Filepath.ts"
import * as Hints from "../report/Hints.ts"
import type { Limits } from "../text/Limits.ts"
import type * as ParseError from "../text/ParseError.ts"
import type { Parsed } from "../text/Parsed.ts"
import { type Refusal, toError } from "../text/Refusal.ts"
import * as Timestamp from "../text/Timestamp.ts"
import * as Attempt from "../report/Attempt.ts"
import * as CaseSink from "../report/CaseSink.ts"
import * as FileName from "../report/FileName.ts"
import * as PlainText from "../text/PlainText.ts"
import * as Shape from "../json/Shape.ts"

const { Count, Text, maybe } = Shape
const list = Schema.Array

const Failure = Schema.Struct({
  message: Text,
  stack: Text,
  value: Text,
  location: maybe(Schema.Struct({ file: Text }))
})

const Run = Schema.Struct({
  status: Text,
  duration: Count,
  startTime: Text,
  error: maybe(Failure),
  errors: maybe(list(Failure))
})

const Test = Schema.Struct({ expectedStatus: Text, status: Text, projectName: Text, results: list(Run) })

const Suite = Schema.Struct({
  title: Text,
  file: Text,
  specs: maybe(list(Schema.Struct({ title: Schema.String, file: Text, tests: list(Test) }))),
  suites: maybe(list(Schema.Unknown))
})

type Suite = typeof Suite.Type

const Commit = Schema.Struct({ hash: Text, branch: Text })

const Report = Schema.Struct({
  config: maybe(
    Schema.Struct({
      version: Text,
      rootDir: Text,
      metadata: maybe(
        Schema.Struct({ gitCommit: maybe(Commit), ci: maybe(Schema.Struct({ buildHref: Text, commitHash: Text })) })
      )
    })
  ),
  suites: list(Schema.Unknown),
  errors: maybe(list(Failure)),
  stats: maybe(Schema.Struct({ startTime: Text, duration: Count, unexpected: Count }))
})

type Report = typeof Report.Type

const decodeReport = Schema.decodeUnknownResult(Report)
const decodeSuite = Schema.decodeUnknownResult(Suite)

/**
 * The content of a Playwright report.
 *
 * **Details**
 *
 * - name: `<project> › <file> › <titles>`, as the JUnit report of the same run has it; the path of the file begins at the
 *   checkout when `relative` knows it, else at the folder of the tests.
 * - conclusion: that of Playwright. A test that is expected to fail passes when it fails and fails when it passes. A
 *   timed-out test failed; an interrupted one, and one that did not run, is skipped.
 * - reruns: `results` are the attempts of one execution.
 * - errors outside of tests (a file that does not load, a global set-up, the global time-out): a failed case of the file,
 *   or of the test run.
 */
export const ofJson = (
  json: unknown,
  limits: Limits,
  relative: Checkout.Relative
): Result.Result<Parsed, ParseError.ParseError> => {
  const decoded = decodeReport(json)
  if (Result.isFailure(decoded)) return Result.fail(Shape.fault("Playwright", [], decoded.failure))
  const report = decoded.success
  const sink = CaseSink.make(limits)
  const refused = addSuites(report.suites, sink, limits) ?? addErrors(report, sink, limits)
  if (refused !== undefined) return Result.fail(refused)
  return Result.succeed(placed(sink.parsed(runOf(report)), report.config?.rootDir ?? "", relative))
}

/** Files are relative to the folder of the tests: owners and annotations need their paths in the checkout. Names stay. */
const placed = (parsed: Parsed, rootDir: string, relative: Checkout.Relative): Parsed => {
  const pathIn = (file: string): string => {
    const whole = `${rootDir}/${file}`
    const path = relative(whole)
    return path === whole ? file : path
  }
  const cases = parsed.cases.map((each) =>
    each.filepath === null || Filepath.isAbsolute(each.filepath) ? each : { ...each, filepath: pathIn(each.filepath) }
  )
  return { ...parsed, cases }
}

/** A suite that is still to be read. The outermost suites are the files; `titles` are those of the suites within. */
interface Place {
  readonly suite: unknown
  readonly path: ReadonlyArray<string | number>
  readonly file: string | null
  readonly titles: ReadonlyArray<string>
}

/** The suites that are open stand on a stack of our own: the nesting of a file must not decide on that of calls. */
const addSuites = (
  suites: ReadonlyArray<unknown>,
  sink: CaseSink.CaseSink,
  limits: Limits
): ParseError.ParseError | undefined => {
  const open: Array<Place> = suites
    .map((suite, index) => ({ suite, path: ["suites", index], file: null, titles: [] }))
    .toReversed()
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    if (place.path.length > 2 * limits.depth) return toError(tooDeep(limits))
    const decoded = decodeSuite(place.suite)
    if (Result.isFailure(decoded)) return Shape.fault("Playwright", place.path, decoded.failure)
    const suite = decoded.success
    const isFile = place.path.length === 2
    const file = suite.file ?? place.file ?? suite.title ?? null
    const titles = isFile ? [] : [...place.titles, suite.title ?? ""]
    const refusal = addSpecs(suite, { file, titles }, sink, limits)
    if (refusal !== undefined) return toError(refusal)
    const inner = (suite.suites ?? []).map((each, index) => ({
      suite: each,
      path: [...place.path, "suites", index],
      file,
      titles
    }))
    open.push(...inner.toReversed())
  }
  return undefined
}

const tooDeep = (limits: Limits): Refusal => ({
  reason: "too_large",
  message: `Suites are nested more than ${limits.depth} deep.`
})

const addSpecs = (
  suite: Suite,
  { file, titles }: Pick<Place, "file" | "titles">,
  sink: CaseSink.CaseSink,
  limits: Limits
): Refusal | undefined => {
  for (const spec of suite.specs ?? []) {
    const filepath = pathOf(spec.file ?? file, limits)
    for (const test of spec.tests) {
      const testName = FileName.of({ project: test.projectName, file: filepath, titles: [...titles, spec.title] })
      const refusal = sink.add(caseOf(test, { testName, filepath }, limits), test.results.length)
      if (refusal !== undefined) return refusal
    }
  }
  return undefined
}

const pathOf = (file: string | null, limits: Limits): string | null =>
  file === null ? null : Excerpt.ofUnits(Filepath.relative(FailureText.storable(file)), limits.pathLength)

const caseOf = (test: typeof Test.Type, source: Attempt.Source, limits: Limits): Domain.Case => {
  const expected = test.expectedStatus ?? "passed"
  const made = Attempt.caseOf(
    source,
    test.results.map((run) => attemptOf(run, expected, limits))
  )
  return test.status !== "unexpected" || made.conclusion === "failed"
    ? made
    : { ...made, conclusion: "failed", flaky: false, exception: made.exception ?? textOf([], noReason, limits) }
}

const noReason = "Playwright counts the test as failed and does not say why."

/** Playwright counts an attempt as passed when it ended as expected. */
const attemptOf = (run: typeof Run.Type, expected: string, limits: Limits): Attempt.Attempt => {
  const errors = run.errors?.length ? run.errors : run.error ? [run.error] : []
  const status = run.status ?? (errors.length === 0 ? "interrupted" : "failed")
  const start = Timestamp.parse(run.startTime ?? undefined)
  const durationMs = Duration.ofMilliseconds(run.duration ?? 0) ?? 0
  const conclusion = notRun.has(status) ? "skipped" : status === expected ? "passed" : "failed"
  return {
    conclusion,
    at: start === null ? null : Timestamp.ofMilliseconds(start + durationMs),
    durationMs,
    exception: conclusion === "failed" ? textOf(errors, unexpected(status, expected), limits) : null
  }
}

const notRun: ReadonlySet<string> = new Set(["skipped", "interrupted"])

const unexpected = (status: string, expected: string): string =>
  expected === "passed" ? `The test ended as ${status}.` : `Expected to end as ${expected}, but ended as ${status}.`

const textOf = (
  errors: ReadonlyArray<typeof Failure.Type>,
  otherwise: string,
  limits: Limits
): Execution.ExceptionReport => {
  const [first] = errors
  const message = withoutSnippet(first?.message ?? first?.value ?? "")
  const body = errors.map((each) => each.stack || each.message || each.value || "").join("\n\n")
  return FailureText.make({ type: undefined, message: message || otherwise, body }, limits)
}

/** A message without the lines of source code that follow it behind an empty line; in one pass, however long it is. */
const withoutSnippet = (message: string): string => {
  for (const { index } of message.matchAll(/^[ \t]*(?:>[ \t]*)?\d+ \|/gm)) {
    const kept = message.slice(0, index).trimEnd()
    const gap = message.slice(kept.length, index).indexOf("\n\n")
    if (gap >= 0) return message.slice(0, kept.length + gap)
  }
  return message
}

/** The message of Playwright when listed failures reach `maxFailures`: no failure of its own. */
const stoppedEarly = /^Testing stopped early after \d+ maximum allowed failures\.$/

/** Errors of one file are one case: a second one would be the same test again. */
const addErrors = (report: Report, sink: CaseSink.CaseSink, limits: Limits): ParseError.ParseError | undefined => {
  const byFile = new Map<string | null, Array<typeof Failure.Type>>()
  for (const error of report.errors ?? []) {
    const text = PlainText.of(error.message ?? "").trim()
    if (stoppedEarly.test(text) && sink.failed() > 0) {
      sink.warnings.add(`${text} Tests that did not run are skipped.`)
      continue
    }
    const file = error.location?.file ?? null
    byFile.set(file, [...(byFile.get(file) ?? []), error])
  }
  for (const [file, errors] of byFile) {
    const filepath =
      file === null ? null : Excerpt.ofUnits(Filepath.within(file, report.config?.rootDir ?? ""), limits.pathLength)
    const refusal = sink.add({
      ...Attempt.caseOf({ testName: filepath ?? FileName.testRun, filepath }, []),
      conclusion: "failed",
      exception: textOf(errors, "The test run failed.", limits)
    })
    if (refusal !== undefined) return toError(refusal)
  }
  return undefined
}

const runOf = ({ config, stats }: Report): CaseSink.Run => {
  const start = Timestamp.parse(stats?.startTime ?? undefined)
  const { ci, gitCommit } = config?.metadata ?? {}
  return {
    announced: { tests: null, failures: stats?.unexpected ?? null },
    finishedAt: start === null ? null : Timestamp.ofMilliseconds(start + Math.max(0, stats?.duration ?? 0)),
    context: Hints.make({
      framework: "playwright",
      frameworkVersion: config?.version ?? undefined,
      language: "javascript",
      commit: gitCommit?.hash ?? ci?.commitHash ?? undefined,
      branch: gitCommit?.branch ?? undefined,
      jobUrl: ci?.buildHref ?? undefined
    })
  }
}
