import { assert, describe, it } from "@effect/vitest"
import { type QueueCheck, QueueEvent } from "@lazaret/queue"
import { GitHubWebhook } from "@lazaret/ingest"
import { Result } from "effect"
import { changed, faultsOf, fixture, read, reasonOf } from "./delivery.ts"

const at = (time: string): number => Date.parse(`2026-01-31T${time}Z`)

const round = "89e6c98d92887913cadf06b2adb97f26cde4849b"

const about42 = { branch: "main", pullRequest: 42 }

const nothing = { events: [], pulls: [], defaultBranch: null, configurationFile: null, heads: [], press: null }

describe("pull_request", () => {
  it("enqueued: queued when it was last updated", () => {
    assert.deepStrictEqual(read("pull_request", fixture("pull_request.enqueued")), {
      ...nothing,
      repository: { owner: "acme", repository: "widgets" },
      events: [
        {
          ...about42,
          id: "github:0:pull_request:enqueued:PR_kwDOCyM9Ss5MPk2t:2026-01-31T11:45:00.000Z",
          at: at("11:45:00"),
          kind: "queued"
        }
      ]
    })
  })

  it("dequeued: dequeued with the reason, and merged if that is why", () => {
    const [dequeued] = read("pull_request", fixture("pull_request.dequeued")).events
    assert.deepInclude(dequeued, { ...about42, kind: "dequeued", at: at("11:52:15"), reason: "CI_FAILURE" })
    const merged = { "pull_request.merged_at": "2026-01-31T11:52:20Z", reason: "MERGE" }
    const [left] = read("pull_request", changed("pull_request.dequeued", merged)).events
    assert.deepInclude(left, { ...about42, kind: "merged", at: at("11:52:20") })
  })

  it("closed by a merge: merged, and the commit came with this pull request", () => {
    const { events, pulls } = read("pull_request", fixture("pull_request.closed"))
    assert.deepInclude(events[0], { ...about42, kind: "merged", at: at("11:52:20") })
    const user = { id: 583_231, login: "octocat" }
    assert.deepStrictEqual(pulls, [
      { commit: round, pull: { id: 1_279_147_437, number: 42, title: "Pay with a card", user } }
    ])
  })

  it("closed without a merge, and every other action, is ignored", () => {
    const unmerged = { "pull_request.merged_at": null, "pull_request.merged": false }
    assert.include(reasonOf("pull_request", changed("pull_request.closed", unmerged)), "without being merged")
    assert.include(reasonOf("pull_request", changed("pull_request.closed", { action: "assigned" })), `"assigned"`)
    assert.include(reasonOf("pull_request", {}), `""`)
  })

  it("a new head commit is one whose report is wanted", () => {
    for (const action of ["opened", "reopened", "synchronize"]) {
      const { heads } = read("pull_request", changed("pull_request.closed", { action }))
      assert.deepStrictEqual(heads, [fixture("pull_request.closed").pull_request.head.sha])
    }
  })

  it("a pull request without an author is merged in the queue and yields no fact", () => {
    const { events, pulls } = read("pull_request", changed("pull_request.closed", { "pull_request.user": null }))
    assert.deepStrictEqual([events.length, pulls], [1, []])
  })

  it("an event that lacks required fields is refused with all of their names", () => {
    const wrong = {
      "pull_request.number": 9_007_199_254_740_992,
      "pull_request.updated_at": "yesterday",
      "pull_request.base": {},
      "repository.owner.login": 7
    }
    assert.sameMembers(
      [...new Set(faultsOf("pull_request", changed("pull_request.enqueued", wrong)))],
      ["pull_request.number", "pull_request.updated_at", "pull_request.base.ref", "repository.owner.login"]
    )
  })
})

