/** How often the verdict `flaky` was right in the field, and when the gate stops to trust it. */
import { Schema } from "effect"
import * as Instant from "../time/Instant.ts"

/**
 * A failure that was called flaky, and what came out.
 *
 * **Details**
 *
 * - `probability`: the one that was answered first, before the outcome was known.
 * - `passed`, `failed`: reruns of the same code that arrived since.
 * - `mark`: what a person said it was; it beats the reruns.
 */
export interface FieldOutcome {
  readonly at: Instant.Instant
  readonly probability: number
  readonly passed: number
  readonly failed: number
  readonly mark: "flaky" | "real" | null
}

/**
 * Schema of the policy of field precision. In brackets the defaults and the reason for each.
 *
 * **Details**
 *
 * - `leastPrecision` (0.9): excuses by verdict end below it. One wrong excuse in ten is what people put up with (our
 *   judgement); on the history of `FailureWeights` the verdict is more precise.
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
export const truth = ({ failed, mark, passed }: Pick<FieldOutcome, "failed" | "mark" | "passed">): boolean | null =>
  mark !== null ? mark === "flaky" : passed > 0 ? true : failed > 0 ? false : null

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
