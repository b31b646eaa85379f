/** Test spans in OTLP/HTTP trace requests, as protobuf or JSON. */
import { Result } from "effect"
import * as CaseList from "../report/CaseList.ts"
import * as FailureText from "../text/FailureText.ts"
import * as JsonText from "../json/JsonText.ts"
import * as Limits from "../text/Limits.ts"
import * as OtlpJson from "./OtlpJson.ts"
import * as OtlpProtobuf from "./OtlpProtobuf.ts"
import type * as OtlpSpan from "./OtlpSpan.ts"
import type * as ParseError from "../text/ParseError.ts"
import type { Hints, Parsed } from "../text/Parsed.ts"
import * as TestSpan from "./TestSpan.ts"
import * as Warnings from "../text/Warnings.ts"
import type { Refusal } from "../text/Refusal.ts"

/**
 * The test cases of one job run of a request: its context says which pipeline, job, run, attempt, branch and commit.
 */
export type OtlpReport = Parsed

/** How a request is read. */
export interface Options {
  /** Limits that differ from `Limits.standard`. */
  readonly limits?: Partial<Limits.Limits>
  /** As in `JUnit.Options`. */
  readonly onDecoded?: () => void
}

/**
 * The reports of a request in protobuf, one for each job run in it, in the order of their first span.
 *
 * **Details**
 *
 * Spans that are not test cases are ignored: a request without test cases yields no reports. Attributes of a span win
 * over those of its resource.
 */
export const parseProtobuf = (
  bytes: Uint8Array,
  options: Options = {}
): Result.Result<ReadonlyArray<OtlpReport>, ParseError.ParseError> => {
  const limits = { ...Limits.standard, ...options.limits }
  const reports = gather(limits)
  return Result.map(OtlpProtobuf.forEachSpan(bytes, limits, reports.add), reports.all)
}

/**
 * The reports of a request in JSON; otherwise as {@link parseProtobuf}.
 *
 * @example
 * ```ts
 * import { Otlp } from "@lazaret/ingest"
 * import { Result } from "effect"
 *
 * const attribute = (key: string, stringValue: string) => ({ key, value: { stringValue } })
 * const span = {
 *   name: "cart > adds",
 *   startTimeUnixNano: "1700000000000000000",
 *   endTimeUnixNano: "1700000000005000000",
 *   attributes: [attribute("test.scope", "case"), attribute("test.case.result.status", "passed")]
 * }
 * const resource = { attributes: [attribute("cicd.pipeline.name", "CI")] }
 * const request = JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ spans: [span] }] }] })
 * const [report] = Result.getOrThrow(Otlp.parseJson(request))
 *
 * report?.context // => { pipelineName: "CI" }
 * report?.cases.map((each) => [each.testName, each.conclusion, each.durationMs]) // => [["cart > adds", "passed", 5]]
 * ```
 */
export const parseJson = (
  input: string | Uint8Array,
  options: Options = {}
): Result.Result<ReadonlyArray<OtlpReport>, ParseError.ParseError> => {
  const limits = { ...Limits.standard, ...options.limits }
  const reports = gather(limits)
  return JsonText.parse(input, limits, options.onDecoded).pipe(
    Result.flatMap(({ value, warnings }) =>
      Result.map(OtlpJson.forEachSpan(value, limits, reports.add), () =>
        reports.all().map((report) => JsonText.warned(report, warnings))
      )
    )
  )
}

interface Group {
  readonly list: CaseList.CaseList
  readonly context: Hints
}

/** Sorts the cases of a request into the job runs they belong to. */
const gather = (limits: Limits.Limits) => {
  const groups = new Map<string, Group>()
  const runOf = runs()
  let listed = 0
  const add = (span: OtlpSpan.OtlpSpan): Refusal | undefined => {
    if (!TestSpan.isCase(span)) return undefined
    listed += 1
    if (listed > limits.cases) return CaseList.tooMany(limits)
    const { context, key } = runOf(span)
    const group = groups.get(key) ?? { list: CaseList.make(limits, "asSent"), context }
    groups.set(key, group)
    const name = TestSpan.testName(span)
    const isNamed = name.trim() !== ""
    const case_ = TestSpan.toCase(span, isNamed ? FailureText.storable(name) : "(test without a name)", limits)
    if (!isNamed && case_.conclusion !== "failed") return group.list.skip()
    return group.list.add(case_, { ...CaseList.separate, isAttempt: TestSpan.isAttempt(span) })
  }
  return { add, all: (): ReadonlyArray<OtlpReport> => Array.from(groups.values(), (each) => reportOf(each, limits)) }
}

interface Run {
  readonly key: string
  readonly context: Hints
}

/** The run of a span; computed once for all spans of a resource with equal run attributes. */
const runs = (): ((span: OtlpSpan.OtlpSpan) => Run) => {
  const known = new Map<string, Run>()
  let resource: OtlpSpan.Attributes | undefined
  return (span) => {
    if (resource !== span.resource) known.clear()
    resource = span.resource
    const own = TestSpan.ownHints(span)
    const before = known.get(own)
    if (before !== undefined) return before
    const context = TestSpan.hints(span)
    const { branch, commit, jobName, pipelineName, runAttempt, runId } = context
    const run = { context, key: JSON.stringify([pipelineName, jobName, runId, runAttempt, branch, commit]) }
    known.set(own, run)
    return run
  }
}

const reportOf = ({ context, list }: Group, limits: Limits.Limits): OtlpReport => {
  const warnings = Warnings.make(limits.warnings)
  const { attempts, cases, hasDistinctNames, skipped } = list.conclude(warnings)
  const finishedAt = cases.reduce((latest, each) => Math.max(latest, each.at ?? 0), 0)
  return {
    cases,
    attempts,
    hasDistinctNames,
    listed: list.listed(),
    skippedCount: skipped,
    incomplete: [],
    warnings: warnings.all(),
    context,
    finishedAt: finishedAt === 0 ? null : finishedAt
  }
}
