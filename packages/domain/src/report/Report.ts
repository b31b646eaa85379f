/** Reports: the results of one job run, as one upload brings them. */
import { Schema } from "effect"
import { v5 } from "uuid"
import * as Execution from "./Execution.ts"
import * as ClockSkew from "../time/ClockSkew.ts"
import * as Instant from "../time/Instant.ts"
import { Id, PullRef } from "./PullRef.ts"
import * as TestIdentity from "./TestIdentity.ts"
import * as Text from "../text/Text.ts"

/**
 * The run of a report: its place in CI, and the code that it tested.
 *
 * **Details**
 *
 * - `branch`: null means the default branch; `owner:branch` is the branch of a fork.
 * - `baseBranch`: named for a pull request's run; such a run never counts as default branch.
 * - `runId`, `runAttempt`: which run of the pipeline; all uploads of the same pipeline, job, run and attempt are one job run.
 * - `jobUrl`: where people read the log.
 * - `pullRequest`: the merged pull request that brought the commit, whole or not at all (interface 2.2).
 * - `pullNumber`: the number of the pull request that the commit belongs to, where nothing else of it is known.
 */
export const RunContext = Schema.Struct({
  pipelineName: TestIdentity.Name,
  jobName: TestIdentity.Name,
  branch: Schema.NullOr(Text.between(1, 255)),
  baseBranch: Schema.NullOr(Text.between(1, 255)),
  commit: Text.between(1, 255),
  runId: Text.between(1, 255),
  runAttempt: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2_147_483_647 })),
  jobUrl: Schema.NullOr(Text.between(1, 2048)),
  framework: Schema.NullOr(Text.between(1, 255)),
  frameworkVersion: Schema.NullOr(Text.between(1, 255)),
  language: Schema.NullOr(Text.between(1, 255)),
  pullRequest: Schema.NullOr(PullRef),
  pullNumber: Schema.NullOr(Id)
})

/** The run of a report: its place in CI, and the code that it tested. */
export type RunContext = typeof RunContext.Type

/**
 * One test case of a report before it has an id: what a parser yields.
 *
 * `at` is null when the report has no time for the case; then the run's finish stands for it.
 */
export type Case = Omit<Execution.Execution, "id" | "at"> & { readonly at: Instant.Instant | null }

/**
 * The context of a run from what is known of it: what is left out is null, the commit stands for a missing run id, and the
 * attempt is the first one.
 *
 * @example
 * ```ts
 * import { Report } from "@lazaret/domain"
 *
 * const run = Report.contextOf({ pipelineName: "CI", jobName: "unit", commit: "4f1c", branch: "main" })
 * run.runId // => "4f1c"
 * run.jobUrl // => null
 * ```
 */
export const contextOf = (
  known: Pick<RunContext, "pipelineName" | "jobName" | "commit"> & Partial<RunContext>
): RunContext => ({
  branch: null,
  baseBranch: null,
  runId: known.commit,
  runAttempt: 1,
  jobUrl: null,
  framework: null,
  frameworkVersion: null,
  language: null,
  pullRequest: null,
  pullNumber: null,
  ...known
})

/**
 * A test case from what is known of it: without duration, reruns and source where they are left out.
 *
 * @example
 * ```ts
 * import { Report } from "@lazaret/domain"
 *
 * Report.caseOf({ testName: "adds up", conclusion: "passed" }).durationMs // => 0
 * ```
 */
export const caseOf = (known: Pick<Case, "testName" | "conclusion"> & Partial<Case>): Case => ({
  at: null,
  durationMs: 0,
  flaky: false,
  reruns: 0,
  exception: null,
  filepath: null,
  functionName: null,
  ...known
})

/**
 * The results of one job run with everything a store needs to keep them.
 *
 * **Details**
 *
 * - `key`: the idempotency key; the same key never counts twice.
 * - `digest`: identifies the content; the same key with another digest is a conflict.
 * - `id`: derived from the key, shown to callers as `report_id`.
 * - `receivedAt`: arrival, for bookkeeping; it replaces times that lie too far after it (`ClockSkew`), and decides nothing else.
 */
export interface Report {
  readonly id: string
  readonly key: string
  readonly digest: string
  readonly receivedAt: Instant.Instant
  readonly run: RunContext
  readonly executions: ReadonlyArray<Execution.Execution>
}

/** Schema of {@link Report}. */
export const Report = Schema.Struct({
  id: Schema.String.check(Schema.isUUID(5)),
  key: Text.between(1, 1000),
  digest: Text.between(1, 255),
  receivedAt: Instant.Instant,
  run: RunContext,
  executions: Schema.Array(Execution.Execution)
})

/** The namespace of report ids. */
export const namespace = "0f6a4c7e-7c54-5a0b-8f0e-3f1d5d2f9b11"

/**
 * Makes a report from parsed cases: derives the report id from the key and the execution ids from it.
 *
 * **Details**
 *
 * An execution id is `{report id}.{ordinal}`, the ordinal counting the cases of the same name in the report from 0, so
 * that it depends on content and not on the order of other cases. A case without a time gets `finishedAt`; times that
 * lie too far after `receivedAt` are replaced (`ClockSkew.instantOf`). Durations are rounded to
 * microseconds. Only a passed case can be flaky; only a failed or flaky one has an exception.
 */
