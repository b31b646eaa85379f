import { assert, describe, it } from "@effect/vitest"
import { Instant, MergeQueue, QueueStatus, QueueView } from "@lazaret/domain"
import { Schema } from "effect"
import { queueEvents, queueRules } from "../../src/testing/queues.ts"

const pause = { reason: "release", pause_date: 0 }

const now = 90 * Instant.second

describe("QueueStatus laws", () => {
  it.prop(
    "the status shows what the interface shows, without the deprecated view, and the pause",
    [queueEvents, queueRules, Schema.Boolean],
    ([events, rules, isPaused]) => {
      const { queue } = MergeQueue.fold(events)
      const circumstances = { rules, pause: isPaused ? pause : null, now }
      const status = QueueStatus.status(queue, circumstances)
      assert.isTrue(Schema.is(QueueStatus.QueueStatus)(status))
      assert.deepStrictEqual(status.pause, circumstances.pause)
      const shown = QueueView.queues(queue, circumstances)
      const old = shown.flatMap((each) => each.pull_requests.map((one) => one.speculative_check_pull_request))
      const again = status.queues.map(({ branch, pull_requests: pulls }) => ({
        branch,
        pull_requests: pulls.map((one) => ({ ...one, speculative_check_pull_request: old.shift() ?? null }))
      }))
      assert.deepStrictEqual(again, shown)
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
        const home = queues.find((each) => each.pull_requests.some((one) => one.number === number))
        const found = QueueStatus.pull(queue, number, circumstances)
        assert.strictEqual(found?.branch.name, home?.branch.name)
        if (found === null) continue
        assert.isTrue(Schema.is(QueueStatus.Pull)(found))
        const { branch: _branch, mergeability_check: check, ...shared } = found
        const listed = home?.pull_requests[found.position]
        assert.deepInclude(listed, shared)
        if (check === null) assert.isNull(listed?.mergeability_check)
        else assert.deepInclude(check, listed?.mergeability_check ?? assert.fail("no check is listed"))
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
        assert.strictEqual(branch.queued_count, shown?.pull_requests.length ?? 0)
        for (const { estimated_time_of_merge: estimate } of shown?.pull_requests ?? []) {
          assert.strictEqual(estimate === null, branch.median_checks_duration === null)
        }
      }
    }
  )
})

describe("QueueStatus", () => {
  const common = { branch: "main", pullRequest: 7 }
  const check = { name: "unit", description: "", url: null, state: "failure", avatar_url: null } as const
  const { queue } = MergeQueue.fold([
    { ...common, id: "a", at: 0, kind: "queued" },
    { ...common, id: "b", at: 1000, kind: "checks_started", checkType: "draft_pr", checkPullRequest: 90 },
    { ...common, id: "c", at: 2000, kind: "check_updated", check, evaluatedConditions: "0 of 1" },
    { ...common, id: "d", at: 2500, kind: "checks_ended", state: "failure" }
  ])

  it("a pull request by itself has the checks that only the deprecated view has in the interface", () => {
    const pull = QueueStatus.pull(queue, 7, { rules: [], pause: null, now })
    assert.deepStrictEqual(pull?.mergeability_check, {
      check_type: "draft_pr",
      pull_request_number: 90,
      started_at: 1000,
      ended_at: 2500,
      state: "failure",
      checks: [check],
      evaluated_conditions: "0 of 1"
    })
  })

  it("the duration of the checks is in seconds", () => {
    assert.deepStrictEqual(QueueStatus.branches(queue), [
      { name: "main", queued_count: 1, median_checks_duration: 1.5 }
    ])
  })
})
