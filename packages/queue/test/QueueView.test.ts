import { assert, describe, it } from "@effect/vitest"
import { MergeQueue, type QueueEvent, QueueRule, QueueView } from "@lazaret/queue"
import { queueEvents, queueRules } from "../src/testing/queues.ts"

const common = { branch: "main", pullRequest: 7 }
const rules = QueueRule.prioritize([{ name: "hotfix", settings: {} }])
const circumstances = { rules, pause: null, now: 60_000 }

const viewOf = (events: ReadonlyArray<QueueEvent.QueueEvent>) =>
  QueueView.queues(MergeQueue.fold(events).queue, circumstances)[0]?.pullRequests[0]

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
  it.prop(
    "every queue that holds a pull request is shown, and positions count from 0",
    [queueEvents, queueRules],
    ([events, drawn]) => {
      const { queue } = MergeQueue.fold(events)
      const views = QueueView.queues(queue, { rules: drawn, pause: null, now: 60_000 })
      assert.deepStrictEqual(
        views.map((view) => view.branch.name),
        queue.branches.filter((each) => each.pullRequests.length > 0).map((each) => each.branch)
      )
      for (const view of views) {
        assert.deepStrictEqual(
          view.pullRequests.map((each) => each.position),
          view.pullRequests.map((_, index) => index)
        )
      }
    }
  )

  it("a queued pull request is shown with exactly the fields of the interface", () => {
    assert.deepStrictEqual(viewOf(started), {
      number: 7,
      position: 0,
      priority: 3000,
      effectivePriority: 3000,
      priorityAlias: "high",
      queueRule: { name: "hotfix", config: { priority: 0, ...QueueRule.defaults } },
      queuedAt: 1000,
      speculativeCheckPullRequest: {
        inPlace: false,
        number: 90,
        startedAt: 2000,
        endedAt: null,
        checks: [],
        evaluatedConditions: "all met",
        state: "pending"
      },
      mergeabilityCheck: {
        checkType: "draft_pr",
        pullRequestNumber: 90,
        startedAt: 2000,
        endedAt: null,
        state: "pending"
      },
      estimatedTimeOfMerge: null,
      partitionName: "__default__"
    })
  })

  it("before the first checks both views of them are null", () => {
    const view = viewOf(started.slice(0, 1))
    assert.isNull(view?.mergeabilityCheck)
    assert.isNull(view?.speculativeCheckPullRequest)
  })

  it("a trusted pull request neither started nor ended a check and stands as passed", () => {
    const trusted = { ...common, id: "3", at: 3000, kind: "checks_started", checkType: "trusted" } as const
    const view = viewOf([...started, trusted])
    assert.deepStrictEqual(view?.mergeabilityCheck, {
      checkType: "trusted",
      pullRequestNumber: 7,
      startedAt: null,
      endedAt: null,
      state: "success"
    })
    assert.deepInclude(view?.speculativeCheckPullRequest, { inPlace: true, startedAt: null, endedAt: null })
  })

  it("a priority without a name is shown as its number", () => {
    const changed = { ...common, id: "3", at: 3000, kind: "priority_changed", priority: 2500 } as const
    assert.strictEqual(viewOf([...started, changed])?.priorityAlias, "2500")
  })

  it("a branch whose queue has run empty is not shown", () => {
    assert.isUndefined(viewOf([...started, { ...common, id: "3", at: 3000, kind: "merged" }]))
  })
})
