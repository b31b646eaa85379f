/** The pipelines of GitLab CI, and the archives that their jobs keep. */
import type { Repository, UploadOrigin } from "@lazaret/domain"
import type { RunArtifact, WorkflowRun, WorkflowRuns } from "@lazaret/services"
import { Clock, Duration, Effect, Schema, Stream } from "effect"
import * as GitLabClient from "./GitLabClient.ts"
import * as GitLabSources from "./GitLabSources.ts"

type Client = GitLabClient.GitLabClient
type Ref = Repository.RepositoryRef

/** How long the download of one archive may take. */
const longestDownload = Duration.minutes(2)

const Instant = Schema.String.pipe(Schema.decodeTo(Schema.DateFromString))

const Pipeline = Schema.Struct({
  id: Schema.Int,
  sha: Schema.String,
  ref: Schema.String,
  tag: Schema.Boolean,
  status: Schema.String,
  source: Schema.String,
  name: Schema.optionalKey(Schema.NullOr(Schema.String)),
  web_url: Schema.String,
  created_at: Instant,
  user: Schema.optionalKey(Schema.NullOr(Schema.Struct({ username: Schema.String })))
})

const Listed = Schema.Array(Schema.Struct({ id: Schema.Int }))

const MergeRequest = Schema.Struct({
  source_branch: Schema.String,
  target_branch: Schema.String,
  ...GitLabSources.fields,
  author: Schema.NullOr(Schema.Struct({ username: Schema.String }))
})

const Commit = Schema.Struct({ parent_ids: Schema.Array(Schema.String) })

const Job = Schema.Struct({
  id: Schema.Int,
  name: Schema.String,
  created_at: Instant,
  finished_at: Schema.NullOr(Instant),
  artifacts_expire_at: Schema.optionalKey(Schema.NullOr(Instant)),
  artifacts_file: Schema.optionalKey(Schema.NullOr(Schema.Struct({ size: Schema.NullOr(Schema.Int) }))),
  artifacts: Schema.optionalKey(Schema.Array(Schema.Struct({ file_type: Schema.String })))
})

/** The pipelines at a connection. */
export const make = (client: Client): WorkflowRuns => ({
  get: (ref, id) => Effect.flatMap(pipelineAt(client, ref, id), (pipeline) => runOf(client, ref, pipeline)),

  latest: (ref, { page, perPage }) =>
    Effect.gen(function* () {
      const query = { order_by: "id", sort: "desc", per_page: perPage, page }
      const { body, next } = yield* client.ask("runs", ref, { path: "/pipelines", query }, Listed)
      // The list does not say whether a ref is a tag, nor who started the pipeline.
      const runs = yield* Effect.forEach(body, ({ id }) =>
        Effect.flatMap(pipelineAt(client, ref, String(id)), (pipeline) => runOf(client, ref, pipeline))
      )
      return { runs: runs.filter((run) => run !== null), isLast: next === null }
    }),

  artifacts: (ref, runId) =>
    Effect.gen(function* () {
      const query = { include_retried: "true", per_page: 100 }
      const jobs = yield* GitLabClient.pages((page) =>
        client.ask("artifacts", ref, { path: `/pipelines/${runId}/jobs`, query: { ...query, page } }, Schema.Array(Job))
      )
      return artifactsOf(jobs, yield* Clock.currentTimeMillis).slice(0, 100)
    }),

  download: (ref, artifactId) =>
    client.open("download", ref, `/jobs/${artifactId}/artifacts`).pipe(
      Effect.mapError((error) =>
        error.status === 404
          ? GitLabClient.forgeError("download", ref, { reason: "refused", message: noArchive })
          : error
      ),
      Effect.map(({ stream }) =>
        stream.pipe(
          Stream.timeout(longestDownload),
          Stream.mapError(() =>
            GitLabClient.forgeError("download", ref, {
              reason: "unavailable",
              message: "the archive did not arrive whole"
            })
          )
        )
      )
    )
})

const noArchive = "GitLab keeps no archive of the job: list the reports in `artifacts: paths`, too"

const pipelineAt = (client: Client, ref: Ref, id: string) =>
  Effect.map(client.ask("run", ref, { path: `/pipelines/${encodeURIComponent(id)}` }, Pipeline), ({ body }) => body)

