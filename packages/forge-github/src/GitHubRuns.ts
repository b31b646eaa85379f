/** The runs of GitHub Actions and their artifacts. */
import type { Repository, UploadOrigin } from "@lazaret/domain"
import { ForgeError, type RunArtifact, type WorkflowRun, type WorkflowRuns } from "@lazaret/services"
import { Duration, Effect, Schema, Stream } from "effect"
import type * as GitHubClient from "./GitHubClient.ts"
import * as OwnEvents from "./OwnEvents.ts"

type Ref = Repository.RepositoryRef

/** How long the download of one artifact may take. */
const longestDownload = Duration.minutes(2)

const Instant = Schema.String.pipe(Schema.decodeTo(Schema.DateFromString))

const Named = Schema.Struct({ name: Schema.String, owner: Schema.Struct({ login: Schema.String }) })

const Run = Schema.Struct({
  id: Schema.Int,
  name: Schema.optionalKey(Schema.NullOr(Schema.String)),
  event: Schema.String,
  status: Schema.NullOr(Schema.String),
  head_sha: Schema.String,
  head_branch: Schema.NullOr(Schema.String),
  run_attempt: Schema.optionalKey(Schema.Int),
  html_url: Schema.String,
  created_at: Instant,
  run_started_at: Schema.optionalKey(Instant),
  repository: Schema.Struct({ ...Named.fields, default_branch: Schema.optionalKey(Schema.String) }),
  head_repository: Schema.NullOr(Named),
  actor: Schema.optionalKey(Schema.NullOr(Schema.Struct({ login: Schema.String }))),
  pull_requests: Schema.optionalKey(
    Schema.NullOr(Schema.Array(Schema.Struct({ base: Schema.Struct({ ref: Schema.String }) })))
  )
})

const decode = Schema.decodeUnknownEffect(Run)

/** The runs at a connection. */
export const make = (client: GitHubClient.GitHubClient): WorkflowRuns => ({
  get: (ref, id) =>
    client
      .ask("run", ref, (kit, options) =>
        kit.request("GET /repos/{owner}/{repo}/actions/runs/{run_id}", {
          ...named(ref),
          run_id: Number(id),
          ...options
        })
      )
      .pipe(
        Effect.flatMap(({ data }) => runOf(ref, data)),
        Effect.map((run) => (run.status === "completed" ? of(run) : null))
      ),

  // Without a filter: GitHub ends filtered lists after 1,000 runs.
  latest: (ref, { page, perPage }) =>
    client
      .ask("runs", ref, (kit, options) =>
        kit.request("GET /repos/{owner}/{repo}/actions/runs", { ...named(ref), per_page: perPage, page, ...options })
      )
      .pipe(
        Effect.flatMap(({ data }) => Effect.forEach(data.workflow_runs, (run) => runOf(ref, run))),
        Effect.map((runs) => ({
          runs: runs.filter(({ status }) => status === "completed").map(of),
          isLast: runs.length < perPage
        }))
      ),

  artifacts: (ref, runId) =>
    client
      .ask("artifacts", ref, (kit, options) =>
        kit.request("GET /repos/{owner}/{repo}/actions/runs/{run_id}/artifacts", {
          ...named(ref),
          run_id: Number(runId),
          per_page: 100,
          ...options
        })
      )
      .pipe(
        Effect.map(({ data }) =>
          data.artifacts
            .filter(({ expired }) => !expired)
            .map(({ created_at, id, name, size_in_bytes: size }): RunArtifact => ({
              id: String(id),
              key: `github-artifact:${id}`,
              name,
              size,
              createdAt: Date.parse(created_at ?? "") || 0,
              isReport: false
            }))
        )
      ),

  download: (ref, artifactId) =>
    client
      .ask("download", ref, (kit, { request }) =>
        kit.request("GET /repos/{owner}/{repo}/actions/artifacts/{artifact_id}/{archive_format}", {
          ...named(ref),
          artifact_id: Number(artifactId),
          archive_format: "zip",
          request: { ...request, redirect: "manual" }
        })
      )
      .pipe(
        Effect.flatMap(({ headers }) => {
          const address = (headers as { readonly location?: string }).location
          return address === undefined ? Effect.fail(error(ref, "no address of the artifact")) : content(ref, address)
        })
      )
})

const named = ({ owner, repository }: Ref) => ({ owner, repo: repository })

const error = ({ owner, repository }: Ref, message: string): ForgeError =>
  new ForgeError({ operation: "download", owner, repository, reason: "unavailable", retryAt: null, message })

const runOf = (ref: Ref, data: unknown) =>
  Effect.mapError(decode(data), () => error(ref, "the platform describes a run in an unknown way"))

/** The content lies at a signed address of a store, which gets no credentials. */
const content = (ref: Ref, address: string) =>
  Effect.tryPromise({
    try: (signal) => fetch(address, { signal: AbortSignal.any([signal, AbortSignal.timeout(milliseconds)]) }),
    catch: () => error(ref, "the store of the artifact does not answer")
  }).pipe(
    Effect.flatMap(({ body, ok, status }) =>
      ok && body !== null
        ? Effect.succeed(
            Stream.fromReadableStream({
              evaluate: () => body,
              onError: () => error(ref, "the artifact did not arrive whole")
            })
          )
        : Effect.fail(error(ref, `the store of the artifact answers ${status}`))
    )
  )

const milliseconds = Duration.toMillis(longestDownload)

const of = (run: typeof Run.Type): WorkflowRun => {
  const { name, owner } = run.repository
  const attempt = run.run_attempt ?? 1
  return {
    id: String(run.id),
    workflow: run.name || "GitHub Actions",
    origin: {
      repository: { owner: owner.login, repository: name },
      subject: `GitHub Actions run ${run.id} of ${owner.login}/${name}`,
      runId: String(run.id),
      runAttempt: null,
      code: codeOf(run)
    },
    attempt,
    commit: run.head_sha,
    url: run.html_url,
    createdAt: run.created_at.getTime(),
    attemptStartedAt: (run.run_started_at ?? run.created_at).getTime()
  }
}

/** The platform names the repository of the head: unlike a token, a run proves whether it is a fork's. */
const codeOf = (run: typeof Run.Type): UploadOrigin.Code => {
  const { actor, event, head_branch: branch, head_repository: head, pull_requests: pulls, repository } = run
  const isOwn = head !== null && `${head.owner.login}/${head.name}` === `${repository.owner.login}/${repository.name}`
  const base = pulls?.[0]?.base.ref ?? repository.default_branch ?? "main"
  if (isOwn && OwnEvents.has(event) && branch !== null) return { _tag: "ref", branch, commit: run.head_sha }
  if (isOwn && event === "pull_request" && branch !== null) return { _tag: "pull", head: branch, base }
  return { _tag: "unproven", head: branch, base, actor: head?.owner.login ?? actor?.login ?? "unknown" }
}
