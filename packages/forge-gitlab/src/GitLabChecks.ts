/**
 * The checks of a commit at GitLab: its jobs and commit statuses by their names, and its pipelines as the check `pipeline`.
 *
 * **Details**
 *
 * GitLab requires whole pipelines ("Pipelines must succeed"), and no single jobs. So the pipelines of a commit are one check
 * more, which is green when each of them is.
 */
import type { Repository } from "@lazaret/domain"
import { EngineConfiguration, type Observation } from "@lazaret/queue"
import type { QueueRerun, RerunOutcome } from "@lazaret/services"
import { Effect, Schema } from "effect"
import * as GitLabClient from "./GitLabClient.ts"
import * as GitLabCommits from "./GitLabCommits.ts"
import * as GitLabRuns from "./GitLabRuns.ts"

type Client = GitLabClient.GitLabClient
type Ref = Repository.RepositoryRef
type Check = Observation.Check

/** The name of the check that the pipelines of a commit are. */
export const pipelineCheck = "pipeline"

const Statuses = Schema.Array(
  Schema.Struct({
    id: Schema.Int,
    name: Schema.String,
    status: Schema.String,
    ref: Schema.NullOr(Schema.String),
    allow_failure: Schema.Boolean,
    target_url: Schema.NullOr(Schema.String),
    pipeline_id: Schema.NullOr(Schema.Int)
  })
)

type Status = (typeof Statuses.Type)[number]

/** A job or commit status with the pipeline that it is in; jobs of one `line` are attempts of one job. */
interface Result extends Status {
  readonly line: string
}

/** Every attempt of every check of a commit, and its pipelines, of each ref and source the newest one. */
const results = Effect.fnUntraced(function* (client: Client, ref: Ref, sha: string) {
  const pipelines = (yield* GitLabRuns.of(client, ref, { sha })).filter(isCounted)
  const path = `${GitLabCommits.pathOf(sha)}/statuses`
  const listed = yield* GitLabCommits.orNone(
    GitLabClient.pages((page) =>
      client.ask("checks", ref, { path, query: { all: "true", per_page: 100, page } }, Statuses)
    )
  )
  const statuses = listed._tag === "None" ? [] : listed.value
  const lines = new Map(pipelines.map((each) => [each.id, lineOf(each)]))
  const found = statuses.flatMap((status): ReadonlyArray<Result> => {
    const line = status.pipeline_id === null ? "" : lines.get(status.pipeline_id)
    return own.has(status.name) || line === undefined ? [] : [{ ...status, line }]
  })
  const newest = pipelines.filter(
    (each, index) => pipelines.findIndex((other) => lineOf(other) === lineOf(each)) === index
  )
  return { found, pipelines: newest }
})

/** The names of what this service writes itself, which proves nothing to it. */
const own: ReadonlySet<string> = new Set([EngineConfiguration.ownCheck])

/** A scratch branch is nobody's test, and a schedule tests for another reason. */
const isCounted = ({ ref, source }: GitLabRuns.Pipeline): boolean =>
  !ref.startsWith("lazaret/tmp/") && source !== "schedule"

const lineOf = ({ ref, source }: GitLabRuns.Pipeline): string => `${source} ${ref}`

/** The latest attempt of each check of a commit. */
export const ofCommit = (client: Client, ref: Ref, sha: string): ReturnType<typeof checksOf> =>
  checksOf(client, ref, sha)

const checksOf = (client: Client, ref: Ref, sha: string) =>
  Effect.map(results(client, ref, sha), ({ found, pipelines }) => combined(found, pipelines))

/** Attempts of one name add up, in whichever pipeline they were, so that each rerun counts one more. */
const combined = (
  found: ReadonlyArray<Result>,
  pipelines: ReadonlyArray<GitLabRuns.Pipeline>
): ReadonlyArray<Check> => {
  const names = [...new Set(found.map(({ name }) => name))]
  const jobs = names.map((name) => {
    const all = found.filter((result) => result.name === name)
    const worst = latest(all).reduce((a, b) => (rank(stateOf(b)) > rank(stateOf(a)) ? b : a))
    return { name, state: stateOf(worst), attempt: all.length, url: worst.target_url }
  })
  const repeated = jobs.reduce((sum, { attempt }) => sum + attempt - 1, 0)
  return [...jobs, ...whole(pipelines, 1 + repeated)]
}

