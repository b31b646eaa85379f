/** Runs of workflows and their artifacts. */
import type * as Hub from "../Hub.ts"
import * as Workflows from "../Workflows.ts"
import type { JsonObject } from "../Json.ts"
import { type Call, notFound, onRepository, type Operations, paged, refusal, type Reply } from "./Operation.ts"
import { repositoryJson } from "./Repositories.ts"

const read = { permission: "actions", access: "read" } as const
const write = { permission: "actions", access: "write" } as const

/** A run, as the platform shows it. */
const runJson = (repository: Hub.Repository, run: Hub.WorkflowRun): JsonObject => ({
  id: run.id,
  name: run.name,
  workflow_id: idOf(run.name),
  check_suite_id: run.suiteId,
  head_sha: run.headSha,
  head_branch: run.headBranch,
  status: run.status,
  conclusion: run.conclusion,
  run_attempt: run.attempt,
  event: run.event ?? "pull_request",
  html_url: `https://github.test/${repository.owner}/${repository.name}/actions/runs/${run.id}`,
  created_at: run.createdAt ?? "2026-01-01T00:00:00Z",
  run_started_at: run.startedAt ?? run.createdAt ?? "2026-01-01T00:00:00Z",
  repository: repositoryJson(repository),
  head_repository: repositoryJson(run.fork === undefined ? repository : { ...repository, owner: run.fork }),
  pull_requests: []
})

const runOf = ({ runs }: Hub.Repository, path: Readonly<Record<string, string>>): Hub.WorkflowRun | undefined =>
  runs.find(({ id }) => id === Number(path["run_id"]))

/** Workflows of one name are one workflow. */
const idOf = (name: string): number => [...name].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 100_000, 7)

const again = (repository: Hub.Repository, { hub, path }: Call, jobs: "failed" | "all"): Reply => {
  const run = runOf(repository, path)
  if (run === undefined) return notFound
  const refused = Workflows.rerun(hub, repository, run, jobs)
  return refused === null ? { status: 201, members: {} } : refusal(403, refused)
}

/** The operations. */
export const operations: Operations = {
  "actions/list-workflow-runs-for-repo": onRepository(read, (repository, call) => {
    const sha = call.query.get("head_sha")
    const status = call.query.get("status")
    const found = repository.runs
      .filter((run) => sha === null || run.headSha === sha)
      .filter((run) => status === null || run.status === status || run.conclusion === status)
      .sort((a, b) => (b.createdAt ?? "").localeCompare(a.createdAt ?? "") || b.id - a.id)
    const { headers, items } = paged(call, found, `/repos/${repository.owner}/${repository.name}/actions/runs`)
    const runs = items.map((run) => runJson(repository, run))
    return { status: 200, headers, members: { total_count: found.length, workflow_runs: runs } }
  }),

  "actions/get-workflow-run": onRepository(read, (repository, { path }) => {
    const run = runOf(repository, path)
    return run === undefined ? notFound : { status: 200, members: runJson(repository, run) }
  }),

  "actions/re-run-workflow-failed-jobs": onRepository(write, (repository, call) => again(repository, call, "failed")),

  "actions/re-run-workflow": onRepository(write, (repository, call) => again(repository, call, "all")),

  "actions/cancel-workflow-run": onRepository(write, (repository, { path }) => {
    const run = runOf(repository, path)
    if (run === undefined) return notFound
    if (run.status === "completed") return refusal(409, "Cannot cancel a workflow run that is completed.")
    run.isCancelling = true
    return { status: 202, members: {} }
  }),

  "actions/list-workflow-run-artifacts": onRepository(read, (repository, call) => {
    const run = runOf(repository, call.path)
    if (run === undefined) return notFound
    const address = `/repos/${repository.owner}/${repository.name}/actions/runs/${run.id}/artifacts`
    const { headers, items } = paged(call, run.artifacts, address)
    const artifacts = items.map(({ createdAt, id, name, zip }) => ({
      id,
      name,
      size_in_bytes: zip.length,
      expired: false,
      created_at: createdAt ?? run.createdAt ?? "2026-01-01T00:00:00Z"
    }))
    return { status: 200, headers, members: { total_count: run.artifacts.length, artifacts } }
  }),

  "actions/download-artifact": onRepository(read, (repository, { origin, path }) => {
    const artifact = repository.runs
      .flatMap((run) => run.artifacts)
      .find(({ id }) => id === Number(path["artifact_id"]))
    if (artifact === undefined) return notFound
    return { status: 302, headers: { location: `${origin}/artifacts/${artifact.id}.zip` } }
  })
}
