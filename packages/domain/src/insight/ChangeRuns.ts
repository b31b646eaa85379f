/** The runs that show when a test, or the tests of a cause, began to fail: counted by commit and job. */
import type { Instant } from "../time/Instant.ts"
import * as Text from "../text/Text.ts"

/**
 * A run of the default branch.
 *
 * **Details**
 *
 * `key`: equal for equal runs only; a run that is given several times has failed when one of them says so. `stream`: runs of one
 * stream, such as a job, fail equally often.
 */
export interface Run {
  readonly key: string
  readonly stream: string
  readonly commit: string
  readonly at: Instant
  readonly failed: boolean
}

/** How often runs of a commit passed and failed. */
export interface Count {
  readonly passed: number
  readonly failed: number
}

/**
 * The counts.
 *
 * **Details**
 *
 * - `commits`: in the order of their first runs. `streams`: of each a count for every commit.
 * - `lastFailure`: the place of the last commit with a failure, -1 without one.
 */
export interface ChangeRuns {
  readonly commits: ReadonlyArray<string>
  readonly streams: ReadonlyArray<ReadonlyArray<Count>>
  readonly runs: number
  readonly failures: number
  readonly firstFailure: { readonly commit: string; readonly at: Instant } | null
  readonly lastFailure: number
}

/** The most commits that are evaluated, the latest ones, and the most streams, those with most failures. */
export const mostCommits = 2000
export const mostStreams = 10

/** The counts of runs. */
export const of = (runs: ReadonlyArray<Run>): ChangeRuns => {
  const all = distinct(runs)
  const commits = commitsOf(all).slice(-mostCommits)
  const places = new Map(commits.map((commit, place) => [commit, place]))
  const kept = all.filter(({ commit }) => places.has(commit))
  const failed = kept.filter((run) => run.failed).sort(inTime)
  const [first] = failed
  return {
    commits,
    streams: streamsOf(kept, places),
    runs: kept.length,
    failures: failed.length,
    firstFailure: first === undefined ? null : { commit: first.commit, at: first.at },
    lastFailure: failed.reduce((last, { commit }) => Math.max(last, places.get(commit) ?? -1), -1)
  }
}

const inTime = (a: Run, b: Run): number => a.at - b.at || Text.compare(a.commit, b.commit) || Text.compare(a.key, b.key)

/** Each run once. */
const distinct = (runs: ReadonlyArray<Run>): ReadonlyArray<Run> => {
  const found = new Map<string, Run>()
  for (const run of runs.toSorted(inTime)) {
    const key = `${run.stream}\0${run.key}`
    const held = found.get(key)
    found.set(key, held === undefined ? run : { ...held, failed: held.failed || run.failed })
  }
  return [...found.values()]
}

const commitsOf = (runs: ReadonlyArray<Run>): ReadonlyArray<string> => [...new Set(runs.map(({ commit }) => commit))]

const streamsOf = (runs: ReadonlyArray<Run>, places: ReadonlyMap<string, number>): ChangeRuns["streams"] =>
  [...Map.groupBy(runs, ({ stream }) => stream)]
    .map(([stream, list]) => ({ stream, list, failures: list.filter(({ failed }) => failed).length }))
    .sort((a, b) => b.failures - a.failures || Text.compare(a.stream, b.stream))
    .slice(0, mostStreams)
    .map(({ list }) => {
      const counts = Array.from({ length: places.size }, () => ({ passed: 0, failed: 0 }))
      for (const { commit, failed } of list) {
        const count = counts[places.get(commit) ?? -1]
        if (count !== undefined) count[failed ? "failed" : "passed"] += 1
      }
      return counts
    })
