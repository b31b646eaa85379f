/** How often the verdict `flaky` was right in the field, and when the gate stops to trust it. */
import { Schema } from "effect"
import * as Report from "../report/Report.ts"
import * as Calibration from "./FailureCalibration.ts"
import * as Facts from "./FailureFacts.ts"
import { Verdict, type FailureVerdict } from "./FailureVerdict.ts"
import * as Instant from "../time/Instant.ts"
import type * as TestId from "../report/TestId.ts"

/** Schema of what a failure was in truth, as a person says. */
export const Truth = Schema.Literals(["flaky", "real"])

/** The true nature of a failure, as a person states it. */
export type Truth = typeof Truth.Type

/** Schema of how the base stood when a failure was judged. */
export const BaseState = Schema.Literals(["passed", "failed", "unknown"])

/** How the base stood when a failure was judged: its last outcome there. */
export type BaseState = typeof BaseState.Type

/** A statement of a person about a failure: its true nature, the person, and the time. */
export interface Mark {
  readonly truth: Truth
  readonly by: string
  readonly at: Instant.Instant
}

/** The name of a failed execution of a repository. */
export interface MarkedExecution {
  readonly testId: TestId.TestId
  readonly executionId: string
}

/**
 * The first verdict that was answered on a failure, before any pass on the same code proved it.
 *
 * **Details**
 *
 * - `testId`, `executionId`: the failed execution; the executions of a report share ids with those of its other tests.
 *   `at`: when its job run finished.
 * - `runId`: the only run that is on the same code; null for a push, of which every run on the commit is.
 * - `odds`: the log-odds of a flake in bits before the calibration of the repository; `base`: how the base stood.
 */
export interface FirstVerdict extends MarkedExecution {
  readonly testName: string
  readonly pipelineName: string
  readonly jobName: string
  readonly commit: string
  readonly runId: string | null
  readonly at: Instant.Instant
  readonly verdict: Verdict
  readonly probability: number
  readonly odds: number
  readonly base: BaseState
}

/** A first verdict, what later runs of the same code showed (null while they show nothing), and what a person said of it. */
export interface KeptVerdict extends FirstVerdict {
  readonly outcome: Truth | null
  readonly mark: Mark | null
}

/** A first verdict that a person has marked. */
export interface MarkedVerdict extends KeptVerdict {
  readonly mark: Mark
}

/**
 * The verdict that is kept of an answer, null for one that says nothing about our rule: a proof, a failure of a fork, and
 * one that no report has brought.
 */
export const firstOf = (facts: Facts.FailureFacts, judged: FailureVerdict): FirstVerdict | null => {
  const { failure } = facts
  if (judged.executionId === null || Report.isFork(failure) || Facts.provingReruns(facts).length > 0) return null
  return {
    testId: judged.testId,
    executionId: judged.executionId,
    testName: failure.testName,
    pipelineName: failure.pipelineName,
    jobName: failure.jobName,
    commit: failure.commit,
    runId: failure.isPullRequest ? failure.runId : null,
    at: failure.at,
    verdict: judged.verdict,
    probability: judged.probabilityFlaky,
    odds: judged.odds,
    base: Calibration.baseState(facts)
  }
}

/** The outcome of a kept verdict for the calibration of a repository: from the mark, else from the outcome; none while it is unknown. */
export const resolvedOf = (kept: KeptVerdict): ReadonlyArray<Calibration.Resolved> => {
  const truth = kept.mark?.truth ?? kept.outcome
  return truth === null ? [] : [{ ...kept, isFlaky: truth === "flaky" }]
}

/** In how many later job runs on the same code the identity passed, and in how many it failed. */
export interface Reruns {
  readonly passed: number
  readonly failed: number
}

/**
 * A failure that was called flaky, and what came out.
 *
 * **Details**
 *
 * - `probability`: the one that was answered first, before the outcome was known.
 * - `mark`: what a person said it was; it beats the reruns.
 */
export interface FieldOutcome extends Reruns {
  readonly at: Instant.Instant
  readonly probability: number
  readonly mark: Truth | null
}

