import { assert, describe, it } from "@effect/vitest"
import { MergeQueue, type QueueEvent, QueueRule, QueueView } from "@lazaret/domain"
import { Schema } from "effect"
import { queueEvents, queueRules } from "../../src/testing/queues.ts"

const isQueue = Schema.is(QueueView.Queue)
const common = { branch: "main", pullRequest: 7 }
const rules = QueueRule.prioritize([{ name: "hotfix", settings: {} }])
const circumstances = { rules, pause: null, now: 60_000 }

const viewOf = (events: ReadonlyArray<QueueEvent.QueueEvent>) =>
  QueueView.queues(MergeQueue.fold(events).queue, circumstances)[0]?.pull_requests[0]

const started: ReadonlyArray<QueueEvent.QueueEvent> = [
  { ...common, id: "1", at: 1000, kind: "queued", queueRule: "hotfix", priority: 3000 },
  {
    ...common,
    id: "2",
    at: 2000,
    kind: "checks_started",
    checkType: "draft_pr",
    checkPullRequest: 90,
    evaluatedConditions: "all met"
  }
]

describe("QueueView", () => {
  it.prop("views fit the interface, and positions count from 0", [queueEvents, queueRules], ([events, drawn]) => {
    const { queue } = MergeQueue.fold(events)
    const views = QueueView.queues(queue, { rules: drawn, pause: null, now: 60_000 })
    assert.deepStrictEqual(
      views.map((view) => view.branch.name),
      queue.branches.filter((each) => each.pullRequests.length > 0).map((each) => each.branch)
    )
    for (const view of views) {
      assert.isTrue(isQueue(view))
      assert.deepStrictEqual(
        view.pull_requests.map((each) => each.position),
        view.pull_requests.map((_, index) => index)
      )
    }
  })

  it("a queued pull request is shown with exactly the fields of the interface", () => {
    assert.deepStrictEqual(viewOf(started), {
      number: 7,
      position: 0,
      priority: 3000,
      effective_priority: 3000,
      priority_alias: "high",
      queue_rule: { name: "hotfix", config: { priority: 0, ...QueueRule.defaults } },
      queued_at: 1000,
      speculative_check_pull_request: {
        in_place: false,
        number: 90,
        started_at: 2000,
        ended_at: null,
        checks: [],
        evaluated_conditions: "all met",
        state: "pending"
      },
      mergeability_check: {
        check_type: "draft_pr",
        pull_request_number: 90,
        started_at: 2000,
        ended_at: null,
        state: "pending"
      },
      estimated_time_of_merge: null,
      partition_name: "__default__"
    })
  })

  it("before the first checks both views of them are null", () => {
    const view = viewOf(started.slice(0, 1))
    assert.isNull(view?.mergeability_check)
    assert.isNull(view?.speculative_check_pull_request)
  })

  it("a trusted pull request neither started nor ended a check and stands as passed", () => {
    const trusted = { ...common, id: "3", at: 3000, kind: "checks_started", checkType: "trusted" } as const
    const view = viewOf([...started, trusted])
    assert.deepStrictEqual(view?.mergeability_check, {
      check_type: "trusted",
      pull_request_number: 7,
      started_at: null,
      ended_at: null,
      state: "success"
    })
    assert.deepInclude(view?.speculative_check_pull_request, { in_place: true, started_at: null, ended_at: null })
  })

  it("a priority without a name is shown as its number", () => {
    const changed = { ...common, id: "3", at: 3000, kind: "priority_changed", priority: 2500 } as const
    assert.strictEqual(viewOf([...started, changed])?.priority_alias, "2500")
  })

  it("a branch whose queue has run empty is not shown", () => {
    assert.isUndefined(viewOf([...started, { ...common, id: "3", at: 3000, kind: "merged" }]))
  })
})
