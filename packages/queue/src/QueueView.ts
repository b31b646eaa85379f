/** Queues as the interface shows them (interface 2.11, 4.2.6). */
import * as CheckRun from "./CheckRun.ts"
import type { Instant } from "@lazaret/domain"
import * as MergeEstimate from "./MergeEstimate.ts"
import type * as MergeQueue from "./MergeQueue.ts"
import type * as QueueCheck from "./QueueCheck.ts"
import type * as QueueEvent from "./QueueEvent.ts"
import * as QueuePriority from "./QueuePriority.ts"
import * as QueueRule from "./QueueRule.ts"

/** The partition of every pull request: queues have no partitions here. */
export const partitionName = "__default__"

/** The running round of checks in the deprecated view (interface 2.11). */
export interface SpeculativeCheckPullRequest {
  readonly inPlace: boolean
  readonly number: number
  readonly startedAt: Instant.Instant | null
  readonly endedAt: Instant.Instant | null
  readonly checks: ReadonlyArray<QueueCheck.QueueCheck>
  readonly evaluatedConditions: string
  readonly state: QueueCheck.State
}

/** The running round of checks (interface 2.11). */
export interface BriefMergeabilityCheck {
  readonly checkType: QueueEvent.CheckType
  readonly pullRequestNumber: number
  readonly startedAt: Instant.Instant | null
  readonly endedAt: Instant.Instant | null
  readonly state: QueueCheck.State
}

/** A queued pull request (interface 2.11). */
export interface PullRequestQueued {
  readonly number: number
  readonly position: number
  readonly priority: number
  readonly effectivePriority: number
  readonly priorityAlias: string
  readonly queueRule: QueueRule.QueueRule
  readonly queuedAt: Instant.Instant
  readonly speculativeCheckPullRequest: SpeculativeCheckPullRequest | null
  readonly mergeabilityCheck: BriefMergeabilityCheck | null
  readonly estimatedTimeOfMerge: Instant.Instant | null
  readonly partitionName: string
}

/** The queue of a base branch (interface 2.11). */
export interface Queue {
  readonly branch: { readonly name: string }
  readonly pullRequests: ReadonlyArray<PullRequestQueued>
}

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
    .map((each) => ({ branch: { name: each.branch }, pullRequests: pullRequests(each, circumstances) }))

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
    effectivePriority: pullRequest.priority,
    priorityAlias: QueuePriority.alias(pullRequest.priority),
    queueRule: QueueRule.find(circumstances.rules, pullRequest.queueRule),
    queuedAt: pullRequest.queuedAt,
    speculativeCheckPullRequest: pullRequest.run === null ? null : speculativeCheck(pullRequest.run),
    mergeabilityCheck: pullRequest.run === null ? null : mergeabilityCheck(pullRequest.run),
    estimatedTimeOfMerge: estimates[position] ?? null,
    partitionName: partitionName
  }))
}

/**
 * A round of checks in the deprecated view.
 *
 * **Details**
 *
 * `inPlace` is true unless a draft pull request is checked: a trusted one stands on its own checks (our choice).
 */
export const speculativeCheck = (run: CheckRun.CheckRun): SpeculativeCheckPullRequest => ({
  inPlace: run.checkType !== "draft_pr",
  number: run.pullRequest,
  ...times(run),
  checks: run.checks,
  evaluatedConditions: run.evaluatedConditions,
  state: CheckRun.state(run)
})

/** A round of checks as mergeability check. */
export const mergeabilityCheck = (run: CheckRun.CheckRun): BriefMergeabilityCheck => ({
  checkType: run.checkType,
  pullRequestNumber: run.pullRequest,
  ...times(run),
  state: CheckRun.state(run)
})

/** In a trusted round nothing ran, so it neither started nor ended. */
const times = (run: CheckRun.CheckRun) =>
  run.checkType === "trusted" ? { startedAt: null, endedAt: null } : { startedAt: run.startedAt, endedAt: run.endedAt }
