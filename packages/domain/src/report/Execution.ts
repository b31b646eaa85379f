/** Executions: one run of one test, as CI reported it (semantics: `docs/explanation/health-model.md`). */
import { Schema } from "effect"
import * as Instant from "../time/Instant.ts"
import * as Text from "../text/Text.ts"

/** The outcome of an execution. An error is a failure; its exception type keeps the difference. */
export const Conclusion = Schema.Literals(["passed", "failed", "skipped"])

/** The outcome of an execution. */
export type Conclusion = typeof Conclusion.Type

/** The exception of a failure, as the reporter wrote it. */
export interface ExceptionReport {
  readonly type: string | null
  readonly message: string | null
  readonly stacktrace: string | null
}

/** Schema of {@link ExceptionReport}. */
export const ExceptionReport = Schema.Struct({
  type: Schema.NullOr(Text.Storable),
  message: Schema.NullOr(Text.Storable),
  stacktrace: Schema.NullOr(Text.Storable)
})

/**
 * The fields of an execution that the health fold reads.
 *
 * **Details**
 *
 * - `id`: unique among the executions of one test, derived from content; breaks ties of `at`.
 * - `at`: when the execution finished.
 * - `flaky`: failed and passed inside one job (then `conclusion` is `passed`).
 * - `reruns`: how often the job ran the test again, 0 for a single attempt.
 * - `excused`: a failure that belongs to an outage and says nothing about the test (see `Outage`).
 * - `outage`: a failure that belongs to an outage, excused or not: it never makes a test flaky. Absent means false.
 * - `many`: many tests failed in the job run next to this failure (see `Outage`). Absent means false.
 *
 * The fold compares ids and commits for equality only, so that a store may fold shorter names than those of the report.
 */
export interface Observation<Id = string, Commit = string> {
  readonly id: Id
  readonly at: Instant.Instant
  readonly commit: Commit
  readonly conclusion: Conclusion
  readonly flaky: boolean
  readonly reruns: number
  readonly excused: boolean
  readonly outage?: boolean
  readonly many?: boolean
}

/**
 * An observation of a plain execution: one attempt, not flaky, part of no outage, unless the parts say otherwise.
 *
 * @example
 * ```ts
 * import { Execution } from "@lazaret/domain"
 *
 * Execution.observed({ id: "1", at: 0, commit: "c1", conclusion: "failed" })
 * // => { id: "1", at: 0, commit: "c1", conclusion: "failed", flaky: false, reruns: 0, excused: false }
 * ```
 */
export const observed = <Id = string, Commit = string>(
  parts: Pick<Observation<Id, Commit>, "id" | "at" | "commit" | "conclusion"> & Partial<Observation<Id, Commit>>
): Observation<Id, Commit> => ({ flaky: false, reruns: 0, excused: false, ...parts })

/**
 * One run of one test, as stored: a fact that never changes.
 *
 * **Details**
 *
 * In-job reruns of one test are one execution. `durationMs` is in milliseconds, exact to the microsecond, 0 for skipped
 * ones.
 * `exception` is that of a failure, or of the first failed attempt of a flaky pass; null for all others.
 * `filepath` and `functionName` are the source of the test where known.
 * `attemptOf` is the test that a failure is an attempt of, where its report lists the attempts as tests of their own and proves it;
 * absent otherwise.
 */
export interface Execution {
  readonly id: string
  readonly testName: string
  readonly at: Instant.Instant
  readonly durationMs: number
  readonly conclusion: Conclusion
  readonly flaky: boolean
  readonly reruns: number
  readonly exception: ExceptionReport | null
  readonly filepath: string | null
  readonly functionName: string | null
  readonly attemptOf?: string
}

/** Schema of {@link Execution}. */
export const Execution = Schema.Struct({
  id: Text.between(1, 100),
  testName: Text.between(1, 10_000),
  at: Instant.Instant,
  durationMs: Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0)),
  conclusion: Conclusion,
  flaky: Schema.Boolean,
  reruns: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)),
  exception: Schema.NullOr(ExceptionReport),
  filepath: Schema.NullOr(Text.Storable),
  functionName: Schema.NullOr(Text.Storable),
  attemptOf: Schema.optionalKey(Text.between(1, 10_000))
})

/**
 * The order of executions: when they finished, then their id by code points.
 *
 * Arrival plays no part: the same set of executions has the same order in every store (our choice, semantics of 3.2).
 *
 * @example
 * ```ts
 * import { Execution } from "@lazaret/domain"
 *
 * Execution.order({ at: 1, id: "b" }, { at: 2, id: "a" }) // => -1
 * Execution.order({ at: 1, id: "b" }, { at: 1, id: "a" }) // => 1
 * ```
 */
export const order = (
  a: { readonly at: Instant.Instant; readonly id: string },
  b: { readonly at: Instant.Instant; readonly id: string }
): -1 | 0 | 1 => (a.at < b.at ? -1 : a.at > b.at ? 1 : Text.compare(a.id, b.id))
