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
import {
  any,
  definitions,
  ended,
  listOf,
  object,
  oneOf,
  otherSources,
  ref,
  sources,
  statuses,
  text,
  time,
  truth,
  whole
} from "./GitLabShapes.ts"
import type { JsonObject } from "./Json.ts"

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
const operations: JsonObject = {
  getApiV4User: operation("GET", "/user", { responses: { 200: ref("User") } }),
  getApiV4Users: operation("GET", "/users", {
    query: { username: text, ...page },
    responses: { 200: listOf(ref("User")) }
  }),
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
  getApiV4ProjectsIdRepositoryTree: operation("GET", `${project}/repository/tree`, {
    query: { path: text, ref: text, recursive: truth, ...page },
    responses: { 200: listOf(object({ id: text, name: text, type: text, path: text, mode: text })) }
  }),
  getApiV4ProjectsIdRepositoryMergeBase: operation("GET", `${project}/repository/merge_base`, {
    query: { "refs[]": text },
    responses: { 200: ref("Commit") }
  }),
  getApiV4ProjectsIdRepositoryBranches: operation("GET", `${project}/repository/branches`, {
    query: { search: text, regex: text, ...page },
    responses: { 200: listOf(ref("Branch")) }
  }),
  postApiV4ProjectsIdRepositoryBranches: operation("POST", `${project}/repository/branches`, {
    body: { branch: text, ref: text },
    required: ["branch", "ref"],
    responses: { 201: ref("Branch") }
  }),
  getApiV4ProjectsIdRepositoryBranchesBranch: operation("GET", `${project}/repository/branches/{branch}`, {
    responses: { 200: ref("Branch") }
  }),
  deleteApiV4ProjectsIdRepositoryBranchesBranch: operation("DELETE", `${project}/repository/branches/{branch}`, {
    responses: { 204: null }
  }),
  getApiV4ProjectsIdProtectedBranchesName: operation("GET", `${project}/protected_branches/{name}`, {
    responses: { 200: object({ id: whole, name: text, allow_force_push: truth }) }
  }),
  postApiV4ProjectsIdRepositoryCommits: operation("POST", `${project}/repository/commits`, {
    body: {
      branch: text,
      commit_message: text,
      start_branch: text,
      start_sha: text,
      author_name: text,
      author_email: text,
      force: truth,
      actions: listOf(object({ action: text, file_path: text, content: text }))
    },
    required: ["branch", "commit_message"],
    responses: { 201: ref("Commit") }
  }),
  postApiV4ProjectsIdRepositoryCommitsShaCherryPick: operation(
    "POST",
    `${project}/repository/commits/{sha}/cherry_pick`,
    {
      body: { branch: text, dry_run: truth, message: text },
      required: ["branch"],
      responses: { 201: ref("Commit") }
    }
  ),
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
  postApiV4ProjectsIdMergeRequests: operation("POST", `${project}/merge_requests`, {
    body: { source_branch: text, target_branch: text, title: text, description: text, remove_source_branch: truth },
    required: ["source_branch", "target_branch", "title"],
    responses: { 201: ref("MergeRequest") }
  }),
  putApiV4ProjectsIdMergeRequestsMergeRequestIid: operation("PUT", `${project}/merge_requests/{merge_request_iid}`, {
    body: { state_event: oneOf("close", "reopen"), title: text, target_branch: text },
    responses: { 200: ref("MergeRequest") }
  }),
  putApiV4ProjectsIdMergeRequestsMergeRequestIidMerge: operation(
    "PUT",
    `${project}/merge_requests/{merge_request_iid}/merge`,
    {
      body: {
        sha: text,
        squash: truth,
        merge_commit_message: text,
        squash_commit_message: text,
        should_remove_source_branch: truth,
        auto_merge: truth
      },
      responses: { 200: ref("MergeRequest") }
    }
  ),
  getApiV4ProjectsIdMergeRequestsMergeRequestIidCommits: operation(
    "GET",
    `${project}/merge_requests/{merge_request_iid}/commits`,
    { query: page, responses: { 200: listOf(ref("AuthoredCommit")) } }
  ),
  getApiV4ProjectsIdMergeTrainsTargetBranch: operation("GET", `${project}/merge_trains/{target_branch}`, {
    query: { scope: oneOf("active", "complete"), sort: oneOf("asc", "desc"), ...page },
    responses: { 200: listOf(ref("Car")) }
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
  postApiV4ProjectsIdPipelinesPipelineIdCancel: operation("POST", `${project}/pipelines/{pipeline_id}/cancel`, {
    responses: { 200: ref("Pipeline") }
  }),
  getApiV4ProjectsIdJobsJobIdArtifacts: operation("GET", `${project}/jobs/{job_id}/artifacts`, {
    query: { job_token: text },
    responses: { 200: null, 302: null }
  })
}

/** The operations that the adapter of GitLab uses. */
export const extracted: Extracted = { operations, definitions }
