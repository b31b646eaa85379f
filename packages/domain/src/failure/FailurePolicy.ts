/**
 * The numbers of the verdict on a failure, in one value, each with its source.
 *
 * What could be learned from real history is learned and written by `npm run train:failures` (`FailureWeights`); the rest
 * is set by hand, and the docstring says so. See `docs/explanation/failure-verdict.md`.
 */
import { Schema } from "effect"
import { trained } from "./FailureWeights.ts"

/**
 * The kinds of evidence.
 *
 * **Details**
 *
 * Each measures one thing, in one direction (see `FailureFeatures`). The learned ones are those that carried weight;
 * `pull_request`, `elsewhere` and `passed_on_rerun` are set by hand.
 */
export const EvidenceKind = Schema.Literals([
  "passed_on_rerun",
  "attempts",
  "base_passed",
  "base_failed",
  "base_row",
  "flakes_before",
  "real_before",
  "sibling_jobs",
  "previous_run",
  "job_failures",
  "pull_request",
  "elsewhere"
])

/** A kind of evidence. */
export type EvidenceKind = typeof EvidenceKind.Type

const weight = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 64 }))

const fraction = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))

/** Schema of the weights: bits of log-odds per unit of a measure, none negative. */
export const Weights = Schema.Record(EvidenceKind, weight)

/** Bits of log-odds per unit of a measure. */
export type Weights = typeof Weights.Type

/** Schema of one point of the calibration: what share of the failures with this score passed on the same code. */
export const CalibrationPoint = Schema.Struct({ score: Schema.Finite, probability: fraction })

/**
 * Schema of the failure policy. In brackets the defaults and the source of each.
 *
 * **Details**
 *
 * - `prior`: the score without evidence, in bits (learned).
 * - `weights`: learned, but for three. `passed_on_rerun` (48): a proof, larger than everything else together can be.
 *   `pull_request` (1.5): an unmerged change breaks tests more often than one that was reviewed and checked. The history
 *   holds runs of the main branch alone, so that this is our judgement: after a pass of main, a failure in all of three
 *   jobs of a pull request is a new failure, and one in one of three is a flake. `elsewhere` (0.5): not in the
 *   history either; kept weak, because a common message (`AssertionError`) is seen on many branches.
 * - `calibration`: scores, ascending, and the probability of each, ascending; linear in between, constant outside. All
 *   points but the last are learned; the last (score 20, 0.99) is a proven flake: one in a hundred fails again, as a flaky
 *   test does.
 * - `flakyFrom` (0.6), `newFailureTo` (0.4): between them the verdict is `undecided`. Set by hand: within them the odds are
 *   below 3 to 2 either way.
 * - `recentDays` (14): the days in which flakes are counted in sentences; the window of episodes in `HealthPolicy`.
 * - `memoryDays` (60): how far back flakes and real failures of a test count. On the history 45 to 365 days made no
 *   difference that exceeds chance; the shorter one follows a project that mends its tests.
 * - `elsewhereHours` (6): how far apart failures on two branches are "about the same time". Set by hand: a run of a large
 *   matrix and its queue end within it.
 * - `outageTests` (3): at least this many tests must fail in both job runs: the number from which `Outage` speaks of an outage.
 * - `silentTests` (5), `silentShare` (0.9): a job run with at least this many tests is an outage when at least this share of
 *   them failed without a message. Set by hand: an assertion always leaves a message.
 */
export const FailurePolicy = Schema.Struct({
  prior: Schema.Finite,
  weights: Weights,
  calibration: Schema.Array(CalibrationPoint).check(Schema.isMinLength(1)),
  flakyFrom: fraction,
  newFailureTo: fraction,
  recentDays: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 365 })),
  memoryDays: Schema.Finite.check(Schema.isBetween({ minimum: 1, maximum: 100_000 })),
  elsewhereHours: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 168 })),
  outageTests: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000 })),
  silentTests: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000 })),
  silentShare: fraction
})

/** The numbers of the verdict on a failure. */
export type FailurePolicy = typeof FailurePolicy.Type

/** The policy with every default (see the schema for the sources). */
export const defaults: FailurePolicy = {
  prior: trained.prior,
  weights: { ...trained.weights, passed_on_rerun: 48, pull_request: 1.5, elsewhere: 0.5 },
  calibration: [...trained.calibration, { score: 20, probability: 0.99 }],
  flakyFrom: 0.6,
  newFailureTo: 0.4,
  recentDays: 14,
  memoryDays: 60,
  elsewhereHours: 6,
  outageTests: 3,
  silentTests: 5,
  silentShare: 0.9
}

/**
 * The probability that a score stands for.
 *
 * **Details**
 *
 * Never falls when the score rises. Outside of the points it is that of the nearest one.
 *
 * @example
 * ```ts
 * import { FailurePolicy } from "@lazaret/domain"
 *
 * const calibration = [{ score: -2, probability: 0.1 }, { score: 2, probability: 0.9 }]
 * FailurePolicy.calibrate(0, calibration) // => 0.5
 * FailurePolicy.calibrate(-9, calibration) // => 0.1
 * ```
 */
export const calibrate = (score: number, calibration: FailurePolicy["calibration"]): number => {
  const above = calibration.findIndex((point) => point.score >= score)
  const right = calibration[above] ?? calibration.at(-1)
  const left = calibration[above - 1]
  if (right === undefined) return 0.5
  if (above <= 0 || left === undefined) return right.probability
  const share = (score - left.score) / (right.score - left.score)
  return left.probability + share * (right.probability - left.probability)
}