/** The latest attempt in each line. */
const latest = (found: ReadonlyArray<Result>): ReadonlyArray<Result> =>
  found.filter(({ id, line }) => !found.some((each) => each.line === line && each.id > id))

/** The sources of pipelines that are only a part of another one, or of no pipeline at all. */
const partial: ReadonlySet<string> = new Set(["parent_pipeline", "external"])

/** The pipelines as one check. A skipped one says nothing where another one ran. */
const whole = (pipelines: ReadonlyArray<GitLabRuns.Pipeline>, attempt: number): ReadonlyArray<Check> => {
  const all = pipelines.filter(({ source }) => !partial.has(source))
  const ran = all.filter(({ status }) => status !== "skipped")
  const [first, ...rest] = ran.length > 0 ? ran : all
  if (first === undefined) return []
  const worst = rest.reduce((a, b) => (rank(pipelineState(b)) > rank(pipelineState(a)) ? b : a), first)
  return [{ name: pipelineCheck, state: pipelineState(worst), attempt, url: worst.web_url }]
}

const states: Readonly<Record<string, Check["state"]>> = {
  success: "success",
  failed: "failure",
  canceled: "cancelled",
  skipped: "skipped"
}

const pipelineState = ({ status }: GitLabRuns.Pipeline): Check["state"] => states[status] ?? "pending"

/** A job that may fail, or that a person may start, holds nothing up. */
const stateOf = ({ allow_failure: isOptional, status }: Status): Check["state"] => {
  if (isOptional && status === "failed") return "neutral"
  if (isOptional && status === "manual") return "skipped"
  return states[status] ?? "pending"
}

const order: ReadonlyArray<Check["state"]> = ["success", "neutral", "skipped", "cancelled", "failure", "pending"]

/** The worse of two states has the greater rank; what goes on may still pass, and counts before what has failed. */
const rank = (state: Check["state"]): number => order.indexOf(state)

/**
 * Runs the failed jobs behind checks again, in the pipelines that they are in.
 *
 * **Details**
 *
 * Nothing is started twice: a check with a later attempt than the one that is known has been run again. A pipeline runs again when all
 * of its jobs have ended.
 */
export const rerun = Effect.fnUntraced(function* (client: Client, ref: Ref, { attempt, checks, sha }: QueueRerun) {
  const { found, pipelines } = yield* results(client, ref, sha)
  const known = combined(found, pipelines).filter(({ name }) => checks.includes(name))
  if (known.length > 0 && known.every((each) => each.attempt > attempt)) return "started" as const
  const failed = known.filter(({ state }) => state !== "success" && state !== "pending")
  const names = new Set(failed.map(({ name }) => name))
  const behind = pipelines.filter(
    (pipeline) =>
      (names.has(pipelineCheck) && !partial.has(pipeline.source) && red.has(pipeline.status)) ||
      latest(found.filter(({ line, name }) => line === lineOf(pipeline) && names.has(name))).some(isRed)
  )
  const outcomes = yield* Effect.forEach(
    behind,
    (pipeline): Effect.Effect<RerunOutcome, never> | ReturnType<typeof started> => {
      if (pipeline.source === "external") return Effect.succeed("none")
      return GitLabRuns.isActive(pipeline) ? Effect.succeed("running") : started(client, ref, pipeline)
    }
  )
  return outcomes.includes("running") ? "running" : outcomes.includes("started") ? "started" : "none"
})

const started = (client: Client, ref: Ref, pipeline: GitLabRuns.Pipeline) =>
  Effect.as(GitLabRuns.retry(client, ref, pipeline), "started" as const)

const red: ReadonlySet<string> = new Set(["failed", "canceled"])

const isRed = ({ status }: Status): boolean => red.has(status)

/** Cancels the pipelines that checks are in; false when they are in none. */
export const cancel = Effect.fnUntraced(function* (
  client: Client,
  ref: Ref,
  sha: string,
  checks: ReadonlyArray<string>
) {
  const { found } = yield* results(client, ref, sha)
  const ids = new Set(found.flatMap(({ name, pipeline_id: id }) => (checks.includes(name) ? [id] : [])))
  const isWhole = checks.includes(pipelineCheck)
  const meant = yield* GitLabRuns.cancel(client, ref, { sha }, (each) => isWhole || ids.has(each.id))
  return meant.length > 0
})
