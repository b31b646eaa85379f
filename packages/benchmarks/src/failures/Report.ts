/** The table of the benchmark `failures`, and the file of predictions. */
import { type Figures, figuresOf, intervals, type Judged } from "./Figures.ts"
import type { JudgedFailure } from "./Online.ts"
import * as Rules from "./Rules.ts"

/** A half-open range of dates, as texts that sort like time. */
export interface Range {
  readonly from: string
  readonly until: string
}

/** The first sights with a known truth of a range. */
const known = (failures: ReadonlyArray<JudgedFailure>, { from, until }: Range): ReadonlyArray<JudgedFailure> =>
  failures.filter(({ at, isFirstSight, truth }) => isFirstSight && truth !== null && at >= from && at < until)

/** The figures of a rule on the first sights of a range. */
export const figuresOn = (failures: ReadonlyArray<JudgedFailure>, rule: Rules.Rule, range: Range): Figures =>
  figuresOf(judgedBy(known(failures, range), rule))

/** The lines of the table: the one-line rules and the verdict, with 95 % intervals by commit. */
export const table = (failures: ReadonlyArray<JudgedFailure>, range: Range): ReadonlyArray<string> => {
  const shown = known(failures, range)
  const flaky = shown.filter(({ truth }) => truth === "flaky").length
  const commits = new Set(shown.map(({ commit }) => commit)).size
  return [
    `failures at first sight, ${shown[0]?.at.slice(0, 10) ?? "none"} to ${shown.at(-1)?.at.slice(0, 10) ?? "none"}: ` +
      `${flaky} flaky, ${shown.length - flaky} persistent, ${commits} commits; in brackets 95 % intervals by commit`,
    "| Rule | precision | recall | persistent ones excused | macro-F1 | calibration error | recall at 5 % excused |",
    "| --- | --- | --- | --- | --- | --- | --- |",
    ...[...Rules.oneLine, Rules.verdictRule].map((rule) => row(rule.name, judgedBy(shown, rule)))
  ]
}

/** The lines of the file of predictions, one for each failure, in order. */
export const predictions = (failures: ReadonlyArray<JudgedFailure>): ReadonlyArray<string> =>
  failures.map(({ at, commit, job, probability, test, verdict }) =>
    JSON.stringify({ at, commit, job, test, verdict: verdict.verdict, probability_flaky: probability })
  )

const judgedBy = (failures: ReadonlyArray<JudgedFailure>, rule: Rules.Rule): ReadonlyArray<Judged> =>
  failures.map((failure) => ({
    commit: failure.commit,
    isFlake: failure.truth === "flaky",
    flaky: rule.isFlaky(failure),
    probability: rule.probability?.(failure) ?? null
  }))

const row = (name: string, judged: ReadonlyArray<Judged>): string => {
  const figures = figuresOf(judged)
  const cell = (figure: (of: Figures) => number | null): string => {
    const value = figure(figures)
    if (value === null) return "–"
    const [low, high] = intervals(judged, figure)
    return `${short(value)} [${short(low)}, ${short(high)}]`
  }
  return `| ${[
    name,
    cell(({ precision }) => precision),
    cell(({ recall }) => recall),
    cell(({ excused }) => excused),
    cell(({ macroF1 }) => macroF1),
    cell(({ calibrationError }) => calibrationError),
    cell(({ recallAt5 }) => recallAt5)
  ].join(" | ")} |`
}

const short = (value: number): string => value.toFixed(3).replace(/^0/u, "")
