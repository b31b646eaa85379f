/**
 * The part of GitLab's REST interface that we use, as JSON Schema.
 *
 * GitLab publishes its description (`doc/api/openapi/openapi_v3.yaml` of its repository, version 19.5, read in November 2026) in no
 * package, and under another licence than ours. So this table states the operations in use in our own form. It was written by hand,
 * from renderings and excerpts of that file, from GitLab's sources, and in parts from knowledge (`docs/decisions/0021-hosting-platforms.md`).
 *
 * The published answers have most members as texts, also numbers, and none as required. So the answers follow the examples of the
 * documentation (https://docs.gitlab.com/api/rest/), reduced to what is read here.
 */
import type { Extracted } from "./Extract.ts"
import type { Json, JsonObject } from "./Json.ts"

const text = { type: "string" }
const whole = { type: "integer" }
const truth = { type: "boolean" }
const time = { type: "string", format: "date-time" }
const any = {}

const oneOf = (...values: ReadonlyArray<string>) => ({ type: "string", enum: [...values] })
const orNull = (schema: JsonObject): JsonObject => ({ anyOf: [schema, { type: "null" }] })
const listOf = (items: Json) => ({ type: "array", items })
const ref = (name: string) => ({ $ref: `#/definitions/${name}` })
const object = (properties: JsonObject): JsonObject => ({
  type: "object",
  properties,
  required: Object.keys(properties)
})

const withOptional = (optional: JsonObject, required: JsonObject): JsonObject => ({
  ...object(required),
  properties: { ...required, ...optional }
})

interface Shape {
  readonly query?: JsonObject
  readonly body?: JsonObject
  readonly required?: ReadonlyArray<string>
  readonly responses: JsonObject
}

const operation = (
  method: string,
  path: string,
  { body, query = {}, required = [], responses }: Shape
): JsonObject => ({
  method,
  path: `/api/v4${path}`,
  parameters: [
    ...[...path.matchAll(/\{(\w+)\}/gu)].map(([, name = ""]) => ({
      in: "path",
      name,
      required: true,
      schema: wholeIds.has(name) ? whole : any
    })),
    ...Object.entries(query).map(([name, schema]) => ({ in: "query", name, required: false, schema }))
  ],
  ...(body === undefined
    ? {}
    : { body: { type: "object", properties: body, required: [...required] }, isBodyRequired: true }),
  responses
})

const wholeIds = new Set(["noteable_id", "note_id", "merge_request_iid", "pipeline_id", "job_id", "user_id"])

const page = { page: whole, per_page: whole }
const project = "/projects/{id}"
const notes = `${project}/merge_requests/{noteable_id}/notes`
const statuses = ["created", "waiting_for_resource", "preparing", "waiting_for_callback", "pending", "running"]
const ended = ["success", "failed", "canceling", "canceled", "skipped", "manual", "scheduled"]
const sources = ["push", "web", "trigger", "schedule", "api", "external", "pipeline", "chat", "webide"]
const otherSources = ["merge_request_event", "external_pull_request_event", "parent_pipeline"]

