/** One example of each body of the merge queue for the description of the API, in the words of the wire. */
import type { Schema } from "effect"
import type * as MergeQueue from "./MergeQueue.ts"
import type * as PlatformEvent from "./PlatformEvent.ts"
import type * as Queue from "./Queue.ts"
import * as QueueFeed from "./QueueFeed.ts"

type Encoded<S extends Schema.Top> = S["Encoded"]

const rule: Encoded<typeof Queue.QueueRule> = {
  name: "default",
  config: {
    priority: 0,
    batch_size: 3,
    batch_max_wait_time: 30,
    batch_max_failure_resolution_attempts: null,
    allow_inplace_checks: true,
    allow_queue_branch_edit: false,
    checks_timeout: 5400,
    commit_message_template: null,
    draft_bot_account: null,
    merge_bot_account: null,
    merge_method: "merge",
    queue_branch_merge_method: null,
    queue_branch_prefix: "gh-readonly-queue/",
    update_bot_account: null,
    update_method: "merge"
  }
}

const pauses: Encoded<typeof Queue.QueuePauses> = {
  queue_pause: [{ reason: "Release 4.2 is being cut.", pause_date: "2026-01-31T12:00:00.000Z" }]
}

const check = {
  name: "unit",
  description: "240 tests passed",
  url: "https://ci.example.com/jobs/4711",
  details_url: null,
  state: "success",
  avatar_url: null
} as const

const times = { started_at: "2026-01-31T11:45:10.000Z", ended_at: null }

const branch = { name: "main" }

const brief = { check_type: "draft_pr", pull_request_number: 57, ...times, state: "success" } as const

const known = { checks: [check], evaluated_conditions: "- [X] `check-success = unit`" }

const queued = {
  number: 42,
  position: 0,
  priority: 2000,
  effective_priority: 2000,
  priority_alias: "medium",
  queue_rule: rule,
  queued_at: "2026-01-31T11:45:00.000Z",
  mergeability_check: brief,
  estimated_time_of_merge: "2026-01-31T12:05:00.000Z",
  partition_name: "__default__"
}

const old = { in_place: false, number: 57, ...times, ...known, state: "success" } as const

const queues: Encoded<typeof Queue.Queues> = {
  queues: [{ branch, pull_requests: [{ ...queued, speculative_check_pull_request: old }] }]
}

const status: Encoded<typeof MergeQueue.MergeQueueStatus> = {
  pause: null,
  queues: [{ branch, pull_requests: [queued] }]
}

const pull: Encoded<typeof MergeQueue.MergeQueuePull> = {
  branch,
  ...queued,
  mergeability_check: { ...brief, ...known }
}

const branches: Encoded<typeof MergeQueue.MergeQueueBranches> = {
  branches: [{ name: "main", queued_count: 1, median_checks_duration: 780 }]
}

const pause: Encoded<typeof MergeQueue.MergeQueuePause> = {
  pause: pauses.queue_pause[0] ?? null,
  effect: "holds_merges"
}

const finding = {
  level: "impossible",
  rule: "unit",
  message:
    "unit is required by the repository: one red run evicts a pull request before it is judged. Remove it from the rule."
} as const

const evictedLine = {
  seq: 1204,
  at: "2026-01-31T12:03:00.000Z",
  kind: "group_concluded",
  pulls: [42],
  sentence:
    "#42 failed the gate. e2e (LoginTest.reset) failed in 2 attempts. The failure is judged to be caused by this change."
}

const engines: Encoded<typeof MergeQueue.MergeQueueEngines> = {
  explanation: null,
  pull_sign: "#",
  engines: [
    {
      branch: "main",
      mode: "gate",
      shadow: false,
      is_acting: true,
      explanation: "The gate decides which groups are merged.",
      required_checks: ["unit", "e2e"],
      pause: null,
      incident: null,
      findings: [],
      groups: [
        {
          id: "9fceb02d0ae598e95dc970b74767f19372d61af8",
          onto: "d670460b4b4aece5915caf5c68d12f560a9fe3e4",
          tree: "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
          pulls: [43],
          seen_at: "2026-01-31T12:00:00.000Z",
          attempt: 1,
          checks: [{ name: "unit", state: "pending", attempt: 1, url: null }],
          conclusion: null,
          explanation: "Waiting for the required checks: unit."
        }
      ],
      waiting: [44],
      returning: [],
      evicted: [
        {
          number: 42,
          head: "6dcb09b5b57875f334f61aebed695e2e4193db5e",
          explanation: "e2e (LoginTest.reset) failed in 2 attempts. The failure is judged to be caused by this change."
        }
      ],
      batches: [],
      queued: [],
      foresight: null,
      savings: [
        {
          week: "2026-01-26",
          evictions: 12,
          saved_evictions: 9,
          saved_ci_hours: 31.5,
          reused_groups: 0,
          sentence: "Week of 2026-01-26: 12 evictions; the gate kept 9 other pull requests, and 31.5 hours of CI."
        }
      ]
    }
  ]
}

const preflight: Encoded<typeof MergeQueue.MergeQueuePreflight> = {
  branch: "main",
  mode: "gate",
  shadow: false,
  can_act: false,
  is_live: true,
  findings: [finding]
}

