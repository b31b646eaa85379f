/** The newer views of merge queues on the wire (beyond the interface, in its words). */
import { QueueStatus } from "@lazaret/domain"
import { Schema } from "effect"
import * as Parameter from "./Parameter.ts"
import { BriefMergeabilityCheck, QueueCheck, QueuePause, QueueRule } from "./Queue.ts"
import { Timestamp } from "./Timestamp.ts"

const QueuedPullRequest = Schema.Struct({
  ...QueueStatus.pullRequestWithTime(Timestamp).fields,
  queue_rule: QueueRule,
  mergeability_check: Schema.NullOr(BriefMergeabilityCheck)
}).annotate({ identifier: "MergeQueuePullRequest" })

const BranchStatus = Schema.Struct({
  branch: Schema.Struct({ name: Schema.String }),
  pull_requests: Schema.Array(QueuedPullRequest)
}).annotate({ identifier: "MergeQueueOfBranch" })

/** The pause and every queue that holds a pull request. */
export const MergeQueueStatus = Schema.Struct({
  pause: Schema.NullOr(QueuePause),
  queues: Schema.Array(BranchStatus)
}).annotate({ identifier: "MergeQueueStatus", description: "The pause, and the queues that hold a pull request." })

const MergeabilityCheck = Schema.Struct({
  ...QueueStatus.checkWithTime(Timestamp).fields,
  checks: Schema.Array(QueueCheck)
}).annotate({ identifier: "MergeabilityCheck" })

/** One queued pull request by itself. */
export const MergeQueuePull = Schema.Struct({
  ...QueueStatus.pullWithTime(Timestamp).fields,
  queue_rule: QueueRule,
  mergeability_check: Schema.NullOr(MergeabilityCheck)
}).annotate({ identifier: "MergeQueuePull", description: "The pull request, where it is queued, and its checks." })

/** The base branches that have a queue. */
export const MergeQueueBranches = Schema.Struct({
  branches: Schema.Array(QueueStatus.Branch.annotate({ identifier: "MergeQueueBranch" }))
}).annotate({ identifier: "MergeQueueBranches", description: "The base branches, each with its queue in numbers." })

/** The pause, null when the queue is not paused. */
export const MergeQueuePause = Schema.Struct({ pause: Schema.NullOr(QueuePause) }).annotate({
  identifier: "MergeQueuePause",
  description: "The pause, null when the queue is not paused."
})

/** The number of a pull request in a path. */
export const pullNumber = Parameter.integer("The number of the pull request.", {
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER
})
