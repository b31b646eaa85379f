import { assert, describe, it } from "@effect/vitest"
import { Instant } from "@lazaret/domain"
import { MergeQueue, QueueStatus, QueueView } from "@lazaret/queue"
import { Schema } from "effect"
import { queueEvents, queueRules } from "../src/testing/queues.ts"

const pause = { reason: "release", pauseDate: 0 }

const now = 90 * Instant.second

describe("QueueStatus laws", () => {
  it.prop(
    "the status shows the queues of the interface and the pause",
    [queueEvents, queueRules, Schema.Boolean],
    ([events, rules, isPaused]) => {
      const { queue } = MergeQueue.fold(events)
      const circumstances = { rules, pause: isPaused ? pause : null, now }
      assert.deepStrictEqual(QueueStatus.status(queue, circumstances), {
        pause: circumstances.pause,
        queues: QueueView.queues(queue, circumstances)
      })
    }
  )

  it.prop(
    "a pull request is found by its number while it is queued, and only then, as the status shows it",
    [queueEvents, queueRules],
    ([events, rules]) => {
      const { queue } = MergeQueue.fold(events)
      const circumstances = { rules, pause: null, now }
      const { queues } = QueueStatus.status(queue, circumstances)
      for (const number of [0, 1, 2, 3, 4, 5]) {
        const home = queues.find((each) => each.pullRequests.some((one) => one.number === number))
        const found = QueueStatus.pull(queue, number, circumstances)
        assert.strictEqual(found?.branch.name, home?.branch.name)
        if (found === null) continue
        const { branch: _branch, mergeabilityCheck: check, ...shared } = found
        const listed = home?.pullRequests[found.position]
        assert.deepInclude(listed, shared)
        if (check === null) assert.isNull(listed?.mergeabilityCheck)
        else assert.deepInclude(check, listed?.mergeabilityCheck ?? assert.fail("no check is listed"))
      }
    }
  )

  it.prop(
    "branches count what the queues hold, and have a duration when there are estimates",
    [queueEvents],
    (drawn) => {
      const { queue } = MergeQueue.fold(drawn[0])
      for (const branch of QueueStatus.branches(queue)) {
        const shown = QueueView.queues(queue, { rules: [], pause: null, now }).find(
          (each) => each.branch.name === branch.name
        )
        assert.strictEqual(branch.queuedCount, shown?.pullRequests.length ?? 0)
        for (const { estimatedTimeOfMerge: estimate } of shown?.pullRequests ?? []) {
          assert.strictEqual(estimate === null, branch.medianChecksDuration === null)
        }
      }
    }
  )
})

describe("QueueStatus", () => {
  const common = { branch: "main", pullRequest: 7 }
  const check = { name: "unit", description: "", url: null, state: "failure", avatarUrl: null } as const
  const { queue } = MergeQueue.fold([
    { ...common, id: "a", at: 0, kind: "queued" },
    { ...common, id: "b", at: 1000, kind: "checks_started", checkType: "draft_pr", checkPullRequest: 90 },
    { ...common, id: "c", at: 2000, kind: "check_updated", check, evaluatedConditions: "0 of 1" },
    { ...common, id: "d", at: 2500, kind: "checks_ended", state: "failure" }
  ])

  it("a pull request by itself has the checks that only the deprecated view has in the interface", () => {
    const pull = QueueStatus.pull(queue, 7, { rules: [], pause: null, now })
    assert.deepStrictEqual(pull?.mergeabilityCheck, {
      checkType: "draft_pr",
      pullRequestNumber: 90,
      startedAt: 1000,
      endedAt: 2500,
      state: "failure",
      checks: [check],
      evaluatedConditions: "0 of 1"
    })
  })

  it("the duration of the checks is in seconds", () => {
    assert.deepStrictEqual(QueueStatus.branches(queue), [{ name: "main", queuedCount: 1, medianChecksDuration: 1.5 }])
  })
})
