/** Queues as the interface shows them (interface 2.11, 4.2.6). */
import { Schema } from "effect"
import * as CheckRun from "./CheckRun.ts"
import * as Instant from "../time/Instant.ts"
import * as MergeEstimate from "./MergeEstimate.ts"
import type * as MergeQueue from "./MergeQueue.ts"
import { PullRequestNumber } from "./PullRequestNumber.ts"
import * as QueueCheck from "./QueueCheck.ts"
import * as QueueEvent from "./QueueEvent.ts"
import * as QueuePriority from "./QueuePriority.ts"
import * as QueueRule from "./QueueRule.ts"

/** The partition of every pull request: queues have no partitions here. */
export const partitionName = "__default__"

type Time = Schema.Codec<Instant.Instant, unknown>

/** Schema of SpeculativeCheckPullRequest (interface 2.11), with the encoding of instants that the caller needs. */
export const speculativeCheckWithTime = <At extends Time>(at: At) =>
  Schema.Struct({
    in_place: Schema.Boolean,
    number: PullRequestNumber,
    started_at: Schema.NullOr(at),
    ended_at: Schema.NullOr(at),
    checks: Schema.Array(QueueCheck.QueueCheck),
    evaluated_conditions: Schema.String,
    state: QueueCheck.State
  })

/** Schema of BriefMergeabilityCheck (interface 2.11), with the encoding of instants that the caller needs. */
export const mergeabilityCheckWithTime = <At extends Time>(at: At) =>
  Schema.Struct({
    check_type: QueueEvent.CheckType,
    pull_request_number: PullRequestNumber,
    started_at: Schema.NullOr(at),
    ended_at: Schema.NullOr(at),
    state: QueueCheck.State
  })

/** Schema of PullRequestQueued (interface 2.11), with the encoding of instants that the caller needs. */
export const pullRequestWithTime = <At extends Time>(at: At) =>
  Schema.Struct({
    number: PullRequestNumber,
    position: Schema.Int,
    priority: QueuePriority.QueuePriority,
    effective_priority: QueuePriority.QueuePriority,
    priority_alias: Schema.String,
    queue_rule: QueueRule.QueueRule,
    queued_at: at,
    speculative_check_pull_request: Schema.NullOr(speculativeCheckWithTime(at)),
    mergeability_check: Schema.NullOr(mergeabilityCheckWithTime(at)),
    estimated_time_of_merge: Schema.NullOr(at),
    partition_name: Schema.String
  })

/** Schema of Queue (interface 2.11), with the encoding of instants that the caller needs. */
export const queueWithTime = <At extends Time>(at: At) =>
  Schema.Struct({
    branch: Schema.Struct({ name: Schema.String }),
    pull_requests: Schema.Array(pullRequestWithTime(at))
  })

/** Schema of Queue, instants being numbers. */
export const Queue = queueWithTime(Instant.Instant)

/** The queue of a base branch (interface 2.11), instants being numbers. */
export type Queue = typeof Queue.Type

/** A queued pull request (interface 2.11), instants being numbers. */
export type PullRequestQueued = Queue["pull_requests"][number]

/** A check in the deprecated view (interface 2.11), instants being numbers. */
export type SpeculativeCheckPullRequest = NonNullable<PullRequestQueued["speculative_check_pull_request"]>

/** The check that is currently processed (interface 2.11), instants being numbers. */
export type BriefMergeabilityCheck = NonNullable<PullRequestQueued["mergeability_check"]>

/**
 * The queues of a repository that hold a pull request, in code-point order of their branches (interface 4.2.6).
 *
 * **Details**
 *
 * A branch whose queue has run empty is left out: there is nothing queued in it (our choice).
 */
export const queues = (
  queue: MergeQueue.MergeQueue,
  circumstances: MergeEstimate.Circumstances
): ReadonlyArray<Queue> =>
  queue.branches
    .filter((each) => each.pullRequests.length > 0)
    .map((each) => ({ branch: { name: each.branch }, pull_requests: pullRequests(each, circumstances) }))

/** The pull requests of one queue in merge order, positions from 0 (interface 2.11). */
export const pullRequests = (
  queue: MergeQueue.BranchQueue,
  circumstances: MergeEstimate.Circumstances
): ReadonlyArray<PullRequestQueued> => {
  const estimates = MergeEstimate.estimate(queue, circumstances)
  return queue.pullRequests.map((pullRequest, position) => ({
    number: pullRequest.number,
    position,
    priority: pullRequest.priority,
    effective_priority: pullRequest.priority,
    priority_alias: QueuePriority.alias(pullRequest.priority),
    queue_rule: QueueRule.find(circumstances.rules, pullRequest.queueRule),
    queued_at: pullRequest.queuedAt,
    speculative_check_pull_request: pullRequest.run === null ? null : speculativeCheck(pullRequest.run),
    mergeability_check: pullRequest.run === null ? null : mergeabilityCheck(pullRequest.run),
    estimated_time_of_merge: estimates[position] ?? null,
    partition_name: partitionName
  }))
}

/**
 * A round of checks in the deprecated view.
 *
 * **Details**
 *
 * `in_place` is true unless a draft pull request is checked: a trusted one stands on its own checks (our choice).
 */
export const speculativeCheck = (run: CheckRun.CheckRun): SpeculativeCheckPullRequest => ({
  in_place: run.checkType !== "draft_pr",
  number: run.pullRequest,
  ...times(run),
  checks: run.checks,
  evaluated_conditions: run.evaluatedConditions,
  state: CheckRun.state(run)
})

/** A round of checks as mergeability check. */
export const mergeabilityCheck = (run: CheckRun.CheckRun): BriefMergeabilityCheck => ({
  check_type: run.checkType,
  pull_request_number: run.pullRequest,
  ...times(run),
  state: CheckRun.state(run)
})

/** In a trusted round nothing ran, so it neither started nor ended. */
const times = (run: CheckRun.CheckRun) =>
  run.checkType === "trusted"
    ? { started_at: null, ended_at: null }
    : { started_at: run.startedAt, ended_at: run.endedAt }
