/** Pipelines, their jobs, and the archives of those. */
import type { JsonObject } from "../Json.ts"
import { refusal } from "../operations/Operation.ts"
import * as Lab from "./Lab.ts"
import { missing, onProject, type Operations, paged, userJson } from "./Operation.ts"

const listedJson = (project: Lab.Project, each: Lab.Pipeline): JsonObject => ({
  id: each.id,
  iid: each.id,
  project_id: project.id,
  sha: each.sha,
  ref: each.ref,
  status: each.status,
  source: each.source,
  created_at: each.createdAt,
  updated_at: each.createdAt,
  web_url: `https://gitlab.test/${project.path}/-/pipelines/${each.id}`
})

const pipelineJson = (project: Lab.Project, each: Lab.Pipeline): JsonObject => ({
  ...listedJson(project, each),
  name: each.name,
  tag: each.isTag,
  user: userJson(each.user)
})

const jobJson = (job: Lab.Job, { createdAt, ref }: Lab.Pipeline): JsonObject => ({
  id: job.id,
  name: job.name,
  stage: "test",
  status: "success",
  ref,
  created_at: createdAt,
  finished_at: job.finishedAt,
  artifacts_expire_at: job.expiresAt,
  ...(job.archive === null ? {} : { artifacts_file: { filename: "artifacts.zip", size: job.archive.length } }),
  artifacts: job.hasReport ? [{ file_type: "junit", size: 750, filename: "junit.xml.gz", file_format: "gzip" }] : []
})

const pipelineAt = ({ pipelines }: Lab.Project, path: Readonly<Record<string, string>>): Lab.Pipeline | undefined =>
  pipelines.find(({ id }) => id === Number(path["pipeline_id"]))

/** The operations. */
export const operations: Operations = {
  getApiV4ProjectsIdPipelines: onProject(Lab.roles.reporter, (project, call) => {
    const [sha, status, ref] = [call.query.get("sha"), call.query.get("status"), call.query.get("ref")]
    const found = project.pipelines
      .filter(
        (each) =>
          (sha === null || each.sha === sha) &&
          (status === null || each.status === status) &&
          (ref === null || each.ref === ref)
      )
      .toSorted((a, b) => b.id - a.id)
    const { headers, items } = paged(call, found)
    return { status: 200, headers, members: items.map((each) => listedJson(project, each)) }
  }),

  getApiV4ProjectsIdMergeRequestsMergeRequestIidPipelines: onProject(Lab.roles.reporter, (project, call) => {
    const found = project.mergeRequests.find(({ iid }) => iid === Number(call.path["merge_request_iid"]))
    if (found === undefined) return missing("Merge request")
    const { headers, items } = paged(call, Lab.pipelinesOf(project, found))
    return { status: 200, headers, members: items.map((each) => listedJson(project, each)) }
  }),

  getApiV4ProjectsIdPipelinesPipelineId: onProject(Lab.roles.reporter, (project, { path }) => {
    const found = pipelineAt(project, path)
    return found === undefined ? missing("Pipeline") : { status: 200, members: pipelineJson(project, found) }
  }),

  getApiV4ProjectsIdPipelinesPipelineIdJobs: onProject(Lab.roles.reporter, (project, call) => {
    const found = pipelineAt(project, call.path)
    if (found === undefined) return missing("Pipeline")
    const own = found.jobs.filter(({ isBridge }) => !isBridge)
    const isLatest = ({ id, name }: Lab.Job) => !own.some((each) => each.name === name && each.id > id)
    const jobs = call.query.get("include_retried") === "true" ? own : own.filter(isLatest)
    const { headers, items } = paged(call, jobs.toReversed())
    return { status: 200, headers, members: items.map((job) => jobJson(job, found)) }
  }),

  getApiV4ProjectsIdPipelinesPipelineIdBridges: onProject(Lab.roles.reporter, (project, call) => {
    const found = pipelineAt(project, call.path)
    if (found === undefined) return missing("Pipeline")
    const { headers, items } = paged(
      call,
      found.jobs.filter(({ isBridge }) => isBridge)
    )
    return { status: 200, headers, members: items.map((job) => jobJson(job, found)) }
  }),

  postApiV4ProjectsIdPipelinesPipelineIdRetry: onProject(Lab.roles.developer, (project, call) => {
    const { path, token } = call
    const found = pipelineAt(project, path)
    if (found === undefined) return missing("Pipeline")
    if (!Lab.mayUpdate(project, found.ref, token)) return refusal(403, "403 Forbidden")
    Object.assign(found, { status: "running", retries: found.retries + 1 })
    Lab.retry(call.lab, project, found)
    return { status: 201, members: pipelineJson(project, found) }
  }),

  postApiV4ProjectsIdPipelinesPipelineIdCancel: onProject(Lab.roles.developer, (project, { path, token }) => {
    const found = pipelineAt(project, path)
    if (found === undefined) return missing("Pipeline")
    if (!Lab.mayUpdate(project, found.ref, token)) return refusal(403, "403 Forbidden")
    if (found.status === "running" || found.status === "pending") {
      found.status = "canceling"
      project.later.push({ requests: 6, run: () => void (found.status = "canceled") })
    }
    return { status: 200, members: pipelineJson(project, found) }
  }),

  // The content lies in a store of objects, behind a redirect.
  getApiV4ProjectsIdJobsJobIdArtifacts: onProject(Lab.roles.reporter, (project, { origin, path }) => {
    const job = project.pipelines.flatMap(({ jobs }) => jobs).find(({ id }) => id === Number(path["job_id"]))
    if (job === undefined || job.archive === null) return missing("")
    return { status: 302, headers: { location: `${origin}/store/${job.id}.zip` } }
  })
}
