/** The tables of generated failures. */
import { random } from "../queue/Random.ts"
import type { Judged } from "./Judged.ts"
import * as Rules from "./Rules.ts"
import * as Tally from "./Tally.ts"
import * as Truth from "./Truth.ts"

/** A figure of a table, and the aim for it. */
export interface Figure {
  readonly name: string
  readonly of: (tally: Tally.Tally) => number | null
  readonly aim: string
}

const real: ReadonlyArray<Truth.Row> = ["change", "changeNew", "persistent"]

/** The figures with an aim; in a real history, `real` are the persistent failures and the flakes those that passed as well. */
export const figures = {
  realRight: { name: "real breaks right", of: Tally.share(real, "right"), aim: "≥ .85" },
  realExcused: { name: "of these excused", of: Tally.share(real, "excused"), aim: "≤ .05" },
  flakeRight: { name: "flakes right", of: Tally.share(["flake", "mainFlake", "passed"], "right"), aim: "≥ .90" },
  mainWrong: { name: "new breaks on main wrong", of: Tally.share(["main"], "wrong"), aim: "≤ .10" },
  outageRight: { name: "outages right, from the second commit", of: Tally.share(["outage"], "right"), aim: "≥ .80" },
  victimRight: { name: "first victims right", of: Tally.share(["victim"], "right"), aim: "≥ .50" },
  outageBlamed: { name: "outages blamed on the change", of: Tally.share(["victim", "outage"], "blamed"), aim: "≤ .02" },
  calibration: { name: "calibration error", of: Tally.calibrationError, aim: "≤ .05, histories ≤ .08" },
  macroF1: { name: "macro-F1", of: Tally.macroF1, aim: "not below the best rule" }
} as const satisfies Readonly<Record<string, Figure>>

const causes: { readonly [R in Truth.Row]: string } = {
  change: "a pull request broke it",
  changeNew: "… and it is new, renamed, or its file does not load",
  flake: "flake on a pull request",
  mainFlake: "flake on main",
  main: "new break on main",
  base: "break that main has shown",
  early: "break that main has not shown yet",
  victim: "outage, first commit",
  outage: "outage, later commits",
  dependency: "release of a dependency",
  passed: "passed on the same commit, too",
  persistent: "never passed on the commit"
}

/** Judged failures of one origin. */
export interface Source {
  readonly name: string
  readonly judged: ReadonlyArray<Judged>
}

/** One table of causes and one of rules; in brackets are 95 % intervals by unit (regime or commit). */
export const lines = (sources: ReadonlyArray<Source>, rules: ReadonlyArray<Rules.Rule>): ReadonlyArray<string> => [
  "| Failures | Cause | number | right | wrong | undecided |",
  "| --- | --- | --- | --- | --- | --- |",
  ...sources.flatMap((source) => causeLines(source)),
  "",
  `| Failures | Rule | ${list(({ name }) => name).join(" | ")} |`,
  `| --- | --- |${" --- |".repeat(list(() => "").length)}`,
  `| | aim | ${list(({ aim }) => aim).join(" | ")} |`,
  ...sources.flatMap(({ judged, name }) =>
    rules.map((rule) => {
      const tallies = [...byUnit(judged, rule).values()]
      return `| ${name} | ${rule.name} | ${list(({ of }) => cell(tallies, of)).join(" | ")} |`
    })
  )
]

const list = <A>(show: (figure: Figure) => A): ReadonlyArray<A> => Object.values(figures).map(show)

/** The sums of each unit under a rule. */
const byUnit = (judged: ReadonlyArray<Judged>, rule: Rules.Rule): ReadonlyMap<string, Tally.Tally> =>
  new Map([...Map.groupBy(judged, ({ unit }) => unit)].map(([unit, some]) => [unit, Tally.of(some.map(rule.answer))]))

const causeLines = ({ judged, name }: Source): ReadonlyArray<string> => {
  const tallies = [...byUnit(judged, Rules.verdict).values()]
  const total = Tally.plus(tallies)
  return Truth.rows
    .filter((row) => total.rows[row].all > 0)
    .map((row) => {
      const parts = (["right", "wrong", "undecided"] as const).map((part) => cell(tallies, Tally.share([row], part)))
      return `| ${name} | ${causes[row]} | ${Math.round(total.rows[row].all)} | ${parts.join(" | ")} |`
    })
}

/** The regimes with the largest share of excused breaks, a tenth of those with enough of them. */
export const worst = (judged: ReadonlyArray<Judged>, rule: Rules.Rule): ReadonlyArray<string> => {
  const found = [...byUnit(judged, rule)].flatMap(([regime, tally]) => {
    const excused = figures.realExcused.of(tally)
    const breaks = real.reduce((sum, row) => sum + tally.rows[row].all, 0)
    return excused === null || breaks < least ? [] : [{ regime, excused, breaks }]
  })
  const sorted = found.toSorted((a, b) => b.excused - a.excused)
  const shown = sorted.slice(0, Math.max(1, Math.round(sorted.length / 10)))
  const over = sorted.filter(({ excused }) => excused > 0.1).length
  return [
    `${rule.name}: of ${sorted.length} regimes with at least ${least} breaks by pull requests, ${over} have more than .10 of them excused; ` +
      `mean ${short(mean(sorted))}, worst tenth ${short(mean(shown))}: ` +
      shown.map(({ breaks, excused, regime }) => `${regime} (${short(excused)} of ${Math.round(breaks)})`).join(", ")
  ]
}

const least = 10

const mean = (some: ReadonlyArray<{ readonly excused: number }>): number =>
  some.length === 0 ? 0 : some.reduce((sum, { excused }) => sum + excused, 0) / some.length

const cell = (tallies: ReadonlyArray<Tally.Tally>, of: Figure["of"]): string => {
  const value = of(Tally.plus(tallies))
  if (value === null) return "–"
  const [low, high] = interval(tallies, of)
  return `${short(value)} [${short(low)}, ${short(high)}]`
}

/** The interval in which 95 % of the figures lie when regimes are drawn with replacement. */
const interval = (
  tallies: ReadonlyArray<Tally.Tally>,
  of: Figure["of"],
  rounds = 400
): readonly [low: number, high: number] => {
  const draw = random(1)
  const values = Array.from({ length: rounds }, () =>
    of(Tally.plus(tallies.map(() => tallies[Math.floor(draw() * tallies.length)] ?? Tally.empty())))
  )
    .filter((value) => value !== null)
    .sort((a, b) => a - b)
  const at = (quantile: number) => values[Math.min(values.length - 1, Math.floor(quantile * values.length))] ?? 0
  return [at(0.025), at(0.975)]
}

const short = (value: number): string => value.toFixed(3).replace(/^0/u, "")
