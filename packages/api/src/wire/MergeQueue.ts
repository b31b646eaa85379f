/** The newer views of merge queues on the wire (beyond the interface, in its words). */
import { Schema } from "effect"
import * as Parameter from "./Parameter.ts"
import { BriefMergeabilityCheck, checks, queued, QueuePause } from "./Queue.ts"

/** A queued pull request without the deprecated field of the interface. */
export const QueuedPullRequest = Schema.Struct({
  ...queued,
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

/** The check that is currently processed, with each check of its round. */
export const MergeabilityCheck = Schema.Struct({
  ...BriefMergeabilityCheck.fields,
  ...checks
}).annotate({ identifier: "MergeabilityCheck" })

/** One queued pull request by itself; its running round with each of its checks. */
export const MergeQueuePull = Schema.Struct({
  branch: Schema.Struct({ name: Schema.String }),
  ...queued,
  mergeability_check: Schema.NullOr(MergeabilityCheck)
}).annotate({ identifier: "MergeQueuePull", description: "The pull request, where it is queued, and its checks." })

const BranchNumbers = Schema.Struct({
  name: Schema.String,
  queued_count: Schema.Int,
  median_checks_duration: Schema.NullOr(Schema.Finite)
}).annotate({ identifier: "MergeQueueBranch" })

/** The base branches that have a queue. */
export const MergeQueueBranches = Schema.Struct({
  branches: Schema.Array(BranchNumbers)
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
