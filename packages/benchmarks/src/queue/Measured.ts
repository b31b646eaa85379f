/** The measurements of a simulated queue, and their sums over seeds with intervals. */
import { Instant } from "@lazaret/domain"
import type { Checks } from "./Checks.ts"
import { random } from "./Random.ts"

/** The measurements of one world: minutes from the first queueing to the merge, and counts. */
export interface Measured {
  readonly minutes: ReadonlyArray<number>
  readonly merged: number
  readonly runs: number
  readonly evicted: number
  readonly badLanded: number
}

/** The fates of the pull requests of a world. */
export interface Fates {
  readonly queuedAt: Map<number, number>
  readonly mergedAt: Map<number, number>
  evicted: number
}

/** No pull request yet. */
export const noFates = (): Fates => ({ queuedAt: new Map(), mergedAt: new Map(), evicted: 0 })

/** The measurements of a world that is over. */
export const of = ({ evicted, mergedAt, queuedAt }: Fates, { badLanded, runs }: Checks): Measured => ({
  minutes: [...mergedAt].map(([number, at]) => (at - (queuedAt.get(number) ?? at)) / Instant.minute),
  merged: mergedAt.size,
  runs,
  evicted,
  badLanded
})

/** The figures of one strategy. `innocent` and `bad` are counts per 100 merged pull requests. */
export interface Figures {
  readonly median: number
  readonly p90: number
  readonly runs: number
  readonly innocent: number
  readonly bad: number
}

/** The figures over the worlds of several seeds. */
export const figures = (worlds: ReadonlyArray<Measured>): Figures => {
  const minutes = worlds.flatMap((each) => each.minutes).sort((a, b) => a - b)
  const sum = (value: (each: Measured) => number) => worlds.reduce((total, each) => total + value(each), 0)
  const merged = sum((each) => each.merged)
  return {
    median: quantile(minutes, 0.5),
    p90: quantile(minutes, 0.9),
    runs: sum((each) => each.runs) / merged,
    innocent: (100 * sum((each) => each.evicted)) / merged,
    bad: (100 * sum((each) => each.badLanded)) / merged
  }
}

/** The quantile of sorted values. */
const quantile = (sorted: ReadonlyArray<number>, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN

/** An interval, both ends inclusive. */
export type Interval = readonly [low: number, high: number]

const samples = 1000

/**
 * The 90 % interval of a figure by resampling the seeds.
 *
 * **Details**
 *
 * Where it compares two strategies, both are resampled together: `value` gets the chosen seeds.
 */
export const interval = (seeds: number, value: (chosen: ReadonlyArray<number>) => number): Interval => {
  const draw = random(1)
  const values = Array.from({ length: samples }, () =>
    value(Array.from({ length: seeds }, () => Math.floor(draw() * seeds)))
  ).sort((a, b) => a - b)
  return [quantile(values, 0.05), quantile(values, 0.95)]
}
