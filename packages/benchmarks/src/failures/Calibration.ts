/** Calibration: from a score to the share of flakes, as a logistic curve in a small table. */
import * as Logistic from "./Logistic.ts"

/** A scored example. */
export interface Scored {
  readonly score: number
  readonly isFlake: boolean
  readonly weight: number
}

/** One point: a score and the share of flakes there. */
export interface Point {
  readonly score: number
  readonly probability: number
}

/**
 * The points of the calibration at whole scores.
 *
 * **Details**
 *
 * A logistic curve of the score (Platt), which never falls. It ends at the scores below and above which `tail` of the
 * weight lies, to the next whole number: further out there is too little to say more.
 */
export const calibrate = (examples: ReadonlyArray<Scored>, tail: number): ReadonlyArray<Point> => {
  const mean = examples.reduce((sum, { weight }) => sum + weight, 0) / examples.length
  const curve = Logistic.fit(
    examples.map(({ isFlake, score, weight }) => ({ measures: [score], isFlake, weight: weight / mean })),
    1
  )
  const low = Math.round(quantile(examples, tail))
  const high = Math.max(low + 1, Math.round(quantile(examples, 1 - tail)))
  return Array.from({ length: high - low + 1 }, (_, index) => ({
    score: low + index,
    probability: 1 / (1 + 2 ** -Logistic.scoreOf(curve, [low + index]))
  }))
}

/** The score below which a share of the weight lies. */
const quantile = (examples: ReadonlyArray<Scored>, share: number): number => {
  const sorted = [...examples].sort((a, b) => a.score - b.score)
  let left = share * sorted.reduce((sum, { weight }) => sum + weight, 0)
  for (const { score, weight } of sorted) {
    left -= weight
    if (left <= 0) return score
  }
  return sorted.at(-1)?.score ?? 0
}
