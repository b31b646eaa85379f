/** The verdict on a commit as a commit status: a job of a pipeline that exists. */
import type { Repository } from "@lazaret/domain"
import type { CommitReport, ForgeError } from "@lazaret/services"
import { Effect, Schema } from "effect"
import type * as GitLabClient from "./GitLabClient.ts"

type Client = GitLabClient.GitLabClient
type Ref = Repository.RepositoryRef

/** The most characters of the description of a commit status, and of its address. */
const mostCharacters = 255

const Statuses = Schema.Array(
  Schema.Struct({
    id: Schema.Int,
    name: Schema.String,
    status: Schema.String,
    description: Schema.NullOr(Schema.String)
  })
)

/**
 * Publishes a commit status, when the latest one with its name says something else.
 *
 * **Details**
 *
 * - A status is a job of the pipeline that it names. Without a pipeline of exactly this commit nothing is published: GitLab would create
 *   one of source `external`, which becomes the latest of the merge request, and may unlock one whose own pipeline is red. That holds
 *   with merged results pipelines and merge trains, which have the commit of a merge.
 * - A running status keeps the pipeline running: merges that wait for it would wait for jobs that never report. So a report without a
 *   conclusion publishes nothing. Each conclusion is a new status, which replaces the earlier one with its name.
 * - A refusal (403) is logged as a warning, and `publish` succeeds, so that the note is still written.
 */
export const publish = (client: Client, ref: Ref, report: CommitReport): Effect.Effect<void, ForgeError> =>
  Effect.catchIf(
    published(client, ref, report),
    ({ status }) => status === 403,
    ({ message }) => Effect.logWarning(refused(ref, report.commit, message))
  )

const published = Effect.fnUntraced(function* (client: Client, ref: Ref, report: CommitReport) {
  const { commit, conclusion, name, title, url } = report
  if (conclusion === null) return
  const pipeline = yield* pipelineOf(client, ref, commit)
  if (pipeline === null) return yield* Effect.logDebug(noPipeline, commit)
  const state = conclusion === "failure" ? "failed" : "success"
  const characters = Array.from(title)
  const description =
    characters.length > mostCharacters ? `${characters.slice(0, mostCharacters - 1).join("")}…` : title
  const query = { name, pipeline_id: pipeline, per_page: 100 }
  const path = `/repository/commits/${encodeURIComponent(commit)}/statuses`
  const { body } = yield* client.ask("publish", ref, { path, query }, Statuses)
  const latest = body.filter((each) => each.name === name).reduce<Status | null>(newer, null)
  if (latest?.status === state && latest.description === description) return
  const address = url === null || url.length > mostCharacters ? {} : { target_url: url }
  yield* client
    .write("publish", ref, {
      method: "POST",
      path: `/statuses/${encodeURIComponent(commit)}`,
      body: { name, state, description, pipeline_id: pipeline, ...address }
    })
    .pipe(
      // The pipeline was archived or deleted (404), or has the maximum number of jobs (422).
      Effect.catchIf(
        ({ status }) => status === 404 || status === 422,
        () => Effect.logDebug(noPipeline, commit)
      )
    )
})

const noPipeline = "No status was published: the commit has no pipeline that takes it"

const refused = ({ owner, repository }: Ref, commit: string, message: string): string =>
  `GitLab refused the status of ${commit} in ${owner}/${repository} (${message}). Give the token the role Developer, or ` +
  "Maintainer for protected refs, or set LAZARET_GITLAB_STATUS=off to write notes only"

type Status = (typeof Statuses.Type)[number]

const newer = (a: Status | null, b: Status): Status => (a === null || b.id > a.id ? b : a)

// --- the pipeline ------------------------------------------------------------------------------------------------

const Pipelines = Schema.Array(Schema.Struct({ id: Schema.Int, source: Schema.String, status: Schema.String }))

/** The sources of pipelines that people see on a merge request or a branch, the first ones before others. */
const sources = ["merge_request_event", "push", "external"]

/**
 * The pipeline that takes the status: the newest of exactly this commit, of the first source that has one. Null without one.
 *
 * **Details**
 *
 * A pipeline of a schedule takes it only if there is no other. A status alone makes a pipeline green, so a red pipeline without jobs,
 * as after an error in its configuration, takes none, nor does one that was skipped.
 */
const pipelineOf = Effect.fnUntraced(function* (client: Client, ref: Ref, commit: string) {
  const query = { sha: commit, order_by: "id", sort: "desc", per_page: 100 }
  const { body } = yield* client.ask("publish", ref, { path: "/pipelines", query }, Pipelines)
  const [first] = body.toSorted((a, b) => rank(a.source) - rank(b.source))
  if (first === undefined || first.status === "skipped") return null
  const isSafe = first.source === "external" || !red.has(first.status) || (yield* hasJobs(client, ref, first.id))
  return isSafe ? first.id : null
})

const red: ReadonlySet<string> = new Set(["failed", "canceled"])

const rank = (source: string): number => {
  const index = sources.indexOf(source)
  return index === -1 ? sources.length + Number(source === "schedule") : index
}

/** Jobs that start other pipelines (`trigger`) are listed apart. */
const hasJobs = Effect.fnUntraced(function* (client: Client, ref: Ref, pipeline: number) {
  for (const list of ["jobs", "bridges"]) {
    const path = `/pipelines/${pipeline}/${list}`
    const { body } = yield* client.ask("publish", ref, { path, query: { per_page: 1 } }, Jobs)
    if (body.length > 0) return true
  }
  return false
})

const Jobs = Schema.Array(Schema.Struct({ id: Schema.Int }))
