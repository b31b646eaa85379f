/** The commits among which a test began to fail, on generated streams of runs with known changes, compared with bisection. */
import { ChangeInterval, type ChangeRuns } from "@lazaret/domain"
import { anyChange, changeRuns, randomOf } from "@lazaret/domain/testing"
import * as History from "./failures/History.ts"
import type { Lines } from "./Section.ts"

const rates = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1]
const streamsOfRate = 2000

/**
 * Prints how often intervals contain the change, and how many commits they have.
 *
 * **Details**
 *
 * Of each failure rate 2,000 streams with up to 200 commits, three jobs, gaps and a change that may be mended; those with too few runs or
 * without a failure are left out. `--seed=NUMBER` draws other streams than those that numbers were chosen by. Bisection blames the commits between the first failure and the last commit before it that passed.
 */
export const intervals: Lines = {
  name: "intervals",
  // A section yields its lines as they are found; this one has nothing to wait for.
  // oxlint-disable-next-line require-await
  lines: async function* (options) {
    const random = randomOf(Number(History.option(options, "seed") ?? 20))
    yield `| Fails in | streams | ${ChangeInterval.levels.map((level) => `${level * 100} %: contains, says, commits`).join(" | ")} | bisection: contains, commits |`
    yield `| --- | --- | ${ChangeInterval.levels.map(() => "---").join(" | ")} | --- |`
    const all: Array<Figures> = []
    for (const rate of rates) {
      const found = Array.from({ length: streamsOfRate }, () => figuresOf(rate, random)).filter((each) => each !== null)
      all.push(...found)
      yield lineOf(`${rate * 100} %`, found)
    }
    yield lineOf("all", all)
    for (const [name, least, most] of failures) {
      yield lineOf(
        name,
        all.filter(({ failed }) => failed >= least && failed <= most)
      )
    }
  }
}

/** Streams by what people see of them: the number of runs that failed. */
const failures: ReadonlyArray<readonly [name: string, least: number, most: number]> = [
  ["1 failure", 1, 1],
  ["2 failures", 2, 2],
  ["3 to 7", 3, 7],
  ["8 to 15", 8, 15],
  ["16 and more", 16, Infinity]
]

interface Figures {
  readonly failed: number
  readonly levels: ReadonlyArray<{ readonly hit: boolean; readonly said: number; readonly width: number }>
  readonly bisection: { readonly hit: boolean; readonly width: number }
}

const placeOf = (commit: string | null): number => (commit === null ? -1 : Number(commit.slice(1)))

const figuresOf = (rate: number, random: () => number): Figures | null => {
  const change = anyChange(rate, random)
  const runs = changeRuns(change, random)
  const { failures: failed, firstFailure, intervals: found } = ChangeInterval.of(runs)
  if (firstFailure === null || found.length === 0) return null
  const isIn = (after: number, last: number) => change.change > after && change.change <= last
  const blamed = placeOf(firstFailure.commit)
  const passed = lastPassBefore(runs, blamed)
  return {
    failed,
    levels: found.map(({ after, commits, last, probability }) => ({
      hit: isIn(placeOf(after), placeOf(last)),
      said: probability,
      width: commits
    })),
    bisection: { hit: isIn(passed, blamed), width: blamed - passed }
  }
}

const lastPassBefore = (runs: ReadonlyArray<ChangeRuns.Run>, place: number): number =>
  runs.reduce((last, { commit, failed }) => {
    const own = placeOf(commit)
    return failed || own >= place ? last : Math.max(last, own)
  }, -1)

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

const lineOf = (name: string, all: ReadonlyArray<Figures>): string => {
  const percent = (count: number) => `${((100 * count) / Math.max(1, all.length)).toFixed(1)} %`
  const levels = ChangeInterval.levels.map((_, place) => {
    const each = all.flatMap(({ levels: list }) => list[place] ?? [])
    const said = each.reduce((sum, one) => sum + one.said, 0)
    return `${percent(each.filter(({ hit }) => hit).length)}, ${percent(said)}, ${median(each.map(({ width }) => width))}`
  })
  const bisections = all.map(({ bisection }) => bisection)
  const plain = `${percent(bisections.filter(({ hit }) => hit).length)}, ${median(bisections.map(({ width }) => width))}`
  return `| ${[name, all.length, ...levels, plain].join(" | ")} |`
}
