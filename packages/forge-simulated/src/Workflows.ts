/**
 * GitHub Actions, simulated: runs of workflows with several jobs, which start, end, are cancelled and run again.
 *
 * **Details**
 *
 * Each rule has its source. No live GitHub was asked.
 */
import * as Hub from "./Hub.ts"

/** A job of a workflow; `runsAlways` stands for `if: always()`. */
export interface JobOptions {
  readonly name: string
  readonly needs?: ReadonlyArray<string>
  readonly runsAlways?: boolean
}

/** A run of a workflow that starts. */
export interface Start {
  readonly headSha: string
  readonly jobs: ReadonlyArray<JobOptions>
  readonly name?: string
  readonly event?: string
}

/** Starts a run: the jobs that need no others start with it. */
export const start = (
  hub: Hub.Hub,
  repository: Hub.Repository,
  { headSha, jobs, ...named }: Start
): Hub.WorkflowRun => {
  const run: Hub.WorkflowRun = {
    id: Hub.nextId(hub),
    name: "CI",
    headBranch: "main",
    suiteId: Hub.nextId(hub),
    attempt: 1,
    artifacts: [],
    ...named,
    headSha,
    status: "in_progress",
    conclusion: null,
    createdAt: Hub.timestamp(hub),
    startedAt: Hub.timestamp(hub),
    jobs: jobs.map(({ name, needs = [], runsAlways = false }) => ({
      name,
      needs,
      runsAlways,
      checkRunId: null,
      conclusion: null
    }))
  }
  repository.runs.push(run)
  advance(hub, repository, run)
  return run
}

/** Ends a job of a run. What needs it starts or is skipped, and the run ends with its last job. */
export const end = (
  hub: Hub.Hub,
  repository: Hub.Repository,
  run: Hub.WorkflowRun,
  { conclusion, name }: { readonly name: string; readonly conclusion: Hub.Conclusion }
): void => {
  const job = run.jobs?.find((each) => each.name === name)
  if (job === undefined || job.conclusion !== null || run.status === "completed") return
  conclude(hub, repository, run, job, conclusion)
  advance(hub, repository, run)
}

/**
 * Ends what was asked to end.
 *
 * **Details**
 *
 * Cancelling takes time: GitHub sends the jobs a signal and waits up to five minutes for them (docs.github.com, "Canceling a
 * workflow": "the server cancels after 5 minutes").
 */
export const settle = (hub: Hub.Hub, repository: Hub.Repository): void => {
  for (const run of repository.runs) {
    if (run.isCancelling !== true || run.status === "completed") continue
    for (const job of run.jobs ?? []) if (job.conclusion === null) conclude(hub, repository, run, job, "cancelled")
    Object.assign(run, { status: "completed", conclusion: "cancelled", isCancelling: false })
  }
}

/** A run may be repeated for this many days, and this many times (docs.github.com, "Re-running workflows and jobs"). */
const limits = { days: 30, attempts: 50 }

/**
 * Runs jobs again; yields the words of a refusal, null when they start.
 *
 * **Details**
 *
 * - A run that has not ended cannot run again, whatever its jobs did (cli/cli#9221: "This workflow is already running";
 *   actions/runner#432: "you need to wait for all jobs to finish").
 * - `failed` means every job that did not pass, cancelled ones too, and what needs them (vllm-project/vllm-ascend#14752:
 *   "covers both failed and cancelled jobs").
 * - Jobs that passed are cloned into the new attempt, with new ids (actions/runner#432).
 */
