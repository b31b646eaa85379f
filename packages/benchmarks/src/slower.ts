/** `npm run bench -- slower --durations=FOLDER`: growths of durations, on public series and on generated noisy jobs. */
import { DurationShift, SlowerPolicy } from "@lazaret/domain"
import * as History from "./failures/History.ts"
import * as Set from "./slower/DurationSet.ts"
import * as Figures from "./slower/ShiftFigures.ts"
import type { Lines } from "./Section.ts"

/** The public series count growths of a minute and more: the values are whole files of tests. */
const policy: SlowerPolicy.SlowerPolicy = { ...SlowerPolicy.defaults, leastMs: 60_000 }

const rules: ReadonlyArray<{ readonly name: string; readonly rule: Figures.Rule }> = [
  {
    name: "lasting growth",
    rule: (values) =>
      DurationShift.find(
        values.map((seconds) => seconds * 1000),
        policy
      )
  },
  { name: "three above 1.4 × the median", rule: (values) => simple(values) }
]

/** Three values above 1.4 times the median of the 20 before, and a minute above it; then 20 values of rest. */
const simple: Figures.Rule = (values) => {
  const found: Array<Figures.Alert> = []
  for (let seen = 22; seen < values.length; seen++) {
    if (seen < (found.at(-1)?.seen ?? -20) + 20) continue
    const before = DurationShift.median(values.slice(seen - 22, seen - 2))
    const isAbove = values.slice(seen - 2, seen + 1).every((value) => value > 1.4 * before && value - before > 60)
    if (isAbove) found.push({ seen, start: seen - 2 })
  }
  return found
}

/**
 * Prints how well each rule finds growths.
 *
 * **Details**
 *
 * `--durations=FOLDER` names the folder with `pytorch.jsonl.gz`, its reference and its times; `--name=NAME` another set of it.
 * `--half=tune` measures the half of the series, and the generated ones, that numbers were chosen by; without it the other half.
 */
export const slower: Lines = {
  name: "slower",
  // A section yields its lines as they are found; this one has nothing to wait for.
  // oxlint-disable-next-line require-await
  lines: async function* (options) {
    const half = History.option(options, "half") === "tune" ? "tune" : "test"
    const folder = History.option(options, "durations")
    const series = folder === undefined ? null : Set.read(folder, History.option(options, "name") ?? "pytorch", half)
    if (series === null) yield "!!! SKIPPED: no series found. Name a folder: --durations=FOLDER !!!"
    else yield* linesOf(`public series (${half})`, series)
    const generated = Set.generate(half)
    yield* linesOf(`generated noisy jobs (${half})`, generated)
    for (const noise of Set.noises) {
      yield* linesOf(
        `generated: ${noise}`,
        generated.filter((each) => each.noise === noise)
      )
    }
  }
}

function* linesOf(title: string, series: ReadonlyArray<Set.DurationSeries>): Generator<string> {
  yield ""
  yield `${title}: ${series.length} series`
  yield "| Rule | shifts | within 3 | 5 | 10 | 20 | false per 1,000 and month | 95 % interval | of them late | start within 2 |"
  yield "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
  for (const { name, rule } of rules) {
    const { falseAlerts, falseRange, falseRate, lateAlerts, named, shifts, within } = Figures.figuresOf(rule, series)
    const shares = [within[3], within[5], within[10], within[20]].map(short)
    const rate = `${falseRate.toFixed(1)} (${falseAlerts})`
    const range = falseRange.map((each) => each.toFixed(1)).join(" to ")
    yield `| ${[name, shifts, ...shares, rate, range, lateAlerts, short(named)].join(" | ")} |`
  }
}

const short = (value: number): string => value.toFixed(3).replace(/^0/u, "")
