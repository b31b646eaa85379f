/**
 * Sections 2.11 and 4.2 of the interface as a table, written by hand from the document. The upper limit of pull request
 * numbers is that of whole numbers in JavaScript, which the table does not write.
 */
import type { Fields, Route } from "./interface.table.ts"

const prefix = "/v1/repos/{owner}/{repository}"

const states = "failure, error, cancelled, action_required, timed_out, neutral, skipped, stale, success, pending"

const priority = "integer -2147483648..2147483647"

/** Section 4.2. */
export const queueRoutes: ReadonlyArray<Route> = [
  {
    section: "4.2.1",
    method: "get",
    path: `${prefix}/queues/configuration`,
    ci: false,
    success: { 200: "QueuesConfiguration" }
  },
  {
    section: "4.2.2",
    method: "put",
    path: `${prefix}/queue/pause`,
    ci: false,
    body: "PauseQueue",
    success: { 200: "QueuePauses" }
  },
  { section: "4.2.3", method: "delete", path: `${prefix}/queue/pause`, ci: false, success: { 204: null } },
  { section: "4.2.4", method: "get", path: `${prefix}/queue/pause`, ci: false, success: { 200: "QueuePauses" } },
  { section: "4.2.5", method: "post", path: `${prefix}/queue/pause/delete`, ci: false, success: { 204: null } },
  { section: "4.2.6", method: "get", path: `${prefix}/queues`, ci: false, success: { 200: "Queues" } },
  {
    section: "4.2.7",
    method: "get",
    path: `${prefix}/queues/branches`,
    ci: false,
    query: { "start_at?": "date-time", "end_at?": "date-time" },
    success: { 200: "QueueBranches" }
  }
]

/** Section 2.11, and the envelopes of section 4.2. */
export const queueResources: { readonly [name: string]: Fields } = {
  QueueRule: { name: "string 1..255", config: "QueueConfig" },
  QueueConfig: {
    priority: "integer 0..2147483647",
    batch_size: "integer 1..128",
    batch_max_wait_time: "integer 0..604800",
    batch_max_failure_resolution_attempts: "integer 0..128 | null",
    allow_inplace_checks: "boolean",
    allow_queue_branch_edit: "boolean",
    checks_timeout: "integer 60..604800 | null",
    commit_message_template: "string 0..10000 | null",
    draft_bot_account: "string 1..255 | null",
    merge_bot_account: "string 1..255 | null",
    merge_method: "merge, squash, rebase, fast-forward",
    queue_branch_merge_method: "fast-forward | null",
    queue_branch_prefix: "string 1..200",
    update_bot_account: "string 1..255 | null",
    update_method: "merge, rebase"
  },
  QueuesConfiguration: { configuration: "QueueRule[]" },
  QueuePause: { reason: "string 0..255", pause_date: "date-time" },
  QueuePauses: { queue_pause: "QueuePause[]" },
  PauseQueue: { reason: "string 0..255" },
  Queue: { branch: "{name: string}", pull_requests: "PullRequestQueued[]" },
  Queues: { queues: "Queue[]" },
  PullRequestQueued: {
    number: "integer 0..",
    position: "integer",
    priority,
    effective_priority: priority,
    priority_alias: "string",
    queue_rule: "QueueRule",
    queued_at: "date-time",
    speculative_check_pull_request: "SpeculativeCheckPullRequest | null",
    mergeability_check: "BriefMergeabilityCheck | null",
    estimated_time_of_merge: "date-time | null",
    partition_name: "string"
  },
  SpeculativeCheckPullRequest: {
    in_place: "boolean",
    number: "integer 0..",
    started_at: "date-time | null",
    ended_at: "date-time | null",
    checks: "QueueCheck[]",
    evaluated_conditions: "string",
    state: states
  },
  BriefMergeabilityCheck: {
    check_type: "in_place, draft_pr, trusted",
    pull_request_number: "integer 0..",
    started_at: "date-time | null",
    ended_at: "date-time | null",
    state: states
  },
  QueueCheck: {
    name: "string 1..1000",
    description: "string 0..10000",
    url: "string 1..2048 | null",
    "details_url?": "string 1..2048 | null",
    state: states,
    avatar_url: "string 1..2048 | null"
  },
  QueueBranches: { base_refs: "string[]" }
}