const log: Encoded<typeof MergeQueue.MergeQueueLog> = { size: 1, per_page: 10, lines: [evictedLine] }

const history: Encoded<typeof MergeQueue.MergeQueueHistory> = {
  number: 42,
  outcomes: [
    {
      at: "2026-01-31T12:05:00.000Z",
      outcome: "evicted",
      reason: "checks_failed",
      sentence: "e2e (LoginTest.reset) failed in 2 attempts. The failure is judged to be caused by this change.",
      commit: "9fceb02d0ae598e95dc970b74767f19372d61af8",
      checks: ["e2e"],
      tests: [{ check: "e2e", test: "LoginTest.reset", verdict: "real", probability: 0.04 }],
      attempts: 2,
      url: "https://github.com/acme/widgets/actions/runs/812",
      by: null,
      is_saved: false
    }
  ],
  lines: [evictedLine]
}

const asked: Encoded<typeof MergeQueue.MergeQueueAsked> = { number: 42, branch: "main" }

const about42 = { branch: "main", pull_request: 42 }

const events: Encoded<typeof QueueFeed.QueueEvents> = {
  events: [
    { id: "q-1", at: "2026-01-31T11:45:00Z", ...about42, kind: "queued", queue_rule: "default", priority: "medium" },
    {
      id: "q-2",
      at: "2026-01-31T11:45:10Z",
      ...about42,
      kind: "checks_started",
      check_type: "draft_pr",
      check_pull_request: 57
    },
    { id: "q-3", at: "2026-01-31T11:58:00Z", ...about42, kind: "check_updated", check }
  ]
}

const outcomes: Encoded<typeof QueueFeed.QueueOutcomes> = {
  outcomes: [
    { id: "q-1", status: "applied" },
    { id: "q-2", status: "applied" },
    {
      id: "q-3",
      status: "ignored",
      reason: "duplicate",
      detail: `An event with the id "q-3" has been seen.`
    }
  ]
}

const kept: Encoded<typeof QueueFeed.KeptQueueConfiguration> = {
  valid: false,
  errors: [
    {
      location: "configuration.queue_rules[0].batchsize",
      line: 3,
      message: "is not a known key; did you mean batch_size?"
    }
  ]
}

const delivery = {
  action: "enqueued",
  pull_request: {
    id: 901,
    node_id: "PR_kwDOAbCdEf4",
    number: 42,
    title: "Pay with a card",
    user: { id: 7, login: "octocat" },
    base: { ref: "main" },
    updated_at: "2026-01-31T11:45:00Z"
  },
  repository: { name: "widgets", owner: { login: "acme" }, default_branch: "main" }
}

const gitLabDelivery = {
  object_kind: "merge_request",
  user: { id: 7, username: "ada" },
  project: { path_with_namespace: "acme/widgets", default_branch: "main" },
  object_attributes: {
    id: 901,
    iid: 42,
    title: "Pay with a card",
    action: "open",
    author_id: 7,
    last_commit: { id: "4f1c" }
  }
}

const answer: Encoded<typeof PlatformEvent.PlatformEventAnswer> = {
  accepted: true,
  outcomes: [{ id: "github:0:pull_request:enqueued:PR_kwDOAbCdEf4:2026-01-31T11:45:00.000Z", status: "applied" }],
  notes: []
}

const yaml = "queue_rules:\n  - name: default\n    batchsize: 3\n"

const json = "application/json"

const form = "application/x-www-form-urlencoded"

/** The examples of the operations on merge queues. */
export const queueExamples = {
  getQueuesConfiguration: { response: { configuration: [rule] } satisfies Encoded<typeof Queue.QueuesConfiguration> },
  pauseQueue: { request: { [json]: { reason: "Release 4.2 is being cut." } }, response: pauses },
  getQueuePause: { response: pauses },
  getQueues: { response: queues },
  getQueueBranches: { response: { base_refs: ["main", "release/4.2"] } },
  getMergeQueueStatus: { response: status },
  getMergeQueuePull: { response: pull },
  getMergeQueueBranches: { response: branches },
  getMergeQueuePause: { response: pause },
  pauseMergeQueue: { request: { [json]: { reason: "Release 4.2 is being cut." } }, response: pause },
  getMergeQueueEngine: { response: engines },
  getMergeQueuePreflight: { response: preflight },
  listMergeQueueLog: { response: log },
  getMergeQueueHistory: { response: history },
  queuePull: { response: asked },
  dequeuePull: { response: asked },
  recordQueueEvents: { request: { [json]: events }, response: outcomes },
  putQueuesConfiguration: {
    request: Object.fromEntries(QueueFeed.yamlTypes.map((type) => [type, yaml])),
    response: kept
  },
  receiveGitHubEvent: {
    request: { [json]: delivery, [form]: { payload: JSON.stringify(delivery) } },
    response: answer
  },
  receiveGitLabEvent: {
    request: { [json]: gitLabDelivery },
    response: { accepted: true, outcomes: [], notes: ["The report on commit 4f1c is brought up to date."] }
  }
}
