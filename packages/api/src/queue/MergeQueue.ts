/** The newer views of merge queues on the wire (beyond the interface, in its words). */
import { Text } from "@lazaret/domain"
import { FailureClass, Fate, QueueCheck } from "@lazaret/queue"
import { Schema } from "effect"
import * as Parameter from "../definition/Parameter.ts"
import { BriefMergeabilityCheck, checks, queued, QueuePause } from "./Queue.ts"
import { Timestamp } from "../definition/Timestamp.ts"

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

/** The pause, null when the queue is not paused, and the effect that a pause has. */
export const MergeQueuePause = Schema.Struct({
  pause: Schema.NullOr(QueuePause),
  effect: Schema.Literals(["holds_merges", "only_shown"])
}).annotate({
  identifier: "MergeQueuePause",
  description:
    "The pause, null when the queue is not paused. `effect`: a pause holds merges where a gate acts on a branch at least; " +
    "elsewhere it is only shown."
})

/** The number of a pull request in a path. */
export const pullNumber = Parameter.integer("The number of the pull request.", {
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER
})

const branchName = Text.between(1, 255).annotate({
  description: "The base branch; the default branch without one.",
  examples: ["main"]
})

/** The base branch that a question is about. */
export const EngineQuery = { branch: Schema.optionalKey(branchName) }

/** The options of a person who queues a pull request. */
export const QueueQuery = {
  rule: Schema.optionalKey(
    Text.between(1, 255).annotate({
      description: "The queue rule; the first one without it. Only where Lazaret drives the queue.",
      examples: ["default"]
    })
  ),
  priority: Schema.optionalKey(
    Schema.String.check(Schema.isPattern(/^(?:low|medium|high|-?\d{1,9})$/u)).annotate({
      description:
        "The priority, the higher the earlier: low, medium, high or a whole number. Only where Lazaret drives the queue.",
      examples: ["high"]
    })
  )
}

/** The query of the log of an engine. */
export const EngineLogQuery = { ...EngineQuery, ...Parameter.page }

const mode = Schema.Literals(["off", "mirror", "gate", "drive"])

const pulls = Schema.Array(Schema.Int)

const Finding = Schema.Struct({
  level: Schema.Literals(["fine", "warning", "impossible"]),
  rule: Schema.String,
  message: Schema.String
}).annotate({
  identifier: "MergeQueueFinding",
  description:
    "A rule of the repository and its meaning for a gate; one that is impossible keeps the gate in the shadow."
})

/** Whether the rules of the repository let a gate act. */
export const MergeQueuePreflight = Schema.Struct({
  branch: Schema.String,
  mode,
  shadow: Schema.Boolean,
  can_act: Schema.Boolean,
  is_live: Schema.Boolean,
  findings: Schema.Array(Finding)
}).annotate({
  identifier: "MergeQueuePreflight",
  description: "The findings about the rules of the repository; `is_live` is false where they were not read just now."
})

const EngineCheck = Schema.Struct({
  name: Schema.String,
  state: QueueCheck.State,
  attempt: Schema.Int,
  url: Schema.NullOr(Schema.String)
}).annotate({ identifier: "MergeQueueGroupCheck" })

const EngineGroup = Schema.Struct({
  id: Schema.String,
  onto: Schema.String,
  tree: Schema.String,
  pulls,
  seen_at: Timestamp,
  attempt: Schema.Int,
  checks: Schema.Array(EngineCheck),
  conclusion: Schema.NullOr(Schema.Literals(["success", "failure"])),
  explanation: Schema.String
}).annotate({
  identifier: "MergeQueueGroup",
  description:
    "A commit that the hosting platform has built, with the pull requests that it adds to what lies under it."
})

const Evicted = Schema.Struct({
  number: Schema.Int,
  head: Schema.String,
  explanation: Schema.String
}).annotate({ identifier: "MergeQueueEvicted" })

const EngineBatch = Schema.Struct({
  id: Schema.String,
  phase: Schema.Literals(["planned", "building", "built", "publishing", "testing", "green", "red", "landing"]),
  pulls,
  onto: pulls,
  commit: Schema.NullOr(Schema.String),
  attempt: Schema.Int,
  checks: Schema.Array(EngineCheck)
}).annotate({
  identifier: "MergeQueueBatch",
  description:
    "Pull requests that Lazaret tests and lands together, on those of the batches ahead (`onto`). `commit` is null before it is built."
})

const Queued = Schema.Struct({
  number: Schema.Int,
  head: Schema.String,
  rule: Schema.String,
  priority: Schema.Int,
  batch: Schema.NullOr(Schema.String),
  explanation: Schema.String
}).annotate({
  identifier: "MergeQueueQueued",
  description: "A pull request in a queue that Lazaret drives, at the commit that was queued, and what it waits for."
})

