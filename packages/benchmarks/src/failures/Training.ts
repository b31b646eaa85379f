/**
 * Learns the weights of the verdict and its calibration from real history.
 *
 * The same history gives the same numbers. What is learned stays small on purpose: nine weights that are never negative,
 * a prior, and a calibration of a few points.
 */
import { FailureFeatures, FailurePolicy } from "@lazaret/domain"
import type { ReplayedFailure } from "./Replay.ts"
import * as Calibration from "./Calibration.ts"
import * as Logistic from "./Logistic.ts"

/**
 * How it is learned.
 *
 * **Details**
 *
 * - `until`: failures before this date are learned from.
 * - `largestCommit`: commits with more failures are left out. They are outages or mass breaks; one of them would outweigh
 *   a year, and which of the two it was no feature of a single failure can know.
 * - `clustering`: the failures of one commit share a cause, so that each counts n to the power of minus this.
 * - `ridge`: the penalty on the square of the weights.
 * - `halfLifeDays`: how fast the past fades in the calibration: the share of flakes moves with the project.
 * - `tail`: the share of the weight at either end of the scores in which the calibration is flat.
 */
export interface Settings extends FailureFeatures.Windows {
  readonly until: string
  readonly largestCommit: number
  readonly clustering: number
  readonly ridge: number
  readonly halfLifeDays: number
  readonly tail: number
}

/** The settings that were chosen (see `docs/explanation/failure-verdict.md`). */
export const settings: Settings = {
  memoryDays: FailurePolicy.defaults.memoryDays,
  elsewhereHours: FailurePolicy.defaults.elsewhereHours,
  until: "2024-01-01",
  largestCommit: 40,
  clustering: 0.8,
  ridge: 4,
  halfLifeDays: 180,
  tail: 0.1
}

/** The kinds that are learned from the first sight of failures; `attempts` is learned from the second. */
export const firstSightKinds = [
  "base_passed",
  "base_failed",
  "base_row",
  "flakes_before",
  "real_before",
  "sibling_jobs",
  "previous_run",
  "job_failures"
] as const

/** The kinds that are learned. */
export type LearnedKind = (typeof firstSightKinds)[number] | "attempts"

/** The learned numbers, and the size of the data. */
export interface Learned {
  readonly prior: number
  readonly weights: Readonly<Record<LearnedKind, number>>
  readonly calibration: ReadonlyArray<Calibration.Point>
  readonly learnedFrom: { readonly failures: number; readonly flaky: number; readonly commits: number }
}

/** Learns from replayed failures. */
export const learn = (failures: ReadonlyArray<ReplayedFailure>, chosen: Settings): Learned => {
  const samples = samplesOf(failures, chosen)
  const model = Logistic.fit(examplesOf(samples), chosen.ridge)
  const rounded = { prior: round(model.prior), weights: model.weights.map(round) }
  const weightOf = (kind: LearnedKind) => rounded.weights[firstSightKinds.findIndex((each) => each === kind)] ?? 0
  return {
    prior: rounded.prior,
    weights: {
      attempts: round(attemptsWeight(failures, rounded, chosen)),
      base_passed: weightOf("base_passed"),
      base_failed: weightOf("base_failed"),
      base_row: weightOf("base_row"),
      flakes_before: weightOf("flakes_before"),
      real_before: weightOf("real_before"),
      sibling_jobs: weightOf("sibling_jobs"),
      previous_run: weightOf("previous_run"),
      job_failures: weightOf("job_failures")
    },
    calibration: Calibration.calibrate(outOfFold(samples, chosen), chosen.tail).map(({ probability, score }) => ({
      score: round(score),
      probability: round(probability)
    })),
    learnedFrom: {
      failures: samples.length,
      flaky: samples.filter(({ isFlake }) => isFlake).length,
      commits: new Set(samples.map(({ commit }) => commit)).size
    }
  }
}

