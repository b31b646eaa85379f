/** Runs of a pipeline as the CI system itself reports them: they say which jobs may still come. */
import * as Instant from "../time/Instant.ts"

/**
 * A run as its CI system reported it last.
 *
 * **Details**
 *
 * - `runId` and `pipelineName` are those that the reports of its jobs name.
 * - `at`: when this state was reported.
 */
export interface CiRun {
  readonly runId: string
  readonly pipelineName: string
  readonly commit: string
  readonly attempt: number
  readonly state: "running" | "over"
  readonly at: Instant.Instant
}

/** A job run that has reported. */
export interface Reported {
  readonly pipelineName: string
  readonly jobName: string
  readonly runId: string
  readonly runAttempt: number
}

/** A run that is said to be running for longer than this is not believed: jobs end after six hours at the latest. */
const longest = 6 * Instant.hour

/** The time after the end of a run in which its reports arrive, also those that are read from its artifacts. */
const grace = 10 * Instant.minute

/**
 * The later one of two states of a run, in whatever order they were reported: a later attempt, and of one attempt its end.
 */
export const later = (a: CiRun, b: CiRun): CiRun => {
  if (a.attempt !== b.attempt) return a.attempt > b.attempt ? a : b
  if (a.state !== b.state) return a.state === "over" ? a : b
  return a.at >= b.at ? a : b
}

/**
 * How the runs of a pipeline stand at an instant.
 *
 * **Details**
 *
 * - `rerunning`: an attempt is running of which no job has reported.
 * - `running`: one is running, or ended so lately that reports may be on their way.
 * - `over`: all of them are over, and every report has arrived.
 * - `unknown`: the CI system has reported nothing, or nothing that is believed any more.
 */
export const standing = (
  pipelineName: string,
  runs: ReadonlyArray<CiRun>,
  reported: ReadonlyArray<Reported>,
  now: Instant.Instant
): "rerunning" | "running" | "over" | "unknown" => {
  const own = reported.filter((run) => run.pipelineName === pipelineName)
  const found = runs.filter((run) => run.pipelineName === pipelineName || own.some(({ runId }) => runId === run.runId))
  const running = found.filter(({ at, state }) => state === "running" && now - at < longest)
  const isNew = ({ attempt, runId }: CiRun) =>
    own.some((run) => run.runId === runId) && own.every((run) => run.runId !== runId || run.runAttempt < attempt)
  if (running.some(isNew)) return "rerunning"
  const isEnding = ({ at, state }: CiRun) => state === "over" && now - at < grace
  if (running.length > 0 || found.some(isEnding)) return "running"
  return found.length > 0 && found.every(({ state }) => state === "over") ? "over" : "unknown"
}
