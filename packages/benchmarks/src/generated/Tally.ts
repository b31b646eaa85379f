/** Sums over judged failures from which every figure follows, so that a resampled figure is a sum of sums. */
import type { FailureVerdict } from "@lazaret/domain"
import * as Truth from "./Truth.ts"

/** The answer of one rule about one failure; `probability` is null for a rule that has none. */
export interface Answered {
  readonly row: Truth.Row
  readonly isOnMain: boolean
  readonly passesAgain: boolean
  readonly weight: number
  readonly verdict: FailureVerdict.Verdict
  readonly probability: number | null
}

/** The sums of a row: the weight of its failures, and of those that were right, wrong, undecided, excused and blamed. */
export interface RowTally {
  all: number
  right: number
  wrong: number
  undecided: number
  /** Those that the verdict excuses (`Truth.isExcuse`). */
  excused: number
  /** Those that are called new. */
  blamed: number
}

/** The sums of a list of failures; `bins` are those of the calibration, `hits` those of flaky or not. */
export interface Tally {
  readonly rows: { readonly [R in Truth.Row]: RowTally }
  readonly bins: ReadonlyArray<{ weight: number; probability: number; passes: number }>
  readonly hits: { flakes: number; excused: number; missed: number; blocked: number }
}

const rows: ReadonlyArray<Truth.Row> = Truth.rows

/** The sums of nothing. */
export const empty = (): Tally => ({
  rows: Object.fromEntries(rows.map((row) => [row, emptyRow()])) as Tally["rows"],
  bins: Array.from({ length: 10 }, () => ({ weight: 0, probability: 0, passes: 0 })),
  hits: { flakes: 0, excused: 0, missed: 0, blocked: 0 }
})

const emptyRow = (): RowTally => ({ all: 0, right: 0, wrong: 0, undecided: 0, excused: 0, blamed: 0 })

/** The sums of some failures. */
export const of = (answers: Iterable<Answered>): Tally => {
  const tally = empty()
  for (const answer of answers) add(tally, answer)
  return tally
}

const add = ({ bins, hits, rows: all }: Tally, answer: Answered): void => {
  const { isOnMain, passesAgain, probability, verdict, weight } = answer
  const row = all[answer.row]
  row.all += weight
  if (Truth.isRight(answer.row, verdict, isOnMain)) row.right += weight
  else if (verdict === "undecided") row.undecided += weight
  else row.wrong += weight
  if (Truth.isExcuse(answer.row, verdict)) row.excused += weight
  if (verdict === "new_failure" || verdict === "new_test") row.blamed += weight
  const isFlaky = probability === null ? verdict === "flaky" : probability > 0.5
  hits[isFlaky ? (passesAgain ? "flakes" : "excused") : passesAgain ? "missed" : "blocked"] += weight
  const bin = bins[Math.min(9, Math.floor((probability ?? 0) * 10))]
  if (bin === undefined || probability === null) return
  bin.weight += weight
  bin.probability += weight * probability
  if (passesAgain) bin.passes += weight
}

/** The sums of several lists together. */
export const plus = (tallies: ReadonlyArray<Tally>): Tally => {
  const total = empty()
  for (const { bins, hits, rows: all } of tallies) {
    for (const row of rows) sum(total.rows[row], all[row])
    sum(total.hits, hits)
    for (const [index, bin] of bins.entries()) {
      const into = total.bins[index]
      if (into !== undefined) sum(into, bin)
    }
  }
  return total
}

const sum = <K extends string>(into: { [key in K]: number }, from: { readonly [key in K]: number }): void => {
  for (const key in from) into[key] += from[key]
}

/** A share of some rows; null without failures in them. */
export const share =
  (which: ReadonlyArray<Truth.Row>, part: keyof RowTally) =>
  (tally: Tally): number | null => {
    const all = which.reduce((total, row) => total + tally.rows[row].all, 0)
    return all === 0 ? null : which.reduce((total, row) => total + tally.rows[row][part], 0) / all
  }

/** The mean distance of the probability from the share that passes again, over ten bins; null without probabilities. */
export const calibrationError = ({ bins }: Tally): number | null => {
  const all = bins.reduce((total, { weight }) => total + weight, 0)
  return all === 0
    ? null
    : bins.reduce((total, { passes, probability }) => total + Math.abs(passes - probability), 0) / all
}

/** The mean of the F1 of "passes again" and of "fails again". */
export const macroF1 = ({ hits: { blocked, excused, flakes, missed } }: Tally): number => {
  const f1 = (right: number) => (right === 0 ? 0 : (2 * right) / (2 * right + excused + missed))
  return (f1(flakes) + f1(blocked)) / 2
}
