/** The figures of a rule on failures with a known truth, and their confidence intervals. */
import { FailurePrecision } from "@lazaret/domain"

/** A failure as the figures see it: `flaky` is what a rule says, `isFlake` the truth. */
export interface Judged {
  readonly commit: string
  readonly isFlake: boolean
  readonly flaky: boolean
  readonly probability: number | null
}

/** The figures of one rule; a share of nothing is 0. */
export interface Figures {
  readonly precision: number
  readonly recall: number
  /** Share of the persistent failures that the rule excuses. */
  readonly excused: number
  readonly macroF1: number
  readonly calibrationError: number | null
  /** The highest share of flakes that some threshold finds while at most 5 % of the persistent failures are excused. */
  readonly recallAt5: number | null
}

/** The figures of one rule. */
export const figuresOf = (judged: ReadonlyArray<Judged>): Figures => {
  const count = (flaky: boolean, isFlake: boolean) =>
    judged.filter((one) => one.flaky === flaky && one.isFlake === isFlake).length
  const [hits, excused, missed, blocked] = [
    count(true, true),
    count(true, false),
    count(false, true),
    count(false, false)
  ]
  const probabilities = judged.flatMap(({ isFlake, probability }) =>
    probability === null ? [] : [{ isFlake, probability }]
  )
  return {
    precision: share(hits, hits + excused),
    recall: share(hits, hits + missed),
    excused: share(excused, excused + blocked),
    macroF1: (share(2 * hits, 2 * hits + excused + missed) + share(2 * blocked, 2 * blocked + excused + missed)) / 2,
    calibrationError: FailurePrecision.calibrationError(probabilities),
    recallAt5: probabilities.length === 0 ? null : recallAt(probabilities, 0.05)
  }
}

/** The interval in which 95 % of the resampled figures lie; whole commits are drawn, with replacement. */
export const intervals = (
  judged: ReadonlyArray<Judged>,
  figure: (figures: Figures) => number | null,
  rounds = 500
): readonly [low: number, high: number] => {
  const groups = [...Map.groupBy(judged, ({ commit }) => commit).values()]
  const random = randomOf(1)
  const values = Array.from({ length: rounds }, () => {
    const drawn = Array.from({ length: groups.length }, () => groups[Math.floor(random() * groups.length)] ?? [])
    return figure(figuresOf(drawn.flat())) ?? 0
  }).sort((a, b) => a - b)
  const at = (quantile: number) => values[Math.min(values.length - 1, Math.floor(quantile * values.length))] ?? 0
  return [at(0.025), at(0.975)]
}

const recallAt = (
  judged: ReadonlyArray<{ readonly isFlake: boolean; readonly probability: number }>,
  mostExcused: number
): number => {
  const flakes = judged.filter(({ isFlake }) => isFlake).length
  const allowed = mostExcused * (judged.length - flakes)
  const byProbability = [...Map.groupBy(judged, ({ probability }) => probability)].sort(([a], [b]) => b - a)
  let hits = 0
  let excused = 0
  for (const [, group] of byProbability) {
    excused += group.filter(({ isFlake }) => !isFlake).length
    if (excused > allowed) break
    hits += group.filter(({ isFlake }) => isFlake).length
  }
  return share(hits, flakes)
}

const share = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole)

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
const randomOf = (seed: number): (() => number) => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