/**
 * Schema of the policy of field precision. In brackets the defaults and the reason for each.
 *
 * **Details**
 *
 * - `leastPrecision` (0.9): excuses by verdict end below it; a setting of the gate (`FailureGate`).
 * - `leastOutcomes` (20): known outcomes that it takes: with fewer, one unlucky week would decide.
 * - `days` (30): how far back outcomes count, so that a repository that has mended its tests is trusted again.
 */
export const PrecisionPolicy = Schema.Struct({
  leastPrecision: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 })),
  leastOutcomes: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000 })),
  days: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 365 }))
})

/** The policy of field precision. */
export type PrecisionPolicy = typeof PrecisionPolicy.Type

/** The policy of field precision with every default (see the schema for the reasons). */
export const defaults: PrecisionPolicy = { leastPrecision: 0.9, leastOutcomes: 20, days: 30 }

/**
 * The precision of `flaky` in one repository.
 *
 * **Details**
 *
 * - `known`: outcomes that are known, `right` of them flakes; `precision` is their share, null without any.
 * - `calibrationError`: mean distance of the answered probability from the share of flakes, over ten equal bins of the
 *   probability, weighted by their outcomes; null without any.
 * - `excuses`: `off` when there are enough known outcomes and the precision is below the setting.
 */
export interface FieldPrecision {
  readonly known: number
  readonly right: number
  readonly precision: number | null
  readonly calibrationError: number | null
  readonly excuses: "on" | "off"
}

/**
 * The precision of `flaky` from its outcomes, in any order, as of an instant.
 *
 * **Details**
 *
 * An outcome is known once a person marked it, the same code passed, or it failed once more without a pass. Outcomes
 * older than `days` do not count (the start is exclusive).
 */
export const measure = (
  outcomes: Iterable<FieldOutcome>,
  now: Instant.Instant,
  policy: PrecisionPolicy
): FieldPrecision => {
  const known = [...outcomes].flatMap((outcome) => {
    const isFlake = truth(outcome)
    return isFlake === null || outcome.at <= now - policy.days * Instant.day || outcome.at > now
      ? []
      : [{ probability: outcome.probability, isFlake }]
  })
  const right = known.filter(({ isFlake }) => isFlake).length
  const precision = known.length === 0 ? null : right / known.length
  return {
    known: known.length,
    right,
    precision,
    calibrationError: calibrationError(known),
    excuses:
      precision !== null && known.length >= policy.leastOutcomes && precision < policy.leastPrecision ? "off" : "on"
  }
}

/** Whether a failure was a flake: by the mark, else by the reruns; null while it is unknown. */
export const truth = ({ mark, ...reruns }: Pick<FieldOutcome, "failed" | "mark" | "passed">): boolean | null => {
  const known = mark ?? outcomeOf(reruns)
  return known === null ? null : known === "flaky"
}

/** The outcome that the reruns of a failure show; null without a rerun. */
export const outcomeOf = ({ failed, passed }: Reruns): Truth | null =>
  passed > 0 ? "flaky" : failed > 0 ? "real" : null

/**
 * The expected calibration error with ten bins: mean distance of the probability from the share of flakes, weighted by
 * the number of outcomes in each bin; null without outcomes.
 */
export const calibrationError = (
  outcomes: ReadonlyArray<{ readonly probability: number; readonly isFlake: boolean }>
): number | null => {
  if (outcomes.length === 0) return null
  const gaps = Array.from({ length: 10 }, () => 0)
  for (const { isFlake, probability } of outcomes) {
    const bin = Math.min(9, Math.floor(probability * 10))
    gaps[bin] = (gaps[bin] ?? 0) + probability - (isFlake ? 1 : 0)
  }
  return gaps.reduce((sum, gap) => sum + Math.abs(gap), 0) / outcomes.length
}

/**
 * Job runs with a failure that was real, and how many of them a CI system would have run again: those of which every kept first verdict was
 * `flaky`, as for the exit code of `lazaret run --retry-exit-code`.
 */
export interface Retried {
  readonly real: number
  readonly retried: number
}

/**
 * Counts job runs by their kept verdicts, which are all of the time that counts.
 *
 * @example
 * ```ts
 * import { FailurePrecision } from "@lazaret/domain"
 *
 * const kept = { pipelineName: "CI", jobName: "unit", commit: "c", runId: null, at: 0, mark: null }
 * FailurePrecision.retriedOf([{ ...kept, verdict: "flaky", outcome: "real" }]) // => { real: 1, retried: 1 }
 * ```
 */
