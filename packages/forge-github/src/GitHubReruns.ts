/**
 * Jobs of GitHub Actions that run again.
 *
 * **Details**
 *
 * A run of a workflow can be repeated only when all of its jobs have ended, also those that nobody requires. Jobs that were
 * cancelled, which is how GitHub ends those that ran out of time or lost their runner, run again as failed ones do.
 */
import type { Repository } from "@lazaret/domain"
import type { ForgeError, QueueRerun, RerunOutcome } from "@lazaret/services"
import { Effect } from "effect"
import * as GitHubChecks from "./GitHubChecks.ts"
import type * as GitHubClient from "./GitHubClient.ts"
import * as Pages from "./Pages.ts"

type Client = GitHubClient.GitHubClient
type Ref = Repository.RepositoryRef

/** A run of a workflow: `isOver` when all of its jobs have ended; `startedAt` is the start of its latest attempt. */
interface Run {
  readonly id: number
  readonly suite: string
  readonly workflow: string
  readonly attempt: number
  readonly startedAt: number
  readonly isOver: boolean
  readonly conclusion: string | null
}

/** The runs of a commit, the newest first. */
const runsOf = Effect.fnUntraced(function* (client: Client, ref: Ref, sha: string) {
  const found = yield* Pages.all((page) =>
    Effect.map(
      client.ask("runs", ref, (kit, options) =>
        kit.request("GET /repos/{owner}/{repo}/actions/runs", {
          owner: ref.owner,
          repo: ref.repository,
          head_sha: sha,
          per_page: Pages.size,
          page,
          ...options
        })
      ),
      ({ data }) => data.workflow_runs
    )
  )
  return found.map(
    ({
      check_suite_id: suite,
      conclusion,
      event,
      id,
      run_attempt: attempt,
      run_started_at: at,
      status,
      workflow_id: of
    }) => ({
      id: Number(id),
      suite: String(suite),
      workflow: `${of} ${event}`,
      attempt: attempt ?? 1,
      startedAt: Date.parse(at ?? ""),
      isOver: status === "completed",
      conclusion
    })
  )
})

/** Whether a run of a commit has not ended. */
export const isInProgress = (client: Client, ref: Ref, sha: string) =>
  Effect.map(runsOf(client, ref, sha), (runs) => runs.some(({ isOver }) => !isOver))

/** The ends of runs after which jobs can run again. */
const ends: ReadonlySet<string> = new Set(["failure", "cancelled", "timed_out", "action_required", "stale"])

const canRepeat = ({ conclusion, isOver }: Run): boolean => isOver && ends.has(conclusion ?? "")

/**
 * Runs the failed jobs of a run again; where GitHub does not call them failed, all of its jobs.
 *
 * **Details**
 *
 * False: the run has started again in the meantime, and goes on.
 */
const repeat = (client: Client, ref: Ref, { conclusion, id }: Run): Effect.Effect<boolean, ForgeError> => {
  const send = (route: "rerun" | "rerun-failed-jobs") =>
    client.write("rerun", ref, (kit, options) =>
      kit.request(`POST /repos/{owner}/{repo}/actions/runs/{run_id}/${route}`, {
        owner: ref.owner,
        repo: ref.repository,
        run_id: id,
        ...options
      })
    )
  return send("rerun-failed-jobs").pipe(
    Effect.catchIf(
      (error) => conclusion !== "failure" && error.status === 403 && !isRunning(error),
      () => send("rerun")
    ),
    Effect.as(true),
    Effect.catchIf(isRunning, () => Effect.succeed(false))
  )
}

const isRunning = ({ message }: ForgeError): boolean => /already running/iu.test(message)

/** Runs the failed jobs of a commit again: of each workflow those of its newest run. Yields how many runs started. */
export const ofCommit = Effect.fnUntraced(function* (client: Client, ref: Ref, sha: string) {
  const runs = yield* runsOf(client, ref, sha)
  const newest = runs.filter((run, index) => runs.findIndex(({ workflow }) => workflow === run.workflow) === index)
  const started = yield* Effect.forEach(newest.filter(canRepeat), (run) => repeat(client, ref, run))
  return started.filter((isStarted) => isStarted).length
})

/**
 * Runs the jobs behind failed checks again, by the check suites that the checks are in.
 *
 * **Details**
 *
 * Nothing is started twice: a run whose latest attempt began after the check had ended has been asked before, and goes on.
 */
export const ofChecks = Effect.fnUntraced(function* (client: Client, ref: Ref, { attempt, checks, sha }: QueueRerun) {
  const results = yield* GitHubChecks.results(client, ref, sha)
  const wanted = results.filter(({ name }) => checks.includes(name))
  const known = GitHubChecks.combined(wanted)
  if (known.length > 0 && known.every((check) => check.attempt > attempt)) return "started" as const
  const ended = GitHubChecks.latest(wanted).filter(({ state }) => state !== "success" && state !== "pending")
  const runs = yield* runsOf(client, ref, sha)
  const outcomes = yield* Effect.forEach(runs, (run): Effect.Effect<RerunOutcome, ForgeError> => {
    const failed = ended.filter(({ suite }) => suite === run.suite)
    if (failed.length === 0) return Effect.succeed("none")
    const isAgain = run.attempt > 1 && failed.every(({ endedAt }) => endedAt !== null && endedAt < run.startedAt)
    if (!run.isOver) return Effect.succeed(isAgain ? "started" : "running")
    if (!canRepeat(run)) return Effect.succeed("none")
    return Effect.map(repeat(client, ref, run), (isStarted) => (isStarted ? "started" : "running"))
  })
  return outcomes.includes("running") ? "running" : outcomes.includes("started") ? "started" : "none"
})