describe("merge_group", () => {
  it("checks_requested: queued, if nobody has told yet, and a round of checks with the name of the commit", () => {
    const { events } = read("merge_group", fixture("merge_group.checks_requested"))
    const common = { ...about42, at: at("11:45:02") }
    assert.deepStrictEqual(events, [
      { ...common, id: `github:0:merge_group:checks_requested:${round}:2026-01-31T11:45:02.000Z`, kind: "queued" },
      {
        ...common,
        id: `github:1:merge_group:checks_requested:${round}:2026-01-31T11:45:02.000Z`,
        kind: "checks_started",
        checkType: "draft_pr",
        round
      }
    ])
  })

  it("merge_group happens when the repository was last pushed to, if the commit is older", () => {
    const rebased = { "merge_group.head_commit.timestamp": "2026-01-28T10:00:00+01:00" }
    const [queued] = read("merge_group", changed("merge_group.checks_requested", rebased)).events
    assert.strictEqual(queued?.at, at("11:45:02"))
    const unpushed = { "repository.pushed_at": null }
    const [other] = read("merge_group", changed("merge_group.destroyed", unpushed)).events
    assert.strictEqual(other?.at, at("11:45:02"))
  })

  it("destroyed: merged, dequeued, or checks that are stale", () => {
    const ended = (reason: string | null) => {
      const [event] = read("merge_group", changed("merge_group.destroyed", { reason })).events
      return event
    }
    assert.deepInclude(ended("merged"), { ...about42, kind: "merged", at: at("11:52:20") })
    assert.deepInclude(ended("dequeued"), { ...about42, kind: "dequeued" })
    for (const reason of ["invalidated", "another", null]) {
      assert.deepInclude(ended(reason), { ...about42, kind: "checks_ended", state: "stale", round })
    }
  })

  const refs: ReadonlyArray<readonly [string, string, number]> = [
    ["gh-readonly-queue/main/pr-1-abc", "main", 1],
    ["refs/heads/gh-readonly-queue/release/4.2/pr-42-abc", "release/4.2", 42],
    ["gh-readonly-queue/a/pr-1-abc/pr-2-abc", "a/pr-1-abc", 2],
    ["gh-readonly-queue/main/pr-9007199254740991-0", "main", 9_007_199_254_740_991]
  ]
  for (const [ref, branch, pullRequest] of refs) {
    it(`${ref} is pull request ${pullRequest} into ${branch}`, () => {
      const payload = changed("merge_group.checks_requested", { "merge_group.head_ref": ref })
      assert.deepInclude(read("merge_group", payload).events[0], { branch, pullRequest })
    })
  }

  for (const ref of [
    "refs/heads/main",
    "gh-readonly-queue/main",
    "gh-readonly-queue//pr-1-abc",
    "gh-readonly-queue/main/pr-x-abc",
    "gh-readonly-queue/main/pr-1",
    "x/gh-readonly-queue/main/pr-1-abc",
    "gh-readonly-queue/main/pr-9007199254740993-abc"
  ]) {
    it(`${ref} names no pull request`, () => {
      const payload = changed("merge_group.checks_requested", { "merge_group.head_ref": ref })
      assert.include(reasonOf("merge_group", payload), "names no queued pull request")
    })
  }
})