const Foresight = Schema.Struct({
  batches: Schema.Int,
  pulls: Schema.Int,
  reruns: Schema.Int,
  reruns_that_passed: Schema.Int,
  evictions: Schema.Int,
  evictions_of_innocents: Schema.Int
}).annotate({
  identifier: "MergeQueueForesight",
  description:
    "What a driven queue in the shadow would have done: `pulls` pull requests landed in `batches` rounds, failures run again, and pull " +
    "requests evicted, of which some were merged later at the same commit."
})

const Savings = Schema.Struct({
  week: Schema.String,
  evictions: Schema.Int,
  saved_evictions: Schema.Int,
  saved_ci_hours: Schema.Finite,
  reused_groups: Schema.Int,
  sentence: Schema.String
}).annotate({
  identifier: "MergeQueueSavings",
  description:
    "A week from Monday, UTC: the pull requests that no person took out; those that the gate kept, or in the shadow would " +
    "have kept; and for how many hours groups had been tested when such a failure came, which an eviction throws away. " +
    "`reused_groups` passed at once because their tree had passed before."
})

const Engine = Schema.Struct({
  branch: Schema.String,
  mode,
  shadow: Schema.Boolean,
  is_acting: Schema.Boolean,
  explanation: Schema.String,
  required_checks: Schema.Array(Schema.String),
  pause: Schema.NullOr(Schema.Struct({ since: Timestamp, reason: Schema.String, by: Schema.String })),
  incident: Schema.NullOr(Schema.Struct({ since: Timestamp, signature: Schema.String })),
  findings: Schema.NullOr(Schema.Array(Finding)),
  groups: Schema.Array(EngineGroup),
  waiting: pulls,
  returning: pulls,
  evicted: Schema.Array(Evicted),
  batches: Schema.Array(EngineBatch),
  queued: Schema.Array(Queued),
  foresight: Schema.NullOr(Foresight),
  savings: Schema.Array(Savings)
}).annotate({ identifier: "MergeQueueEngine", description: "What Lazaret does with the merge queue of a base branch." })

/** The engines of the base branches. */
export const MergeQueueEngines = Schema.Struct({
  engines: Schema.Array(Engine),
  explanation: Schema.NullOr(Schema.String),
  pull_sign: Schema.Literals(["#", "!"]).annotate({
    description: "The sign before the numbers of pull requests at the hosting platform: `!` at GitLab."
  })
}).annotate({
  identifier: "MergeQueueEngines",
  description: "The engines of the base branches; Without an engine `explanation` says the reason; else it is null."
})

const Line = Schema.Struct({
  seq: Schema.Int,
  at: Timestamp,
  kind: Schema.String,
  pulls,
  sentence: Schema.String
}).annotate({ identifier: "MergeQueueLine", description: "A sentence of the log of an engine." })

/** A page of the log of an engine. */
export const MergeQueueLog = Schema.Struct({
  size: Schema.Int,
  per_page: Schema.Int,
  lines: Schema.Array(Line)
}).annotate({ identifier: "MergeQueueLog", description: "A page of the log, the newest sentence first." })

const FailedTest = Schema.Struct({
  check: Schema.String,
  test: Schema.NullOr(Schema.String),
  verdict: FailureClass.FailureClass,
  probability: Schema.NullOr(Schema.Finite)
}).annotate({
  identifier: "MergeQueueFailure",
  description:
    "A failure of a group and what it is judged to be; `test` is null where a check failed without a report of tests."
})

const Outcome = Schema.Struct({
  at: Timestamp,
  outcome: Schema.Literals(["evicted", "healed"]),
  reason: Fate.Reason,
  sentence: Schema.String,
  commit: Schema.NullOr(Schema.String),
  checks: Schema.Array(Schema.String),
  tests: Schema.Array(FailedTest),
  attempts: Schema.Int,
  url: Schema.NullOr(Schema.String),
  by: Schema.NullOr(Schema.String),
  is_saved: Schema.Boolean
}).annotate({
  identifier: "MergeQueueOutcome",
  description:
    "Why a pull request left the queue, or how the gate kept it. `commit` is that of its group, `url` the page of the check that failed, `by` " +
    "the person who took it out. `is_saved`: the gate kept it, or in the shadow would have kept it."
})

/** The history of one pull request. */
export const MergeQueueHistory = Schema.Struct({
  number: Schema.Int,
  outcomes: Schema.Array(Outcome),
  lines: Schema.Array(Line)
}).annotate({
  identifier: "MergeQueueHistory",
  description: "How a pull request left the queue or was kept in it, and the sentences about it, the newest first."
})

/** A request that was taken; the log shows what follows from it. */
export const MergeQueueAsked = Schema.Struct({
  number: Schema.Int,
  branch: Schema.String
}).annotate({ identifier: "MergeQueueAsked", description: "The pull request and its base branch." })