export const rerun = (
  hub: Hub.Hub,
  repository: Hub.Repository,
  run: Hub.WorkflowRun,
  jobs: "failed" | "all"
): string | null => {
  if (run.status !== "completed") return "This workflow is already running"
  if (Hub.now(hub) - Date.parse(run.createdAt ?? Hub.timestamp(hub)) > limits.days * 86_400_000) {
    return "Unable to retry this workflow run because it was created over a month ago"
  }
  if (run.attempt >= limits.attempts) return "Unable to retry this workflow run because it was retried too often"
  if (run.conclusion === "startup_failure") return "This workflow run cannot be retried"
  if (
    jobs === "failed" &&
    run.conclusion !== "failure" &&
    run.conclusion !== "cancelled" &&
    run.conclusion !== "timed_out"
  )
    return "The workflow run cannot be retried: it has no failed jobs"
  const startedAt = Hub.timestamp(hub)
  Object.assign(run, { status: "in_progress", conclusion: null, attempt: run.attempt + 1, startedAt })
  for (const job of run.jobs ?? []) {
    if (jobs === "failed" && job.conclusion === "success") clone(hub, repository, job)
    else Object.assign(job, { checkRunId: null, conclusion: null })
  }
  advance(hub, repository, run)
  return null
}

const clone = (hub: Hub.Hub, repository: Hub.Repository, job: Hub.Job): void => {
  const known = repository.checkRuns.find(({ id }) => id === job.checkRunId)
  if (known === undefined) return
  const copy = { ...known, id: Hub.nextId(hub) }
  repository.checkRuns.push(copy)
  job.checkRunId = copy.id
}

/** The app that owns the check runs of Actions. */
const actions = 15_368

const begin = (hub: Hub.Hub, repository: Hub.Repository, run: Hub.WorkflowRun, job: Hub.Job): void => {
  const id = Hub.nextId(hub)
  const members = { name: job.name, status: "in_progress", started_at: Hub.timestamp(hub) }
  repository.checkRuns.push({
    id,
    headSha: run.headSha,
    appId: actions,
    suiteId: run.suiteId,
    members,
    annotations: []
  })
  job.checkRunId = id
}

const conclude = (
  hub: Hub.Hub,
  repository: Hub.Repository,
  run: Hub.WorkflowRun,
  job: Hub.Job,
  conclusion: Hub.Conclusion
): void => {
  if (job.checkRunId === null) begin(hub, repository, run, job)
  job.conclusion = conclusion
  const check = repository.checkRuns.find(({ id }) => id === job.checkRunId)
  if (check === undefined) return
  check.members = { ...check.members, status: "completed", conclusion, completed_at: Hub.timestamp(hub) }
}

/**
 * Starts what can start, skips what cannot, and ends the run after its last job.
 *
 * **Details**
 *
 * A job that waits for others has no check run until it starts (instructlab/instructlab#2324: "did not show up in the
 * check-runs until they started"). A job is skipped when a job that it needs did not pass, and a skipped job counts as one
 * that did not pass (docs.github.com, `jobs.<job_id>.needs`).
 */
const advance = (hub: Hub.Hub, repository: Hub.Repository, run: Hub.WorkflowRun): void => {
  const { jobs = [] } = run
  const endOf = (name: string) => jobs.find((each) => each.name === name)?.conclusion ?? null
  for (let isMoving = true; isMoving;) {
    isMoving = false
    for (const job of jobs) {
      if (job.checkRunId !== null || job.needs.some((name) => endOf(name) === null)) continue
      isMoving = true
      if (job.runsAlways || job.needs.every((name) => endOf(name) === "success")) begin(hub, repository, run, job)
      else conclude(hub, repository, run, job, "skipped")
    }
  }
  if (jobs.length === 0 || jobs.some(({ conclusion }) => conclusion === null)) return
  Object.assign(run, { status: "completed", conclusion: sumOf(jobs) })
}

/**
 * The conclusion of a run.
 *
 * **Details**
 *
 * A job that runs out of `timeout-minutes` is cancelled, and so is its run (docs.github.com, `jobs.<job_id>.timeout-minutes`:
 * "the maximum number of minutes to let a job run before GitHub automatically cancels it"; fujibee/agmsg#878).
 */
const sumOf = (jobs: ReadonlyArray<Hub.Job>): Hub.Conclusion => {
  const has = (conclusion: Hub.Conclusion) => jobs.some((job) => job.conclusion === conclusion)
  if (has("failure") || has("startup_failure")) return "failure"
  if (has("timed_out")) return "timed_out"
  if (has("cancelled")) return "cancelled"
  return jobs.every(({ conclusion }) => conclusion === "skipped") ? "skipped" : "success"
}