const operations: JsonObject = {
  getApiV4User: operation("GET", "/user", { responses: { 200: ref("User") } }),
  getApiV4PersonalAccessTokensSelf: operation("GET", "/personal_access_tokens/self", {
    responses: { 200: object({ id: whole, scopes: listOf(text) }) }
  }),
  getApiV4ProjectsId: operation("GET", project, {
    query: { statistics: truth, with_custom_attributes: truth, license: truth },
    responses: { 200: ref("Project") }
  }),
  getApiV4ProjectsIdMembersAllUserId: operation("GET", `${project}/members/all/{user_id}`, {
    responses: { 200: object({ id: whole, username: text, name: text, state: text, access_level: whole }) }
  }),
  getApiV4ProjectsIdHooks: operation("GET", `${project}/hooks`, {
    query: page,
    responses: {
      200: listOf(
        object({
          id: whole,
          url: text,
          push_events: truth,
          merge_requests_events: truth,
          note_events: truth,
          pipeline_events: truth
        })
      )
    }
  }),
  postApiV4ProjectsIdHooks: operation("POST", `${project}/hooks`, {
    body: {
      url: text,
      token: text,
      name: text,
      description: text,
      push_events: truth,
      issues_events: truth,
      confidential_issues_events: truth,
      merge_requests_events: truth,
      tag_push_events: truth,
      note_events: truth,
      confidential_note_events: truth,
      job_events: truth,
      pipeline_events: truth,
      enable_ssl_verification: truth,
      push_events_branch_filter: text
    },
    required: ["url"],
    responses: { 201: object({ id: whole, url: text, merge_requests_events: truth, pipeline_events: truth }) }
  }),
  getApiV4ProjectsIdRepositoryCommitsSha: operation("GET", `${project}/repository/commits/{sha}`, {
    query: { stats: truth },
    responses: { 200: object({ id: text, title: text, parent_ids: listOf(text) }) }
  }),
  getApiV4ProjectsIdRepositoryCommitsShaMergeRequests: operation(
    "GET",
    `${project}/repository/commits/{sha}/merge_requests`,
    { query: { state: text, ...page }, responses: { 200: listOf(ref("MergeRequest")) } }
  ),
  getApiV4ProjectsIdRepositoryCommitsShaStatuses: operation("GET", `${project}/repository/commits/{sha}/statuses`, {
    query: {
      ref: text,
      stage: text,
      name: text,
      pipeline_id: whole,
      all: truth,
      order_by: oneOf("id", "pipeline_id"),
      sort: oneOf("asc", "desc"),
      ...page
    },
    responses: { 200: listOf(ref("Status")) }
  }),
  postApiV4ProjectsIdStatusesSha: operation("POST", `${project}/statuses/{sha}`, {
    body: {
      state: oneOf("pending", "running", "success", "failed", "canceled", "skipped"),
      ref: text,
      target_url: text,
      description: text,
      name: text,
      context: text,
      coverage: { type: "number" },
      pipeline_id: whole
    },
    required: ["state"],
    responses: { 201: ref("Status") }
  }),
  getApiV4ProjectsIdRepositoryFilesFilePathRaw: operation("GET", `${project}/repository/files/{file_path}/raw`, {
    query: { ref: text, lfs: truth },
    responses: { 200: null }
  }),
  getApiV4ProjectsIdMergeRequests: operation("GET", `${project}/merge_requests`, {
    query: {
      state: oneOf("opened", "closed", "locked", "merged", "all"),
      order_by: text,
      sort: oneOf("asc", "desc"),
      source_branch: text,
      source_project_id: whole,
      target_branch: text,
      ...page
    },
    responses: { 200: listOf(ref("MergeRequest")) }
  }),
  getApiV4ProjectsIdMergeRequestsMergeRequestIid: operation("GET", `${project}/merge_requests/{merge_request_iid}`, {
    query: { render_html: truth, include_diverged_commits_count: truth, include_rebase_in_progress: truth },
    responses: { 200: ref("MergeRequest") }
  }),
  getApiV4ProjectsIdMergeRequestsMergeRequestIidPipelines: operation(
    "GET",
    `${project}/merge_requests/{merge_request_iid}/pipelines`,
    { query: page, responses: { 200: listOf(ref("ListedPipeline")) } }
  ),
  getApiV4ProjectsIdMergeRequestsNoteableIdNotes: operation("GET", notes, {
    query: {
      order_by: oneOf("created_at", "updated_at"),
      sort: oneOf("asc", "desc"),
      activity_filter: oneOf("all_notes", "only_comments", "only_activity"),
      ...page
    },
    responses: { 200: listOf(ref("Note")) }
  }),
  postApiV4ProjectsIdMergeRequestsNoteableIdNotes: operation("POST", notes, {
    body: { body: text, confidential: truth, internal: truth, created_at: text, merge_request_diff_head_sha: text },
    required: ["body"],
    responses: { 201: ref("Note") }
  }),
  putApiV4ProjectsIdMergeRequestsNoteableIdNotesNoteId: operation("PUT", `${notes}/{note_id}`, {
    body: { body: text, confidential: truth },
    responses: { 200: ref("Note") }
  }),
  deleteApiV4ProjectsIdMergeRequestsNoteableIdNotesNoteId: operation("DELETE", `${notes}/{note_id}`, {
    responses: { 204: null }
  }),
  getApiV4ProjectsIdPipelines: operation("GET", `${project}/pipelines`, {
    query: {
      scope: oneOf("running", "pending", "finished", "branches", "tags"),
      status: oneOf(...statuses, ...ended),
      ref: text,
      sha: text,
      yaml_errors: truth,
      username: text,
      updated_before: time,
      updated_after: time,
      created_before: time,
      created_after: time,
      order_by: oneOf("id", "status", "ref", "updated_at", "user_id"),
      sort: oneOf("asc", "desc"),
      source: oneOf(...sources, ...otherSources),
      name: text,
      ...page
    },
    responses: { 200: listOf(ref("ListedPipeline")) }
  }),
  getApiV4ProjectsIdPipelinesPipelineId: operation("GET", `${project}/pipelines/{pipeline_id}`, {
    responses: { 200: ref("Pipeline") }
  }),
  getApiV4ProjectsIdPipelinesPipelineIdJobs: operation("GET", `${project}/pipelines/{pipeline_id}/jobs`, {
    query: { include_retried: truth, ...page },
    responses: { 200: listOf(ref("Job")) }
  }),
  getApiV4ProjectsIdPipelinesPipelineIdBridges: operation("GET", `${project}/pipelines/{pipeline_id}/bridges`, {
    query: page,
    responses: { 200: listOf(object({ id: whole, name: text, stage: text, status: text, ref: text })) }
  }),
  postApiV4ProjectsIdPipelinesPipelineIdRetry: operation("POST", `${project}/pipelines/{pipeline_id}/retry`, {
    responses: { 201: ref("Pipeline") }
  }),
  getApiV4ProjectsIdJobsJobIdArtifacts: operation("GET", `${project}/jobs/{job_id}/artifacts`, {
    query: { job_token: text },
    responses: { 200: null, 302: null }
  })
}