export const make = (parts: Parts): Report => of(parts, Array.from(parts.cases, executionOf(parts)))

/** The parts of a report, without its cases. */
export interface Frame {
  readonly key: string
  readonly digest: string
  readonly receivedAt: Instant.Instant
  readonly finishedAt: Instant.Instant
  readonly run: RunContext
}

/** The parts of a report. */
export interface Parts extends Frame {
  readonly cases: Iterable<Case>
}

/** The report of the executions that {@link executionOf} made. */
export const of = (
  { digest, key, receivedAt, run }: Frame,
  executions: ReadonlyArray<Execution.Execution>
): Report => ({ id: idOf(key), key, digest, receivedAt, run, executions })

/**
 * Makes the execution of each case of a report, in their order, so that a server can do other work in between.
 *
 * **Details**
 *
 * `hasDistinctNames` says that no two cases have the same name: to look for equal ones, every name is hashed.
 */
export const executionOf = (
  frame: Frame,
  { hasDistinctNames = false }: { readonly hasDistinctNames?: boolean } = {}
): ((case_: Case) => Execution.Execution) => {
  const id = idOf(frame.key)
  // One text for nearly all executions, instead of one for each.
  const firstId = `${id}.0`
  const ordinalOf = hasDistinctNames ? () => 0 : counted()
  return (case_) => {
    const ordinal = ordinalOf(case_.testName)
    const isFlaky = case_.flaky && case_.conclusion === "passed"
    const execution: Execution.Execution = {
      id: ordinal === 0 ? firstId : `${id}.${ordinal}`,
      testName: case_.testName,
      at: ClockSkew.instantOf(case_.at, frame),
      durationMs: Math.round(case_.durationMs * 1000) / 1000,
      conclusion: case_.conclusion,
      flaky: isFlaky,
      reruns: case_.reruns,
      exception: case_.conclusion === "failed" || isFlaky ? case_.exception : null,
      filepath: case_.filepath,
      functionName: case_.functionName
    }
    // With a spread in the literal above, 50,000 executions take 1.4 times as long.
    const isAttempt = case_.attemptOf !== undefined && case_.conclusion === "failed"
    return isAttempt ? { ...execution, attemptOf: case_.attemptOf } : execution
  }
}

/** Counts how often a text came before. */
const counted = (): ((text: string) => number) => {
  const counts = new Map<string, number>()
  return (text) => {
    const count = counts.get(text) ?? 0
    counts.set(text, count + 1)
    return count
  }
}

/**
 * Whether a run tests the code of a fork: its branch is written `owner:branch`, as hosting platforms write the branches of
 * forks. The branches of a repository itself have no colon.
 *
 * @example
 * ```ts
 * import { Report } from "@lazaret/domain"
 *
 * Report.isFork({ branch: "ada:main" }) // => true
 * Report.isFork({ branch: "main" }) // => false
 * ```
 */
export const isFork = ({ branch }: Pick<RunContext, "branch">): boolean => branch?.includes(":") === true

/**
 * How many identities the reports of forks may add to a repository on one UTC day.
 *
 * **Details**
 *
 * Our choice: the tests of a large repository once over. The tests of the repository itself are known already; a fork adds those that
 * its change adds. Without a limit one account could fill the names of a repository, which reads and uploads look through.
 */
export const mostTestsOfForks = 20_000

const idOf = (key: string): string => v5(key, namespace)

/** A text that is equal for uploads of the same job run only: pipeline, job, run and attempt. */
export const runKey = (run: Pick<RunContext, "pipelineName" | "jobName" | "runId" | "runAttempt">): string =>
  `${run.pipelineName}\0${run.jobName}\0${run.runId}\0${run.runAttempt}`

/** When the first and the last execution of a report finished. */
export interface Span {
  readonly earliest: Instant.Instant
  readonly latest: Instant.Instant
}

/** The span of a report, computed once; its arrival when it has no executions. */
export const span = (report: Report): Span => {
  const found = spans.get(report) ?? spanOf(report)
  spans.set(report, found)
  return found
}

const spans = new WeakMap<Report, Span>()

const spanOf = ({ executions, receivedAt }: Report): Span => {
  if (executions.length === 0) return { earliest: receivedAt, latest: receivedAt }
  let earliest = Infinity
  let latest = -Infinity
  for (const { at } of executions) {
    if (at < earliest) earliest = at
    if (at > latest) latest = at
  }
  return { earliest, latest }
}

/** The report without the executions that finished before an instant; the same object when every execution is later. */
export const since = (report: Report, instant: Instant.Instant): Report =>
  span(report).earliest >= instant
    ? report
    : { ...report, executions: report.executions.filter(({ at }) => at >= instant) }

/** Whether an execution is the first one of its name in its report: each test has one of them. */
export const isFirst = ({ id }: Pick<Execution.Execution, "id">): boolean => id.endsWith(firstOrdinal)

const firstOrdinal = ".0"
