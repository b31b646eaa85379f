/** The values in the part of GitLab's REST interface that we use, as JSON Schema; see `GitLab.ts`. */
import type { Json, JsonObject } from "./Json.ts"

/** A text. */
export const text = { type: "string" }
/** A whole number. */
export const whole = { type: "integer" }
/** A truth value. */
export const truth = { type: "boolean" }
/** An instant. */
export const time = { type: "string", format: "date-time" }
/** Any value. */
export const any = {}

/** One of these texts. */
export const oneOf = (...values: ReadonlyArray<string>) => ({ type: "string", enum: [...values] })
/** The value, or null. */
const orNull = (schema: JsonObject): JsonObject => ({ anyOf: [schema, { type: "null" }] })
/** A list. */
export const listOf = (items: Json) => ({ type: "array", items })
/** A value of the definitions. */
export const ref = (name: string) => ({ $ref: `#/definitions/${name}` })
/** An object with exactly these members required. */
export const object = (properties: JsonObject): JsonObject => ({
  type: "object",
  properties,
  required: Object.keys(properties)
})

/** An object with members that may be missing. */
const withOptional = (optional: JsonObject, required: JsonObject): JsonObject => ({
  ...object(required),
  properties: { ...required, ...optional }
})

/** The states of what goes on. */
export const statuses = ["created", "waiting_for_resource", "preparing", "waiting_for_callback", "pending", "running"]
/** The states of what has ended. */
export const ended = ["success", "failed", "canceling", "canceled", "skipped", "manual", "scheduled"]
/** The sources of pipelines. */
export const sources = ["push", "web", "trigger", "schedule", "api", "external", "pipeline", "chat", "webide"]
/** More sources of pipelines. */
export const otherSources = ["merge_request_event", "external_pull_request_event", "parent_pipeline"]

/** A pipeline in a list. */
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

/** The definitions. */
export const definitions: JsonObject = {
  User: object({ id: whole, username: text, name: text, state: text, web_url: text }),
  Branch: object({ name: text, commit: object({ id: text }), protected: truth }),
  AuthoredCommit: object({ id: text, title: text, author_name: text, author_email: text }),
  Commit: object({
    id: text,
    title: text,
    message: text,
    parent_ids: listOf(text),
    author_name: text,
    author_email: text
  }),
  Car: withOptional(
    { pipeline: object({ id: whole, sha: text, ref: text, status: text }) },
    {
      id: whole,
      status: text,
      target_branch: text,
      merge_request: object({ id: whole, iid: whole, project_id: whole, title: text, state: text })
    }
  ),
  Project: withOptional(
    { merge_trains_enabled: truth },
    {
      id: whole,
      path: text,
      path_with_namespace: text,
      default_branch: orNull(text),
      visibility: oneOf("private", "internal", "public"),
      repository_access_level: oneOf("disabled", "private", "enabled"),
      merge_method: oneOf("merge", "rebase_merge", "ff"),
      only_allow_merge_if_pipeline_succeeds: truth,
      only_allow_merge_if_all_discussions_are_resolved: truth,
      permissions: orNull(object({ project_access: orNull(ref("Access")), group_access: orNull(ref("Access")) }))
    }
  ),
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
    draft: truth,
    description: orNull(text),
    detailed_merge_status: text,
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
