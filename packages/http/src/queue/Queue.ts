/** Merge queues on the wire (interface 2.11, 4.2). */
import type { Schemas } from "@lazaret/api"
import type { QueuePause } from "@lazaret/domain"
import type { QueueCheck, QueueRule, QueueStatus, QueueView } from "@lazaret/queue"
import type { BranchesRequest } from "@lazaret/services"
import type { Schema } from "effect"

type Query = Schema.Struct.Type<typeof Schemas.BranchesQuery>

/** The span that a query asks for. */
export const branchesOf = (query: Query): BranchesRequest => ({
  startAt: query.start_at,
  endAt: query.end_at
})

/** A rule. */
export const ruleOf = ({ config, name }: QueueRule.QueueRule): typeof Schemas.QueueRule.Type => ({
  name,
  config: {
    priority: config.priority,
    batch_size: config.batchSize,
    batch_max_wait_time: config.batchMaxWaitTime,
    batch_max_failure_resolution_attempts: config.batchMaxFailureResolutionAttempts,
    allow_inplace_checks: config.allowInplaceChecks,
    allow_queue_branch_edit: config.allowQueueBranchEdit,
    checks_timeout: config.checksTimeout,
    commit_message_template: config.commitMessageTemplate,
    draft_bot_account: config.draftBotAccount,
    merge_bot_account: config.mergeBotAccount,
    merge_method: config.mergeMethod,
    queue_branch_merge_method: config.queueBranchMergeMethod,
    queue_branch_prefix: config.queueBranchPrefix,
    update_bot_account: config.updateBotAccount,
    update_method: config.updateMethod
  }
})

/** A pause. */
export const pauseOf = ({ pauseDate, reason }: QueuePause.QueuePause): typeof Schemas.QueuePause.Type => ({
  reason,
  pause_date: pauseDate
})

/** A queue with the deprecated view of the checks. */
export const queueOf = ({ branch, pullRequests }: QueueView.Queue): typeof Schemas.Queue.Type => ({
  branch,
  pull_requests: pullRequests.map((each) => ({
    ...queuedOf(each),
    speculative_check_pull_request: speculativeOf(each.speculativeCheckPullRequest),
    mergeability_check: each.mergeabilityCheck === null ? null : briefOf(each.mergeabilityCheck)
  }))
})

/** The pause and the queues, without the deprecated view of the checks. */
export const statusOf = ({ pause, queues }: QueueStatus.QueueStatus): typeof Schemas.MergeQueueStatus.Type => ({
  pause: pause === null ? null : pauseOf(pause),
  queues: queues.map(({ branch, pullRequests }) => ({
    branch,
    pull_requests: pullRequests.map((each) => ({
      ...queuedOf(each),
      mergeability_check: each.mergeabilityCheck === null ? null : briefOf(each.mergeabilityCheck)
    }))
  }))
})

/** One queued pull request by itself. */
export const pullOf = (pull: QueueStatus.Pull): typeof Schemas.MergeQueuePull.Type => ({
  branch: pull.branch,
  ...queuedOf(pull),
  mergeability_check:
    pull.mergeabilityCheck === null ? null : { ...briefOf(pull.mergeabilityCheck), ...checksOf(pull.mergeabilityCheck) }
})

/** A base branch that has a queue, in numbers. */
export const branchOf = ({ medianChecksDuration, name, queuedCount }: QueueStatus.Branch) => ({
  name,
  queued_count: queuedCount,
  median_checks_duration: medianChecksDuration
})

const queuedOf = (each: Omit<QueueView.PullRequestQueued, "mergeabilityCheck" | "speculativeCheckPullRequest">) => ({
  number: each.number,
  position: each.position,
  priority: each.priority,
  effective_priority: each.effectivePriority,
  priority_alias: each.priorityAlias,
  queue_rule: ruleOf(each.queueRule),
  queued_at: each.queuedAt,
  estimated_time_of_merge: each.estimatedTimeOfMerge,
  partition_name: each.partitionName
})

const briefOf = (check: QueueView.BriefMergeabilityCheck) => ({
  check_type: check.checkType,
  pull_request_number: check.pullRequestNumber,
  started_at: check.startedAt,
  ended_at: check.endedAt,
  state: check.state
})

const speculativeOf = (check: QueueView.SpeculativeCheckPullRequest | null) =>
  check === null
    ? null
    : {
        in_place: check.inPlace,
        number: check.number,
        started_at: check.startedAt,
        ended_at: check.endedAt,
        ...checksOf(check),
        state: check.state
      }

const checksOf = ({
  checks,
  evaluatedConditions
}: Pick<QueueView.SpeculativeCheckPullRequest, "checks" | "evaluatedConditions">) => ({
  checks: checks.map(checkOf),
  evaluated_conditions: evaluatedConditions
})

const checkOf = ({ avatarUrl, detailsUrl, ...check }: QueueCheck.QueueCheck): typeof Schemas.QueueCheck.Type => ({
  ...check,
  ...(detailsUrl === undefined ? {} : { details_url: detailsUrl }),
  avatar_url: avatarUrl
})