export const retriedOf = (verdicts: Iterable<OfJobRun>): Retried => {
  const jobRuns = Map.groupBy(verdicts, ({ at, commit, jobName, pipelineName, runId }) =>
    JSON.stringify([pipelineName, jobName, commit, runId, at])
  )
  const real = [...jobRuns.values()].filter((all) =>
    all.some(({ mark, outcome }) => (mark?.truth ?? outcome) === "real")
  )
  return { real: real.length, retried: real.filter((all) => all.every(({ verdict }) => verdict === "flaky")).length }
}

/** The part of a kept verdict that says to which job run it belongs, and what came out. */
export type OfJobRun = Pick<
  KeptVerdict,
  "pipelineName" | "jobName" | "commit" | "runId" | "at" | "verdict" | "outcome" | "mark"
>

/** How often a real failure ended with the exit code of a retry, in a sentence. */
export const retriedSentence = ({ real, retried }: Retried, { days }: Pick<PrecisionPolicy, "days">): string =>
  real === 0
    ? `no failure of the last ${days} days is known to be real, so the share of real failures that a retry exit code would run again is not known`
    : `a retry exit code would have run ${retried} of ${real} job ${real === 1 ? "run" : "runs"} with a real failure again in the last ${days} days (${Math.round((100 * retried) / real)} %)`

/** How often `flaky` was right, in a clause; that nothing is known where nothing is. */
export const sentence = (
  { known, precision, right }: Pick<FieldPrecision, "known" | "precision" | "right">,
  { days }: Pick<PrecisionPolicy, "days">
): string =>
  precision === null
    ? `there is no known outcome yet of failures that were called flaky in the last ${days} days`
    : `flaky was right in ${right} of ${known} known cases of the last ${days} days (${Math.round(precision * 100)} %)`

/**
 * How far the answered probabilities were from what came out, over some known outcomes that follow each other.
 *
 * **Details**
 *
 * - `from`, `to`: the numbers of the outcomes since the first known one, both inclusive; `until`: when the last of the failures was.
 * - `error`: the mean of the squared distances (Brier score) of the probabilities that were answered; `uncalibrated`: of those without
 *   the calibration of the repository.
 */
export interface Stage {
  readonly from: number
  readonly to: number
  readonly until: Instant.Instant
  readonly error: number
  readonly uncalibrated: number
}

/** A failure whose outcome is known, and what was answered on it. */
export interface KnownOutcome {
  readonly at: Instant.Instant
  readonly probability: number
  readonly odds: number
  readonly isFlake: boolean
}

/**
 * The stages of learning: the first 20 known outcomes, and then each time as many as there were before, the latest stage as far as it
 * came. The outcomes may have any order.
 *
 * @example
 * ```ts
 * import { FailurePrecision } from "@lazaret/domain"
 *
 * const flake = (at: number) => ({ at, probability: 0.5, odds: -1, isFlake: true })
 * FailurePrecision.stages(Array.from({ length: 25 }, (_, at) => flake(at))).map(({ from, to, error }) => [from, to, error])
 * // => [[1, 20, 0.25], [21, 25, 0.25]]
 * ```
 */
export const stages = (outcomes: Iterable<KnownOutcome>): ReadonlyArray<Stage> => {
  const sorted = [...outcomes].sort((a, b) => a.at - b.at || a.odds - b.odds || a.probability - b.probability)
  const found: Array<Stage> = []
  let start = 0
  while (start < sorted.length) {
    const some = sorted.slice(start, Math.max(firstStage, 2 * start))
    const mean = (of: (one: KnownOutcome) => number) => some.reduce((sum, one) => sum + of(one), 0) / some.length
    found.push({
      from: start + 1,
      to: start + some.length,
      until: some.at(-1)?.at ?? 0,
      error: mean(({ isFlake, probability }) => (probability - (isFlake ? 1 : 0)) ** 2),
      uncalibrated: mean(({ isFlake, odds }) => (1 / (1 + 2 ** -odds) - (isFlake ? 1 : 0)) ** 2)
    })
    start += some.length
  }
  return found
}

const firstStage = 20