describe("checks", () => {
  const check = {
    name: "unit",
    description: "",
    url: "https://github.com/acme/widgets/actions/runs/21544/job/61789544310",
    detailsUrl: "https://github.com/acme/widgets/actions/runs/21544/job/61789544310",
    state: "pending",
    avatarUrl: "https://avatars.githubusercontent.com/u/9919?v=4"
  }
  const checkOf = (event: QueueEvent.QueueEvent | undefined): unknown =>
    event !== undefined && "kind" in event && event.kind === "check_updated" ? event.check : null
  const [created] = read("check_run", fixture("check_run.created")).events
  const [completed] = read("check_run", fixture("check_run.completed")).events

  it("a check run is a check, as it is when it started and when it ended", () => {
    assert.deepInclude(created, { ...about42, kind: "check_updated", at: at("11:45:10"), round })
    assert.deepStrictEqual(checkOf(created), check)
    assert.deepInclude(completed, { ...about42, kind: "check_updated", at: at("11:52:10"), round })
    assert.deepStrictEqual(checkOf(completed), { ...check, description: "240 tests passed", state: "success" })
  })

  const conclusions: ReadonlyArray<readonly [string | null, QueueCheck.EndState]> = [
    ["success", "success"],
    ["failure", "failure"],
    ["neutral", "neutral"],
    ["cancelled", "cancelled"],
    ["skipped", "skipped"],
    ["timed_out", "timed_out"],
    ["action_required", "action_required"],
    ["stale", "stale"],
    ["startup_failure", "error"],
    ["something_new", "error"],
    [null, "error"]
  ]
  for (const [conclusion, state] of conclusions) {
    it(`the conclusion ${conclusion} is the state ${state}`, () => {
      const run = changed("check_run.completed", { "check_run.conclusion": conclusion })
      assert.deepStrictEqual(checkOf(read("check_run", run).events[0]), {
        ...check,
        description: "240 tests passed",
        state
      })
      const suite = changed("check_suite.completed", { "check_suite.conclusion": conclusion })
      assert.deepInclude(read("check_suite", suite).events[0], { kind: "checks_ended", state })
    })
  }

  it("a suite that is over is one of the round's", () => {
    assert.deepStrictEqual(read("check_suite", fixture("check_suite.completed")).events, [
      {
        ...about42,
        id: "github:4:check_suite:completed:CS_kwDOCyM9Ss8AAAAMzu3UEQ:2026-01-31T11:52:11.000Z",
        at: at("11:52:11"),
        kind: "checks_ended",
        state: "success",
        round,
        suite: "CS_kwDOCyM9Ss8AAAAMzu3UEQ"
      }
    ])
  })

  it("a status is a check of the group whose commit it is, not of those behind it", () => {
    assert.deepStrictEqual(read("status", fixture("status")).events, [
      {
        ...about42,
        id: "github:3:status:36541234567:42:2026-01-31T11:50:00.000Z",
        at: at("11:50:00"),
        kind: "check_updated",
        round,
        check: {
          name: "ci/build",
          description: "Build 815 passed",
          url: "https://ci.example.com/builds/815",
          detailsUrl: "https://ci.example.com/builds/815",
          state: "success",
          avatarUrl: "https://avatars.githubusercontent.com/oa/99?v=4"
        }
      }
    ])
  })

  it("checks that are not about a merge group, or change nothing, are ignored", () => {
    const topic = { "check_run.check_suite.head_branch": "cards" }
    assert.include(reasonOf("check_run", changed("check_run.created", topic)), "not about a merge group")
    const none = { "check_suite.head_branch": null }
    assert.include(reasonOf("check_suite", changed("check_suite.completed", none)), "not about a merge group")
    assert.deepStrictEqual(read("status", changed("status", { branches: [] })), {
      ...nothing,
      repository: { owner: "acme", repository: "widgets" },
      checked: round
    })
    assert.include(reasonOf("check_run", changed("check_run.created", { action: "archived" })), "changes no check")
    assert.include(reasonOf("check_suite", changed("check_suite.completed", { action: "requested" })), "ends no checks")
    const timeless = { "check_run.started_at": null }
    assert.include(reasonOf("check_run", changed("check_run.created", timeless)), "no time")
  })

  it("a pressed button of a check names its commit and who pressed it; a repetition asks for the report", () => {
    const button = { action: "requested_action", requested_action: { identifier: "rerun_failed_jobs" } }
    const { press } = read("check_run", changed("check_run.created", button))
    const { check_run: run, sender } = fixture("check_run.created")
    assert.deepStrictEqual(press, { action: "rerun_failed_jobs", commit: run.head_sha, by: sender.login })
    const again = read("check_run", changed("check_run.created", { action: "rerequested" }))
    assert.deepStrictEqual([again.heads, again.press], [[run.head_sha], null])
    const nameless = { action: "requested_action", requested_action: null }
    assert.include(reasonOf("check_run", changed("check_run.created", nameless)), "names no button")
    const long = { action: "requested_action", requested_action: { identifier: "x".repeat(101) } }
    assert.deepStrictEqual(faultsOf("check_run", changed("check_run.created", long)), ["requested_action.identifier"])
  })

  it("checks without a suite, or in one without a branch, are about no merge group", () => {
    for (const change of [{ "check_run.check_suite": null }, { "check_run.check_suite.head_branch": null }]) {
      const run = changed("check_run.completed", change)
      assert.strictEqual(reasonOf("check_run", run), "The check is not about a merge group.")
    }
  })

  it("checks keep what can be kept of texts and addresses", () => {
    const odd = {
      "check_run.name": "",
      "check_run.output": { title: `a\0${"x".repeat(20_000)}` },
      "check_run.html_url": "javascript:alert(1)",
      "check_run.details_url": null,
      "check_run.app": null
    }
    const [event] = read("check_run", changed("check_run.created", odd)).events
    assert.deepStrictEqual(checkOf(event), {
      name: "check",
      description: `a\uFFFD${"x".repeat(9998)}`,
      url: null,
      detailsUrl: null,
      state: "pending",
      avatarUrl: null
    })
  })
})

describe("push", () => {
  it("a push to the default branch tells its name, and whether the configuration file has changed", () => {
    const { configurationFile, defaultBranch } = read("push", fixture("push"))
    assert.deepStrictEqual([defaultBranch, configurationFile], ["main", ".lazaret/queue.yml"])
    assert.strictEqual(read("push", changed("push", { commits: [] })).configurationFile, null)
    for (const list of ["added", "removed"]) {
      const payload = changed("push", {
        commits: [{ added: [], modified: [], removed: [], [list]: [".lazaret/queue.yml"] }]
      })
      assert.strictEqual(read("push", payload).configurationFile, ".lazaret/queue.yml", list)
    }
  })

  it("a push to another branch, or of a tag, is ignored", () => {
    for (const ref of ["refs/heads/cards", "refs/tags/main", "main"]) {
      assert.include(reasonOf("push", changed("push", { ref })), "not one to the default branch")
    }
  })
})

