/** `npm run bench -- shards --history=FILE`: how long shards take that are cut by the durations of the version before. */
import { ShardPlan, ShardWeight } from "@lazaret/domain"
import * as DurationHistory from "./shards/DurationHistory.ts"
import type { Lines } from "./Section.ts"

/** The numbers of shards that are measured. */
const totals = [4, 8, 16]

/** A way to assign the units of a version, from the durations of the version before. */
interface Rule {
  readonly name: string
  readonly assign: (known: ReadonlyArray<ShardPlan.Unit>, step: Step) => ShardPlan.Assignment
}

interface Step {
  readonly total: number
  readonly truth: ReadonlyArray<ShardPlan.Unit>
  readonly before: ShardPlan.Assignment | null
}

const rules: ReadonlyArray<Rule> = [
  { name: "longest first, true durations", assign: (_, { total, truth }) => ShardPlan.assign(truth, total) },
  { name: "longest first, known durations", assign: (known, { total }) => ShardPlan.assign(known, total) },
  { name: "plan from before kept", assign: (known, { before, total }) => ShardPlan.assign(known, total, before) },
  { name: "equal counts", assign: (known, { total }) => ShardPlan.equalCounts(known, total) }
]

/**
 * The measurement.
 *
 * **Details**
 *
 * Each version is cut by the durations of the version before and timed by its own. `ratio` is the longest shard divided by the mean
 * shard, `cost` how much longer it is than with the true durations: means over the versions, and the median of the cost. `moved` is the share of the units that were there
 * before and change their shard.
 */
export const shards: Lines = {
  name: "shards",
  lines: async function* (options) {
    const path = options.find((each) => each.startsWith("--history="))?.slice("--history=".length)
    if (path === undefined) {
      yield "shards: give --history=FILE, with lines of `at`, `tests` and `seconds`"
      return
    }
    const { names, versions } = DurationHistory.read(path)
    for (const piece of ["file", "test"] as const) {
      for (const total of totals) {
        yield `\nby ${piece}, ${total} shards, ${versions.length - 1} versions`
        for (const rule of rules) yield lineOf(rule, measure(rule, { names, versions, piece, total }))
      }
    }
  }
}

interface Measured {
  readonly ratio: number
  readonly cost: number
  readonly medianCost: number
  readonly moved: number
}

const lineOf = ({ name }: Rule, { cost, medianCost, moved, ratio }: Measured): string =>
  `${name.padEnd(32)} ratio ${ratio.toFixed(3)}  cost ${percent(cost)}, median ${percent(medianCost)}  moved ${percent(moved)}`

const percent = (share: number): string => `${(100 * share).toFixed(1).padStart(5)} %`

interface Subject extends DurationHistory.History {
  readonly piece: "file" | "test"
  readonly total: number
}

const measure = (rule: Rule, { names, piece, total, versions }: Subject): Measured => {
  const steps = versions.slice(1)
  const costs: Array<number> = []
  const sums = { ratio: 0, moved: 0 }
  let before: ShardPlan.Assignment | null = null
  for (const [index, version] of steps.entries()) {
    const truth = unitsOf(names, version, piece)
    const listed = truth.map(({ name }) => name)
    const known = ShardWeight.weigh(listed, piece, timedOf(names, versions[index] ?? version))
    const assignment = rule.assign(known.units, { total, truth, before })
    const longest = ShardPlan.longestOf(truth, assignment, total)
    sums.ratio += longest / (truth.reduce((sum, { seconds }) => sum + seconds, 0) / total)
    costs.push(longest / ShardPlan.longestOf(truth, ShardPlan.assign(truth, total), total) - 1)
    sums.moved += movedOf(assignment, before)
    before = assignment
  }
  costs.sort((a, b) => a - b)
  return {
    ratio: sums.ratio / steps.length,
    cost: costs.reduce((sum, each) => sum + each, 0) / costs.length,
    medianCost: costs[Math.floor(costs.length / 2)] ?? 0,
    moved: sums.moved / (steps.length - 1)
  }
}

const movedOf = (assignment: ShardPlan.Assignment, before: ShardPlan.Assignment | null): number => {
  const both = [...assignment].filter(([name]) => before?.has(name) === true)
  return both.length === 0 ? 0 : both.filter(([name, shard]) => before?.get(name) !== shard).length / both.length
}

const timedOf = (
  names: ReadonlyArray<string>,
  { seconds, tests }: DurationHistory.Version
): ReadonlyArray<ShardWeight.TimedTest> =>
  tests.map((test, index) => {
    const testName = names[test] ?? ""
    return { testName, file: fileOf(testName), seconds: seconds[index] ?? 0 }
  })

const unitsOf = (
  names: ReadonlyArray<string>,
  version: DurationHistory.Version,
  piece: "file" | "test"
): ReadonlyArray<ShardPlan.Unit> => {
  const timed = timedOf(names, version)
  const listed = [...new Set(timed.map(({ file, testName }) => (piece === "file" ? (file ?? testName) : testName)))]
  return ShardWeight.weigh(listed, piece, timed).units
}

/** A test of pytest is named `file::test`. */
const fileOf = (testName: string): string => testName.split("::")[0] ?? testName
