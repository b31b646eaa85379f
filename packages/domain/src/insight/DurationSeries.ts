/** The measured durations of a test in one job, in the order of time. */
import * as Instant from "../time/Instant.ts"
import type { Execution, Observation } from "../report/Execution.ts"
import * as Text from "../text/Text.ts"
import { median } from "./DurationShift.ts"

/** An execution with its duration. */
export type TimedExecution = Pick<Observation, "id" | "at" | "commit" | "conclusion" | "flaky"> &
  Pick<Execution, "durationMs">

/** The duration at one commit, or at the commits of some hours from `commit` to `lastCommit`. */
export interface Point {
  readonly at: Instant.Instant
  readonly commit: string
  readonly lastCommit: string
  readonly ms: number
}

/**
 * The points of a series: the median duration of the passes at each commit, in the order of the first of them.
 *
 * **Details**
 *
 * Failures and flaky passes are no measurements: they end early, or wait for a timeout. A duration that is exactly that of the point
 * before is a copy from a cache, and left out, unless it is at most `nothingMs`. The order of the executions changes nothing.
 */
export const of = (executions: Iterable<TimedExecution>, nothingMs: number): ReadonlyArray<Point> => {
  const commits = new Map<string, { at: number; readonly durations: Array<number> }>()
  for (const { at, commit, conclusion, durationMs, flaky } of executions) {
    if (conclusion !== "passed" || flaky) continue
    const known = commits.get(commit)
    if (known === undefined) commits.set(commit, { at, durations: [durationMs] })
    else {
      known.at = Math.min(known.at, at)
      known.durations.push(durationMs)
    }
  }
  const points = [...commits]
    .map(([commit, { at, durations }]): Point => ({ at, commit, lastCommit: commit, ms: median(durations) }))
    .sort((a, b) => a.at - b.at || Text.compare(a.commit, b.commit))
  return points.filter(({ ms }, index) => index === 0 || ms <= nothingMs || ms !== points[index - 1]?.ms)
}

/**
 * The points of a series with more than `most` of them by hours, or parts of a day (UTC), so that a slow hour is one point; others as
 * they are. The shortest parts are taken that are at most `most`.
 */
export const thinned = (points: ReadonlyArray<Point>, most: number): ReadonlyArray<Point> => {
  if (points.length <= most) return points
  const span = (points.at(-1)?.at ?? 0) - (points[0]?.at ?? 0)
  const width = widths.find((each) => span / each < most) ?? Instant.day
  return [...Map.groupBy(points, ({ at }) => Math.floor(at / width)).values()].flatMap((group) => {
    const [first] = group
    const last = group.at(-1)
    if (first === undefined || last === undefined) return []
    return [{ at: first.at, commit: first.commit, lastCommit: last.commit, ms: median(group.map(({ ms }) => ms)) }]
  })
}

const widths = [1, 2, 3, 4, 6, 12].map((hours) => hours * Instant.hour)
