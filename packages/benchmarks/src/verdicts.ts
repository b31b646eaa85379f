/** `npm run bench -- verdicts`: how well rules classify tests whose truth is known, on the same made-up streams. */
import * as History from "./failures/History.ts"
import { seeded } from "./histories.ts"
import type { Lines } from "./Section.ts"
import { landed } from "./verdicts/LandedRule.ts"
import * as OutageRule from "./verdicts/OutageRule.ts"
import type { Rule } from "./verdicts/Rule.ts"
import * as Score from "./verdicts/Score.ts"
import { type Group, groups } from "./verdicts/scenarios.ts"
import * as Signs from "./verdicts/Signs.ts"
import { simpleRules } from "./verdicts/SimpleRules.ts"
import * as World from "./verdicts/World.ts"

/** The rule of the product, the same with other numbers, and with parts that did not land. */
const rules: ReadonlyArray<Rule> = [
  landed("landed"),
  landed("default branch only", { everyBranch: false }),
  landed("one excused commit", { outage: { excusedCommits: 1 } }),
  landed("exits without a failure rate", { health: { brokenChance: 1, cleanChance: 1 } }),
  landed("no single failures", { outage: { fewTests: 1, fewShare: 0 } }),
  landed("a repetition ends the excuse", { variant: OutageRule.repetitionEnds }),
  landed("outages are evidence", { outagesAreEvidence: true }),
  landed("a message of 2 files", { variant: OutageRule.sharedMessage(2) }),
  landed("a message of 3 files", { variant: OutageRule.sharedMessage(3) }),
  landed("only with one message", { variant: OutageRule.onlySharedMessage }),
  landed("2 tests in one sibling job", { variant: OutageRule.oneSibling }),
  landed("every sibling ends the excuse", { variant: OutageRule.everySiblingEnds }),
  ...simpleRules
]

/**
 * The simulation.
 *
 * **Details**
 *
 * `--group=NAME` runs one group, `--seed=N` another set of worlds, `--rules=A,B` those rules. `--history=FOLDER` counts the
 * signs of outages in real history instead.
 */
export const verdicts: Lines = {
  name: "verdicts",
  lines: async function* (options) {
    const valueOf = (name: string) => options.find((each) => each.startsWith(`--${name}=`))?.slice(name.length + 3)
    const history = valueOf("history")
    if (history !== undefined) {
      yield* Signs.lines(History.read(history) ?? [])
      return
    }
    const seed = Number(valueOf("seed") ?? 1)
    const names = valueOf("rules")?.split(",")
    const chosen = rules.filter(({ name }) => names === undefined || names.includes(name))
    yield `verdicts: seed ${seed}; macro-F1 is the mean over worlds, with a 95 % interval by bootstrap over worlds`
    for (const group of groups.filter(({ name }) => name.includes(valueOf("group") ?? ""))) {
      yield `\n${group.name} (${group.scenarios.length * group.seeds} worlds)`
      const worlds = worldsOf(group, seed)
      yield row([
        "rule",
        "macro-F1",
        "healthy",
        "flaky",
        "broken",
        "days to flaky",
        "wrong quar.",
        "to broken",
        "right: low, medium, high"
      ])
      for (const rule of chosen) yield lineOf(rule, worlds)
    }
  }
}

const worldsOf = ({ scenarios, seeds }: Group, seed: number): ReadonlyArray<World.World> =>
  scenarios.flatMap((scenario, place) =>
    Array.from({ length: seeds }, (_, index) => World.make(scenario, seed * 10_000 + place * 100 + index))
  )

const widths = [30, 18, 8, 8, 8, 14, 12, 12, 24]

const row = (cells: ReadonlyArray<string>): string =>
  cells.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(" ")

const lineOf = (rule: Rule, worlds: ReadonlyArray<World.World>): string => {
  const scores = worlds.map((world) => Score.of(rule, world))
  const confusion = Score.statuses.map((_, truth) =>
    Score.statuses.map((__, verdict) => scores.reduce((sum, each) => sum + (each.confusion[truth]?.[verdict] ?? 0), 0))
  )
  const macro = scores.map((each) => Score.macroF1(each.confusion))
  const wrong = scores.map((each) => each.wrongQuarantines)
  const toBroken = scores.flatMap((each) => each.commitsToBroken)
  return row([
    rule.name,
    `${three(Score.mean(macro))} ${interval(macro)}`,
    ...Score.statuses.map((_, status) => three(Score.f1(confusion, status) ?? Number.NaN)),
    days(Score.median(scores.flatMap((each) => each.daysToFlaky))),
    wrong.includes(null) ? "-" : String(wrong.reduce<number>((sum, each) => sum + (each ?? 0), 0)),
    toBroken.length === 0 ? "-" : commits(toBroken),
    rightOf(scores)
  ])
}

const three = (value: number): string => (Number.isNaN(value) ? "-" : value.toFixed(3))

const days = (value: number): string => (Number.isFinite(value) ? value.toFixed(1) : "-")

const commits = (values: ReadonlyArray<number>): string => {
  const missed = values.filter((value) => !Number.isFinite(value)).length / values.length
  const middle = Score.median(values.filter(Number.isFinite))
  return `${Number.isNaN(middle) ? "-" : middle}, ${(100 * missed).toFixed(0)} % never`
}

const rightOf = (scores: ReadonlyArray<Score.Score>): string =>
  (["low", "medium", "high"] as const)
    .map((level) => {
      const right = scores.reduce((sum, { confidence }) => sum + confidence[level][0], 0)
      const all = scores.reduce((sum, { confidence }) => sum + confidence[level][1], 0)
      return all === 0 ? "-" : three(right / all)
    })
    .join(" ")

/** The 95 % interval of a mean, by 1,000 bootstrap samples of the worlds. */
const interval = (values: ReadonlyArray<number>): string => {
  const random = seeded(7)
  const means = Array.from({ length: 1000 }, () =>
    Score.mean(values.map(() => values[Math.floor(random() * values.length)] ?? 0))
  ).sort((a, b) => a - b)
  return `[${[25, 974].map((place) => three(means[place] ?? Number.NaN).slice(1)).join(" ")}]`
}
