/** Merge queues on the wire (interface 2.11, 4.2). */
import { QueueCheck as Check, QueuePause as Pause, QueueRule as Rule, QueueView } from "@lazaret/domain"
import { Schema } from "effect"
import { parameter, Timestamp } from "./Timestamp.ts"

/** A queue rule (interface 2.11). */
export const QueueRule = Schema.Struct({
  ...Rule.QueueRule.fields,
  config: Rule.QueueConfig.annotate({ identifier: "QueueConfig" })
}).annotate({ identifier: "QueueRule" })

/** The rules of a repository in processing order (interface 4.2.1). */
export const QueuesConfiguration = Schema.Struct({ configuration: Schema.Array(QueueRule) }).annotate({
  identifier: "QueuesConfiguration",
  description: "The rules in processing order."
})

/** A pause (interface 2.11). */
export const QueuePause = Pause.withTime(Timestamp).annotate({ identifier: "QueuePause" })

/** Whether the queue is paused: one pause, or none (interface 4.2.2, 4.2.4). */
export const QueuePauses = Schema.Struct({ queue_pause: Schema.Array(QueuePause) }).annotate({
  identifier: "QueuePauses",
  description: "The pause, or none."
})

/** The body that pauses (interface 4.2.2). */
export const PauseQueue = Schema.Struct({ reason: Pause.Reason }).annotate({ identifier: "PauseQueue" })

/** A check of a queued pull request (interface 2.11). */
export const QueueCheck = Check.QueueCheck.annotate({ identifier: "QueueCheck" })

const SpeculativeCheckPullRequest = Schema.Struct({
  ...QueueView.speculativeCheckWithTime(Timestamp).fields,
  checks: Schema.Array(QueueCheck)
}).annotate({ identifier: "SpeculativeCheckPullRequest" })

/** The check that is currently processed (interface 2.11). */
export const BriefMergeabilityCheck = QueueView.mergeabilityCheckWithTime(Timestamp).annotate({
  identifier: "BriefMergeabilityCheck"
})

/** A field that the OpenAPI document shows as deprecated. */
const deprecated = <S extends Schema.Top>(field: S) =>
  field.check(Schema.makeFilter<S["Type"]>(() => undefined, { toJsonSchema: () => ({ deprecated: true }) }))

const PullRequestQueued = Schema.Struct({
  ...QueueView.pullRequestWithTime(Timestamp).fields,
  queue_rule: QueueRule,
  speculative_check_pull_request: deprecated(Schema.NullOr(SpeculativeCheckPullRequest)),
  mergeability_check: Schema.NullOr(BriefMergeabilityCheck)
}).annotate({ identifier: "PullRequestQueued" })

/** The queue of a base branch (interface 2.11). */
export const Queue = Schema.Struct({
  ...QueueView.queueWithTime(Timestamp).fields,
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