interface Sample {
  readonly at: string
  readonly commit: string
  readonly isFlake: boolean
  readonly weight: number
  readonly measures: ReadonlyArray<number>
}

/** First sights with a known truth before `until`, on commits of at most `largestCommit` of them. */
const samplesOf = (failures: ReadonlyArray<ReplayedFailure>, chosen: Settings): ReadonlyArray<Sample> => {
  const known = failures.filter(({ at, isFirstSight, truth }) => isFirstSight && truth !== null && at < chosen.until)
  const sizes = new Map(
    [...Map.groupBy(known, ({ commit }) => commit)].map(([commit, group]) => [commit, group.length])
  )
  return known.flatMap((failure) => {
    const size = sizes.get(failure.commit) ?? 1
    if (size > chosen.largestCommit) return []
    const { at, commit, truth } = failure
    return [
      {
        at,
        commit,
        isFlake: truth === "flaky",
        weight: size ** -chosen.clustering,
        measures: measuresOf(failure, chosen)
      }
    ]
  })
}

const measuresOf = ({ facts }: ReplayedFailure, chosen: FailureFeatures.Windows): ReadonlyArray<number> => {
  const measures = FailureFeatures.measure(facts, chosen)
  return firstSightKinds.map((kind) => measures[kind])
}

/** Examples with weights of mean 1, so that the penalty means the same whatever their number. */
const examplesOf = (samples: ReadonlyArray<Sample>): ReadonlyArray<Logistic.Example> => {
  const mean = samples.reduce((sum, { weight }) => sum + weight, 0) / samples.length
  return samples.map((sample) => ({ ...sample, weight: sample.weight / mean }))
}

/** The score of every sample under a model that has not seen its quarter of a year. */
const outOfFold = (samples: ReadonlyArray<Sample>, chosen: Settings): ReadonlyArray<Calibration.Scored> =>
  [...Map.groupBy(samples, ({ at }) => quarterOf(at))].flatMap(([quarter, held]) => {
    const model = Logistic.fit(examplesOf(samples.filter(({ at }) => quarterOf(at) !== quarter)), chosen.ridge)
    return held.map(({ at, isFlake, measures, weight }) => ({
      score: Logistic.scoreOf(model, measures),
      isFlake,
      weight: weight * 0.5 ** ((Date.parse(chosen.until) - Date.parse(at)) / 86_400_000 / chosen.halfLifeDays)
    }))
  })

const quarterOf = (at: string): string => `${at.slice(0, 4)}-${Math.floor((Number(at.slice(5, 7)) - 1) / 3)}`

/**
 * The weight of repeated failures, from later sights without a pass before them: the one with the least log-loss, while
 * everything else keeps the weight that it has.
 */
const attemptsWeight = (failures: ReadonlyArray<ReplayedFailure>, model: Logistic.Model, chosen: Settings): number => {
  const later = failures.flatMap((failure) => {
    const { passed_on_rerun, attempts } = FailureFeatures.measure(failure.facts, chosen)
    return failure.isFirstSight || failure.truth === null || failure.at >= chosen.until || passed_on_rerun > 0
      ? []
      : [{ failure, attempts, score: Logistic.scoreOf(model, measuresOf(failure, chosen)) }]
  })
  const sizes = Map.groupBy(later, ({ failure }) => failure.commit)
  const slope = (weight: number) =>
    later.reduce((sum, { attempts, failure, score }) => {
      const error = 1 / (1 + 2 ** -(score + weight * attempts)) - (failure.truth === "flaky" ? 1 : 0)
      return sum + (sizes.get(failure.commit)?.length ?? 1) ** -chosen.clustering * error * attempts
    }, 0)
  let [low, high] = [0, 8]
  for (let step = 0; step < 40; step++) {
    const middle = (low + high) / 2
    if (slope(middle) < 0) low = middle
    else high = middle
  }
  return low
}

/** Three decimals are more than the data knows, and read well. */
const round = (value: number): number => Math.round(value * 1000) / 1000
