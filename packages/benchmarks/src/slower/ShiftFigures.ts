/** How well alerts agree with the growths that are known. */
import type { DurationSeries, Reference } from "./DurationSet.ts"

/** An alert: the index of the value with which it was raised, and of the value at which it says that the growth began. */
export interface Alert {
  readonly seen: number
  readonly start: number
}

/** The alerts of a series; each must follow from the values up to its `seen` alone. */
export type Rule = (values: ReadonlyArray<number>) => ReadonlyArray<Alert>

/**
 * The figures of a rule.
 *
 * **Details**
 *
 * - `within`: the share of the known shifts with an alert at most 3, 5, 10 and 20 values after their start.
 * - `falseRate`: alerts further than 2 values before and 25 after any known growth, per 1,000 series and month.
 * - `falseRange`: its 95 % interval, by drawing the series again with replacement; alerts of one series depend on each other.
 * - `lateAlerts`: those of the false ones that are about the last ten values, where the reference knows no growth.
 * - `named`: the share of the alerts on shifts whose start is at most 2 values from the known one.
 */
export interface ShiftFigures {
  readonly shifts: number
  readonly within: Readonly<Record<3 | 5 | 10 | 20, number>>
  readonly falseAlerts: number
  readonly falseRate: number
  readonly falseRange: readonly [number, number]
  readonly lateAlerts: number
  readonly named: number
}

/** The false alerts of one series, and the months that it spans. */
interface OfSeries {
  readonly months: number
  readonly falseAlerts: number
  readonly lateAlerts: number
}

/** The figures of a rule on series. */
export const figuresOf = (rule: Rule, all: ReadonlyArray<DurationSeries>): ShiftFigures => {
  const delays: Array<number> = []
  const counts: Array<OfSeries> = []
  let [shifts, named] = [0, 0]
  for (const { months, references, values } of all) {
    const alerts = rule(values)
    const wrong = alerts.filter(({ seen }) => !references.some((each) => isAbout(each, seen, 25)))
    const late = wrong.filter(({ start }) => start > values.length - knownAfter)
    counts.push({ months, falseAlerts: wrong.length, lateAlerts: late.length })
    for (const reference of references.filter(({ kind }) => kind === "shift")) {
      shifts += 1
      const alert = alerts.find(({ seen }) => isAbout(reference, seen, 20))
      if (alert === undefined) continue
      delays.push(alert.seen - reference.point)
      if (Math.abs(alert.start - reference.point) <= 2) named += 1
    }
  }
  const within = (most: number) => delays.filter((delay) => delay <= most).length / Math.max(1, shifts)
  return {
    shifts,
    within: { 3: within(3), 5: within(5), 10: within(10), 20: within(20) },
    falseAlerts: sum(counts, ({ falseAlerts }) => falseAlerts),
    falseRate: rateOf(counts),
    falseRange: rangeOf(counts),
    lateAlerts: sum(counts, ({ lateAlerts }) => lateAlerts),
    named: named / Math.max(1, delays.length)
  }
}

/** The reference knows a growth only with as many values after it. */
const knownAfter = 10

const draws = 2000

const sum = (all: ReadonlyArray<OfSeries>, of: (each: OfSeries) => number): number =>
  all.reduce((total, each) => total + of(each), 0)

const rateOf = (all: ReadonlyArray<OfSeries>): number =>
  (1000 * sum(all, ({ falseAlerts }) => falseAlerts)) / sum(all, ({ months }) => months)

/** The middle 95 % of the rates of `draws` sets of as many series, drawn with replacement. */
const rangeOf = (all: ReadonlyArray<OfSeries>): readonly [number, number] => {
  let state = 1
  const draw = (): ReadonlyArray<OfSeries> =>
    all.map((each) => {
      state = (state * 48_271) % 2_147_483_647
      return all[Math.floor((all.length * state) / 2_147_483_647)] ?? each
    })
  const rates = Array.from({ length: draws }, () => rateOf(draw())).sort((a, b) => a - b)
  return [rates[Math.floor(0.025 * draws)] ?? 0, rates[Math.floor(0.975 * draws)] ?? 0]
}

const isAbout = ({ point }: Reference, seen: number, most: number): boolean => seen >= point - 2 && seen <= point + most