/** A pipeline that waits for somebody (`manual`) has run its tests; what it runs later is read then. */
const completed: ReadonlySet<string> = new Set(["success", "failed", "canceled", "skipped", "manual"])

/** The run of a pipeline; null while it is not completed. */
const runOf = Effect.fnUntraced(function* (client: Client, ref: Ref, pipeline: typeof Pipeline.Type) {
  if (!completed.has(pipeline.status)) return null
  const { code, commit } = yield* provenBy(client, ref, pipeline)
  const createdAt = pipeline.created_at.getTime()
  return {
    id: String(pipeline.id),
    workflow: pipeline.name || "GitLab CI",
    origin: {
      repository: ref,
      subject: `GitLab pipeline ${pipeline.id} of ${ref.owner}/${ref.repository}`,
      runId: String(pipeline.id),
      runAttempt: null,
      code
    },
    attempt: 1,
    commit,
    url: pipeline.web_url,
    createdAt,
    attemptStartedAt: createdAt
  } satisfies WorkflowRun
})

interface Proven {
  readonly code: UploadOrigin.Code
  readonly commit: string
}

/**
 * The origin of the code that a pipeline tests, and the commit that its authors know.
 *
 * **Details**
 *
 * The ref of a pipeline of a merge request, or of a child of one, names the merge request, which names the project of its
 * source. Its pipeline may run a merge of source and target, whose second parent is the head of the source.
 */
const provenBy = Effect.fnUntraced(function* (client: Client, ref: Ref, pipeline: typeof Pipeline.Type) {
  const { sha, source, tag, user } = pipeline
  const [, number, kind] = /^refs\/merge-requests\/(\d+)\/(\w+)$/u.exec(pipeline.ref) ?? []
  if (number === undefined) {
    const branch = tag ? `refs/tags/${pipeline.ref}` : pipeline.ref
    const code: UploadOrigin.Code =
      source === "external_pull_request_event"
        ? { _tag: "unproven", head: branch, base: null, actor: user?.username ?? "unknown" }
        : { _tag: "ref", branch, commit: sha }
    return { code, commit: sha } satisfies Proven
  }
  const { body } = yield* client.ask("run", ref, { path: `/merge_requests/${number}` }, MergeRequest)
  const commit = kind === "head" ? sha : yield* headOf(client, ref, sha)
  const { author, source_branch: head, target_branch: base } = body
  const from = yield* GitLabSources.of(client, ref, body)
  const code: UploadOrigin.Code =
    from?.isFork === false
      ? { _tag: "pull", head, base }
      : { _tag: "unproven", head, base, actor: from?.owner ?? author?.username ?? "unknown" }
  return { code, commit } satisfies Proven
})

/** The head of the source whose merge a commit is: its second parent, else the commit itself. */
export const headOf = (client: Client, ref: Ref, merge: string) =>
  Effect.map(
    client.ask("run", ref, { path: `/repository/commits/${encodeURIComponent(merge)}` }, Commit),
    ({ body }) => body.parent_ids[1] ?? merge
  )

/** The archives of the jobs; a job that was retried is as many attempts of one job. */
const artifactsOf = (jobs: ReadonlyArray<typeof Job.Type>, now: number): ReadonlyArray<RunArtifact> => {
  const attempts = new Map<string, number>()
  return jobs
    .toSorted((a, b) => a.id - b.id)
    .flatMap((job) => {
      const attempt = (attempts.get(job.name) ?? 0) + 1
      attempts.set(job.name, attempt)
      const isReport = job.artifacts?.some(({ file_type: type }) => type === "junit") ?? false
      const isExpired = (job.artifacts_expire_at?.getTime() ?? Number.POSITIVE_INFINITY) <= now
      if (isExpired || (!isReport && (job.artifacts_file ?? null) === null)) return []
      return [
        {
          id: String(job.id),
          key: `gitlab-artifact:${job.id}`,
          // The jobs of `parallel: 3` are one job in three parts.
          name: job.name.replace(/ \d+\/\d+$/u, ""),
          size: job.artifacts_file?.size ?? 0,
          createdAt: (job.finished_at ?? job.created_at).getTime(),
          attempt,
          isReport
        }
      ]
    })
}
