/** The commits among which a test, or the tests of a cause, began to fail more often. See `docs/explanation/between-commits.md`. */
import type { Instant } from "../time/Instant.ts"
import * as ChangeOdds from "./ChangeOdds.ts"
import * as ChangeRuns from "./ChangeRuns.ts"

/**
 * Commits of which one brought the change.
 *
 * **Details**
 *
 * - `level`: the least probability that was asked for; `probability`: that of these commits, which is at least as large.
 * - `after`: the last commit before them; null where the change may be older than all runs that are known. `last`: the last of them.
 * - `commits`: their number, of those on which there were runs.
 */
export interface Interval {
  readonly level: number
  readonly probability: number
  readonly after: string | null
  readonly last: string
  readonly commits: number
}

/** The first run that failed. */
export interface FirstFailure {
  readonly commit: string
  readonly at: Instant
}

/**
 * The answer: how many runs are missing, or the intervals of each level, the smallest first.
 *
 * **Details**
 *
 * - `runs`, `failures`: how many runs were evaluated, and how many of them failed. `missingRuns`: how many more are needed, 0 when there
 *   are enough; without enough there are no intervals.
 */
export interface ChangeInterval {
  readonly runs: number
  readonly failures: number
  readonly missingRuns: number
  readonly firstFailure: FirstFailure | null
  readonly intervals: ReadonlyArray<Interval>
}

/** The probabilities that intervals are given for. */
export const levels = [0.5, 0.9, 0.99] as const

/** In fewer runs a change and chance look alike. */
export const leastRuns = 10

/**
 * The intervals of commits that contain the change.
 *
 * **Details**
 *
 * The order of the runs plays no part, nor does a run that is given twice. The intervals are nested: each grows from the most probable
 * commit to the more probable side. Commits are in the order of their first runs; runs of an older commit count for that commit.
 * The latest {@link ChangeRuns.mostCommits} commits are evaluated; time grows with the number of runs.
 */
export const of = (runs: ReadonlyArray<ChangeRuns.Run>): ChangeInterval => {
  const facts = ChangeRuns.of(runs)
  const { failures, firstFailure, runs: counted } = facts
  const missingRuns = failures === 0 ? Math.max(1, leastRuns - counted) : Math.max(0, leastRuns - counted)
  const known = { runs: counted, failures, missingRuns, firstFailure }
  if (missingRuns > 0) return { ...known, intervals: [] }
  const odds = ChangeOdds.of(facts)
  return { ...known, intervals: intervalsOf(facts.commits, odds) }
}

/**
 * The answer in one sentence.
 *
 * @example
 * ```ts
 * import { ChangeInterval } from "@lazaret/domain"
 *
 * ChangeInterval.sentence(ChangeInterval.of([])) // => "not enough data yet: 10 more runs"
 * ```
 */
export const sentence = ({ firstFailure, intervals, missingRuns }: ChangeInterval): string => {
  if (missingRuns > 0) return `not enough data yet: ${missingRuns} more ${missingRuns === 1 ? "run" : "runs"}`
  const likely = intervals.find(({ level }) => level >= 0.9)
  if (likely === undefined) return "no run failed"
  const { after, commits, last } = likely
  const share = `${Math.floor(likely.probability * 100)} %`
  const first = `the first failure was on ${short(firstFailure?.commit ?? "")}`
  if (after === null) return `with ${share} it began with ${short(last)} or before; ${first}`
  return commits === 1
    ? `with ${share} it began with ${short(last)}; ${first}`
    : `with ${share} it began with one of ${commits} commits after ${short(after)} up to ${short(last)}; ${first}`
}

const short = (commit: string): string => commit.slice(0, 12)

const intervalsOf = (commits: ReadonlyArray<string>, odds: Float64Array): ReadonlyArray<Interval> => {
  let first = odds.reduce((best, value, place) => (value > (odds[best] ?? 0) ? place : best), 0)
  let last = first
  let sum = odds[first] ?? 0
  return levels.map((level) => {
    while (sum < level - tolerance && (first > 0 || last < odds.length - 1)) {
      const [earlier, later] = [odds[first - 1] ?? -1, odds[last + 1] ?? -1]
      if (earlier >= later) first -= 1
      else last += 1
      sum += Math.max(earlier, later)
    }
    return {
      level,
      probability: Math.min(1, sum),
      after: commits[first - 1] ?? null,
      last: commits[last] ?? "",
      commits: last - first + 1
    }
  })
}

/** Sums of probabilities differ from 1 by less. */
const tolerance = 1e-9
