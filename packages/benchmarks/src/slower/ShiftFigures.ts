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
 * - `named`: the share of the alerts on shifts whose start is at most 2 values from the known one.
 */
export interface ShiftFigures {
  readonly shifts: number
  readonly within: Readonly<Record<3 | 5 | 10 | 20, number>>
  readonly falseAlerts: number
  readonly falseRate: number
  readonly named: number
}

/** The figures of a rule on series. */
export const figuresOf = (rule: Rule, all: ReadonlyArray<DurationSeries>): ShiftFigures => {
  const delays: Array<number> = []
  let [shifts, falseAlerts, months, named] = [0, 0, 0, 0]
  for (const { months: spanned, references, values } of all) {
    const alerts = rule(values)
    months += spanned
    falseAlerts += alerts.filter(({ seen }) => !references.some((each) => isAbout(each, seen, 25))).length
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
    falseAlerts,
    falseRate: (1000 * falseAlerts) / months,
    named: named / Math.max(1, delays.length)
  }
}

const isAbout = ({ point }: Reference, seen: number, most: number): boolean => seen >= point - 2 && seen <= point + most
