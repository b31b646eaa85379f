/** Merge queues on the wire (interface 2.11, 4.2). */
import { QueuePause as Pause } from "@lazaret/domain"
import { PullRequestNumber, QueueCheck as Check, QueueEvent, QueuePriority, QueueRule as Rule } from "@lazaret/queue"
import { Schema } from "effect"
import { parameter, Timestamp } from "../definition/Timestamp.ts"

const { priority, ...settings } = Rule.QueueConfig.fields

const QueueConfig = Schema.Struct({
  priority,
  batch_size: settings.batchSize,
  batch_max_wait_time: settings.batchMaxWaitTime,
  batch_max_failure_resolution_attempts: settings.batchMaxFailureResolutionAttempts,
  allow_inplace_checks: settings.allowInplaceChecks,
  allow_queue_branch_edit: settings.allowQueueBranchEdit,
  checks_timeout: settings.checksTimeout,
  commit_message_template: settings.commitMessageTemplate,
  draft_bot_account: settings.draftBotAccount,
  merge_bot_account: settings.mergeBotAccount,
  merge_method: settings.mergeMethod,
  queue_branch_merge_method: settings.queueBranchMergeMethod,
  queue_branch_prefix: settings.queueBranchPrefix,
  update_bot_account: settings.updateBotAccount,
  update_method: settings.updateMethod
}).annotate({ identifier: "QueueConfig" })

/** A queue rule (interface 2.11). */
export const QueueRule = Schema.Struct({ name: Rule.QueueRule.fields.name, config: QueueConfig }).annotate({
  identifier: "QueueRule"
})

/** The rules of a repository in processing order (interface 4.2.1). */
export const QueuesConfiguration = Schema.Struct({ configuration: Schema.Array(QueueRule) }).annotate({
  identifier: "QueuesConfiguration",
  description: "The rules in processing order."
})

/** A pause (interface 2.11). */
export const QueuePause = Schema.Struct({ reason: Pause.Reason, pause_date: Timestamp }).annotate({
  identifier: "QueuePause"
})

/** Whether the queue is paused: one pause, or none (interface 4.2.2, 4.2.4). */
export const QueuePauses = Schema.Struct({ queue_pause: Schema.Array(QueuePause) }).annotate({
  identifier: "QueuePauses",
  description: "The pause, or none."
})

/** The body that pauses (interface 4.2.2). */
export const PauseQueue = Schema.Struct({ reason: Pause.Reason }).annotate({ identifier: "PauseQueue" })

/** A check of a queued pull request (interface 2.11). */
export const QueueCheck = Schema.Struct({
  name: Check.fields.name,
  description: Check.fields.description,
  url: Check.fields.url,
  details_url: Check.fields.detailsUrl,
  state: Check.fields.state,
  avatar_url: Check.fields.avatarUrl
}).annotate({ identifier: "QueueCheck" })

/** The checks of a round and the latest report on its conditions. */
export const checks = { checks: Schema.Array(QueueCheck), evaluated_conditions: Schema.String }

const SpeculativeCheckPullRequest = Schema.Struct({
  in_place: Schema.Boolean,
  number: PullRequestNumber.PullRequestNumber,
  started_at: Schema.NullOr(Timestamp),
  ended_at: Schema.NullOr(Timestamp),
  ...checks,
  state: Check.State
}).annotate({ identifier: "SpeculativeCheckPullRequest" })

/** The check that is currently processed (interface 2.11). */
export const BriefMergeabilityCheck = Schema.Struct({
  check_type: QueueEvent.CheckType,
  pull_request_number: PullRequestNumber.PullRequestNumber,
  started_at: Schema.NullOr(Timestamp),
  ended_at: Schema.NullOr(Timestamp),
  state: Check.State
}).annotate({ identifier: "BriefMergeabilityCheck" })

/** A field that the OpenAPI document shows as deprecated. */
const deprecated = <S extends Schema.Top>(field: S) =>
  field.check(Schema.makeFilter<S["Type"]>(() => undefined, { toJsonSchema: () => ({ deprecated: true }) }))

/** The fields of a queued pull request other than its checks. */
export const queued = {
  number: PullRequestNumber.PullRequestNumber,
  position: Schema.Int,
  priority: QueuePriority.QueuePriority,
  effective_priority: QueuePriority.QueuePriority,
  priority_alias: Schema.String,
  queue_rule: QueueRule,
  queued_at: Timestamp,
  estimated_time_of_merge: Schema.NullOr(Timestamp),
  partition_name: Schema.String
}

/** A queued pull request (interface 2.11). */
export const PullRequestQueued = Schema.Struct({
  ...queued,
  speculative_check_pull_request: deprecated(Schema.NullOr(SpeculativeCheckPullRequest)),
  mergeability_check: Schema.NullOr(BriefMergeabilityCheck)
}).annotate({ identifier: "PullRequestQueued" })

/** The queue of a base branch (interface 2.11). */
export const Queue = Schema.Struct({
  branch: Schema.Struct({ name: Schema.String }),
  pull_requests: Schema.Array(PullRequestQueued)
}).annotate({ identifier: "Queue" })

/** Every queue of a repository (interface 4.2.6). */
export const Queues = Schema.Struct({ queues: Schema.Array(Queue) }).annotate({
  identifier: "Queues",
  description: "The queues that hold a pull request."
})

/** The span of a list of base branches (interface 4.2.7). */
export const BranchesQuery = {
  start_at: Schema.optionalKey(
    parameter("The first instant of the span; one day before `end_at` unless it is given.", "2026-01-30T12:00:00Z")
  ),
  end_at: Schema.optionalKey(
    parameter("The first instant after the span; now unless it is given.", "2026-01-31T12:00:00Z")
  )
}

/** The base branches with queue activity (interface 4.2.7). */
export const QueueBranches = Schema.Struct({ base_refs: Schema.Array(Schema.String) }).annotate({
  identifier: "QueueBranches",
  description: "The base branches with queue activity."
})