const listedPipeline = {
  id: whole,
  iid: whole,
  project_id: whole,
  sha: text,
  ref: text,
  status: oneOf(...statuses, ...ended),
  source: text,
  created_at: time,
  updated_at: time,
  web_url: text
}

const definitions: JsonObject = {
  User: object({ id: whole, username: text, name: text, state: text, web_url: text }),
  Project: object({
    id: whole,
    path: text,
    path_with_namespace: text,
    default_branch: orNull(text),
    visibility: oneOf("private", "internal", "public"),
    repository_access_level: oneOf("disabled", "private", "enabled"),
    permissions: orNull(object({ project_access: orNull(ref("Access")), group_access: orNull(ref("Access")) }))
  }),
  Access: object({ access_level: whole, notification_level: whole }),
  MergeRequest: object({
    id: whole,
    iid: whole,
    project_id: whole,
    title: text,
    state: oneOf("opened", "closed", "locked", "merged"),
    merged_at: orNull(time),
    source_branch: text,
    target_branch: text,
    source_project_id: orNull(whole),
    target_project_id: whole,
    author: ref("User"),
    sha: orNull(text),
    merge_commit_sha: orNull(text),
    squash_commit_sha: orNull(text),
    web_url: text
  }),
  Status: object({
    id: whole,
    sha: text,
    ref: text,
    status: text,
    name: text,
    target_url: orNull(text),
    description: orNull(text),
    created_at: time,
    started_at: orNull(time),
    finished_at: orNull(time),
    allow_failure: truth,
    pipeline_id: whole,
    author: ref("User")
  }),
  Note: object({
    id: whole,
    type: orNull(text),
    body: text,
    author: ref("User"),
    created_at: time,
    updated_at: time,
    system: truth,
    noteable_id: whole,
    noteable_type: text,
    noteable_iid: whole,
    resolvable: truth,
    internal: truth
  }),
  ListedPipeline: object(listedPipeline),
  Pipeline: object({ ...listedPipeline, name: orNull(text), before_sha: text, tag: truth, user: ref("User") }),
  Job: withOptional(
    { artifacts_file: object({ filename: text, size: whole }) },
    {
      id: whole,
      name: text,
      stage: text,
      status: text,
      ref: text,
      created_at: time,
      started_at: orNull(time),
      finished_at: orNull(time),
      web_url: text,
      artifacts: listOf(object({ file_type: text, size: whole, filename: text, file_format: orNull(text) })),
      artifacts_expire_at: orNull(time)
    }
  )
}

/** The operations that the adapter of GitLab uses. */
export const extracted: Extracted = { operations, definitions }
