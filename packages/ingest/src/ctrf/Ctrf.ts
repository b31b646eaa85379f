/** CTRF, the Common Test Report Format (JSON). */
import { Result, Schema, SchemaIssue } from "effect"
import * as CaseList from "../report/CaseList.ts"
import * as Checkout from "../text/Checkout.ts"
import type { Options } from "../junit/JUnit.ts"
import * as CtrfCase from "./CtrfCase.ts"
import * as Hints from "../report/Hints.ts"
import * as JsonText from "../json/JsonText.ts"
import * as Limits from "../text/Limits.ts"
import * as NameAdvice from "../report/NameAdvice.ts"
import * as ParseError from "../text/ParseError.ts"
import type { Parsed, Shortfall } from "../text/Parsed.ts"
import * as Refusal from "../text/Refusal.ts"
import * as SuiteCount from "../report/SuiteCount.ts"
import * as Warnings from "../text/Warnings.ts"

const Text = Schema.optionalKey(Schema.NullOr(Schema.String))
const Scalar = Schema.optionalKey(Schema.NullOr(Schema.Union([Schema.String, Schema.Number])))

/** The keys that are read; all others are ignored. */
const Report = Schema.Struct({
  results: Schema.Struct({
    tool: Schema.optionalKey(Schema.NullOr(Schema.Struct({ name: Text, version: Text }))),
    summary: Schema.optionalKey(
      Schema.NullOr(Schema.Struct({ tests: CtrfCase.Count, failed: CtrfCase.Count, stop: CtrfCase.Time }))
    ),
    tests: Schema.Array(CtrfCase.Test),
    environment: Schema.optionalKey(
      Schema.NullOr(
        Schema.Struct({
          buildName: Text,
          buildId: Scalar,
          buildNumber: Scalar,
          buildUrl: Text,
          commit: Text,
          branchName: Text
        })
      )
    )
  })
})

const decode = Schema.decodeUnknownResult(Report)

const format = SchemaIssue.makeFormatterStandardSchemaV1()

/**
 * The content of a CTRF report.
 *
 * **Details**
 *
 * - name: `project or browser › file › suite › name`, the parts that exist and that the name does not already hold.
 * - status: passed and failed keep their meaning; skipped and pending are skipped, and so is other unless `rawStatus` or
 *   the text of a failure says that it failed. An unknown or missing word is a failure, with a warning.
 * - reruns: `retries`, else the number of `retryAttempts`; a pass after a retry, or one that says `flaky`, is flaky.
 * - time: `stop`, else `start` and `duration`; in milliseconds, or in seconds when the number is that small.
 * - context: `tool` and `environment`; the run's finish is `summary.stop`.
 *
 * @example
 * ```ts
 * import { Ctrf } from "@lazaret/ingest"
 * import { Result } from "effect"
 *
 * const json = { results: { tests: [{ name: "adds", suite: "cart", status: "passed", duration: 5 }] } }
 * const { cases } = Result.getOrThrow(Ctrf.parse(JSON.stringify(json)))
 *
 * cases.map((each) => [each.testName, each.conclusion, each.durationMs]) // => [["cart › adds", "passed", 5]]
 * ```
 */
export const parse = (
  input: string | Uint8Array,
  options: Options = {}
): Result.Result<Parsed, ParseError.ParseError> => {
  const limits = { ...Limits.standard, ...options.limits }
  return Result.flatMap(JsonText.parse(input, limits), ({ value, warnings }) =>
    Result.map(ofJson(value, limits, Checkout.make(options.checkout)), (parsed) => JsonText.warned(parsed, warnings))
  )
}

/** The content of a CTRF report whose JSON has been read. */
export const ofJson = (
  json: unknown,
  limits: Limits.Limits,
  relative: Checkout.Relative
): Result.Result<Parsed, ParseError.ParseError> =>
  decode(json).pipe(
    Result.mapError((error) => notCtrf(error.issue)),
    Result.flatMap(({ results }) => parsedOf(results, limits, relative))
  )

const parsedOf = (
  results: typeof Report.Type.results,
  limits: Limits.Limits,
  relative: Checkout.Relative
): Result.Result<Parsed, ParseError.ParseError> => {
  const list = CaseList.make(limits)
  const warnings = Warnings.make(limits.warnings)
  const unknown = new Set<string>()
  let failed = 0
  let mended = 0
  for (const test of results.tests) {
    const { case_, fault, isMended, isNamed } = CtrfCase.make(
      CtrfCase.placed(test, relative),
      results.tool?.name ?? "",
      limits
    )
    if (fault !== null) unknown.add(fault)
    if (isMended) mended += 1
    if (case_.conclusion === "failed") failed += 1
    const isLost = !isNamed && case_.conclusion !== "failed"
    const named = isNamed ? case_ : { ...case_, testName: CaseList.nameless }
    const refusal = isLost ? list.skip() : list.add(named, CaseList.separate)
    if (refusal !== undefined) return Result.fail(Refusal.toError(refusal))
  }
  const executions = list.conclude(warnings)
  NameAdvice.add({ ...executions, producer: undefined, isOrderExplained: false }, warnings)
  for (const fault of unknown) warnings.add(fault)
  if (mended > 0) {
    const count = Warnings.counted(mended, "test name")
    warnings.add(`Characters in ${count} cannot be stored: each is replaced by U+FFFD.`)
  }
  const incomplete = shortfallsOf(results, list.listed(), failed)
  for (const each of incomplete) warnings.add(SuiteCount.sentence(each))
  return Result.succeed({
    cases: executions.cases,
    attempts: executions.attempts,
    hasDistinctNames: executions.hasDistinctNames,
    listed: list.listed(),
    skippedCount: executions.skipped,
    incomplete,
    warnings: warnings.all(),
    context: contextOf(results),
    finishedAt: CtrfCase.instantOf(results.summary?.stop)
  })
}

const shortfallsOf = (
  { summary, tests: all }: typeof Report.Type.results,
  listed: number,
  failed: number
): ReadonlyArray<Shortfall> => {
  const tests = SuiteCount.missing(summary?.tests, listed)
  const failures = SuiteCount.missing(summary?.failed, failed, all.filter(CtrfCase.isExpectedFailure).length)
  return tests === null && failures === null ? [] : [{ suite: "", tests, failures }]
}

const contextOf = ({ environment, tool }: typeof Report.Type.results): Parsed["context"] =>
  Hints.make({
    framework: tool?.name ?? undefined,
    frameworkVersion: tool?.version ?? undefined,
    pipelineName: environment?.buildName ?? undefined,
    runId: text(environment?.buildId) ?? text(environment?.buildNumber),
    jobUrl: environment?.buildUrl ?? undefined,
    commit: environment?.commit ?? undefined,
    branch: environment?.branchName ?? undefined
  })

const text = (value: string | number | null | undefined): string | undefined =>
  value === null || value === undefined ? undefined : String(value)

/** The first fault with its path: one is enough to recognise the kind of file. */
const notCtrf = (issue: SchemaIssue.Issue): ParseError.ParseError => {
  const [first] = format(issue).issues
  const path = (first?.path ?? []).map(String).join(".")
  const fault = first === undefined ? "" : `${path === "" ? "" : `${path}: `}${first.message}. `
  return path.startsWith("results.tests.")
    ? ParseError.whole("malformed", `The CTRF report has a fault: ${fault.slice(0, 500)}Correct the reporter.`)
    : ParseError.whole(
        "unsupported",
        `The JSON is not a CTRF report: ${fault.slice(0, 500)}CTRF has its test cases in results.tests.`
      )
}
