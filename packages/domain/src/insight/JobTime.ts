/** The times of jobs as the hosting platform says them. */
import * as Instant from "../time/Instant.ts"
import type { CostFacts } from "./CostFacts.ts"

/**
 * How long a job of a run took, from its start to its end on its machine.
 *
 * **Details**
 *
 * - `runId`, `jobName`: as reports name them; a job that reports give another name has no time. `at`: when it ended.
 */
export interface JobTime {
  readonly runId: string
  readonly runAttempt: number
  readonly jobName: string
  readonly at: Instant.Instant
  readonly durationMs: number
}

/**
 * How long times are kept; the longest time that is believed, because a job may wait for a person; and the longest name, in
 * characters.
 */
export const bounds = { days: 120, longest: 3 * Instant.day, name: 255 } as const

/** The time of a job between two instants, in whole milliseconds; null where it cannot be the time of a job. */
export const of = (
  job: Pick<JobTime, "runId" | "runAttempt" | "jobName">,
  { end, start }: { readonly start: Instant.Instant; readonly end: Instant.Instant }
): JobTime | null => {
  const durationMs = Math.round(end - start)
  return durationMs <= 0 || durationMs > bounds.longest || job.jobName.length > bounds.name
    ? null
    : { ...job, at: end, durationMs }
}

/** Job runs with the time that the hosting platform says, where it says one. */
export const timed = ({ from, runs }: CostFacts, times: Iterable<JobTime>): CostFacts => {
  const known = new Map([...times].map((time) => [keyOf(time), time.durationMs]))
  const found = runs.map((run) => {
    const durationMs = known.get(keyOf(run))
    return durationMs === undefined
      ? run
      : { ...run, durationUs: Math.round(1000 * durationMs), source: "platform" as const }
  })
  return { from, runs: found }
}

const keyOf = ({ jobName, runAttempt, runId }: Pick<JobTime, "jobName" | "runAttempt" | "runId">): string =>
  [runId, runAttempt, jobName].join("\0")