describe("a repository that the interface cannot name", () => {
  const reason = (name: string) =>
    `The repository "${name}" has no path here: an owner is 1 to 40 letters, digits and hyphens, a name 1 to 100 ` +
    "letters, digits, underscores, hyphens and dots."

  it("a repository that the interface cannot name is ignored by its name, whatever the event", () => {
    for (const event of GitHubWebhook.events) {
      const payload = { repository: { name: "widgets", owner: { login: "jane_acme" } } }
      assert.strictEqual(reasonOf(event, payload), reason("jane_acme/widgets"))
    }
    const odd = changed("pull_request.enqueued", { "repository.name": "wid gets\0" })
    assert.strictEqual(reasonOf("pull_request", odd), reason("acme/wid gets\uFFFD"))
    const long = changed("push", { "repository.owner.login": "x".repeat(1000) })
    assert.isBelow(reasonOf("push", long).length, 400)
  })

  it("a repository that the interface cannot name is malformed when it has no name at all", () => {
    const payload = changed("pull_request.enqueued", { "repository.owner": null })
    assert.deepStrictEqual(faultsOf("pull_request", payload), ["repository.owner"])
  })
})

describe("workflow_run", () => {
  it("a run of a workflow without a name is read", () => {
    const { repository } = fixture("push")
    const run = { id: 7, name: "", head_sha: "a".repeat(40), run_attempt: 1 }
    const { ciRun } = read("workflow_run", { action: "requested", workflow_run: run, repository })
    assert.deepInclude(ciRun, { runId: "7", pipelineName: "", state: "running" })
  })
})

describe("workflow_job", () => {
  const { repository } = fixture("push")
  const job = {
    run_id: 7,
    run_attempt: 2,
    name: "unit (3)",
    started_at: "2026-01-31T11:58:00Z",
    completed_at: "2026-01-31T12:00:00Z"
  }

  it("a job that has ended has the time from its start to its end", () => {
    const { jobTimes } = read("workflow_job", { action: "completed", workflow_job: job, repository })
    assert.deepStrictEqual(jobTimes, [
      { runId: "7", runAttempt: 2, jobName: "unit (3)", at: at("12:00:00"), durationMs: 120_000 }
    ])
  })

  it("a job that runs, that was skipped, or that waited for days has no time", () => {
    const reason = (action: string, parts: object) =>
      reasonOf("workflow_job", { action, workflow_job: { ...job, ...parts }, repository })
    assert.strictEqual(reason("in_progress", { completed_at: null }), "The job has not ended.")
    for (const parts of [
      { completed_at: job.started_at },
      { started_at: "2026-01-20T00:00:00Z" },
      { name: "x".repeat(256) }
    ])
      assert.strictEqual(reason("completed", parts), "The job has no time.")
  })
})

describe("every other event", () => {
  it("every other event is ignored by its name", () => {
    assert.include(reasonOf("ping", fixture("ping")), `"ping"`)
    assert.include(reasonOf("x".repeat(10_000), {}), "are not used here")
    assert.include(reasonOf("constructor", {}), "are not used here")
  })
})

describe("repository and installation", () => {
  const repository = { name: "gears", owner: { login: "acme" }, default_branch: "main" }
  const named = { owner: "acme", repository: "gears" }

  it("a repository with another name or owner is known by the one that it had", () => {
    const renamed = { action: "renamed", repository, changes: { repository: { name: { from: "widgets" } } } }
    assert.deepStrictEqual(read("repository", renamed), {
      ...nothing,
      repository: { owner: "acme", repository: "widgets" },
      change: { name: "renamed", to: "acme/gears" }
    })
    for (const from of [{ user: { login: "ada" } }, { organization: { login: "ada" } }]) {
      const transferred = { action: "transferred", repository, changes: { owner: { from } } }
      assert.deepStrictEqual(read("repository", transferred), {
        ...nothing,
        repository: { owner: "ada", repository: "gears" },
        change: { name: "transferred", to: "acme/gears" }
      })
    }
  })

  it("an archived or deleted repository keeps its name; other actions are ignored", () => {
    for (const action of ["archived", "unarchived", "deleted"]) {
      const reading = { ...nothing, repository: named, change: { name: action, to: null } }
      assert.deepStrictEqual(read("repository", { action, repository }), reading)
    }
    assert.include(reasonOf("repository", { action: "publicized", repository }), "keeps its name")
    assert.include(reasonOf("repository", { action: "renamed", repository }), "keeps its name")
  })

  it("an installation names its account and its change, and other actions are ignored", () => {
    const installation = { account: { login: "acme" } }
    for (const name of ["created", "deleted", "suspend", "unsuspend"] as const) {
      const reading = GitHubWebhook.readInstallation({ action: name, installation })
      assert.deepStrictEqual(Result.getOrThrow(reading), { owner: "acme", name })
    }
    const other = GitHubWebhook.readInstallation({ action: "new_permissions_accepted", installation })
    assert.strictEqual(Result.getOrThrow(Result.flip(other)).kind, "ignored")
    const malformed = GitHubWebhook.readInstallation({ action: "created" })
    assert.strictEqual(Result.getOrThrow(Result.flip(malformed)).kind, "malformed")
  })
})
