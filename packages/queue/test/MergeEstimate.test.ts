import { assert, describe, it } from "@effect/vitest"
import { Instant } from "@lazaret/domain"
import { type CheckRun, MergeEstimate, MergeQueue, QueueRule } from "@lazaret/queue"
import { Schema } from "effect"
import { queueEvents, queueRules } from "../src/testing/queues.ts"

const Seconds = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 120 }))
const pause = { reason: "", pauseDate: 0 }

const { minute } = Instant
const now = 100 * minute

const waiting = (number: number, queueRule = "default"): MergeQueue.QueuedPullRequest => ({
  number,
  queueRule,
  priority: 2000,
  queuedAt: number,
  run: null
})

const withRun = (number: number, run: Partial<CheckRun.CheckRun>): MergeQueue.QueuedPullRequest => ({
  ...waiting(number),
  run: {
    round: null,
    checkType: "in_place",
    pullRequest: number,
    startedAt: now,
    endedAt: null,
    endState: null,
    checks: [],
    evaluatedConditions: "",
    ...run
  }
})

/** A queue whose rounds take ten minutes. */
const queueOf = (...pullRequests: ReadonlyArray<MergeQueue.QueuedPullRequest>): MergeQueue.BranchQueue => ({
  branch: "main",
  pullRequests,
  completed: [{ pullRequest: 99, startedAt: 0, endedAt: 10 * minute }]
})

const rulesWith = (batchSize: number) => QueueRule.prioritize([{ name: "default", settings: { batchSize } }])

const minutesLeft = (queue: MergeQueue.BranchQueue, batchSize = 1) =>
  MergeEstimate.estimate(queue, { rules: rulesWith(batchSize), pause: null, now }).map((at) =>
    at === null ? null : (at - now) / minute
  )

describe("MergeEstimate laws", () => {
  it.prop(
    "estimates are never in the past and never before those ahead",
    [queueEvents, queueRules, Seconds],
    ([events, rules, second]) => {
      const at = second * Instant.second
      for (const queue of MergeQueue.fold(events).queue.branches) {
        const estimates = MergeEstimate.estimate(queue, { rules, pause: null, now: at })
        assert.strictEqual(estimates.length, queue.pullRequests.length)
        let ahead = at
        for (const estimate of estimates) {
          assert.strictEqual(estimate === null, queue.completed.length === 0)
          if (estimate === null) continue
          assert.isTrue(Schema.is(Instant.Instant)(estimate))
          assert.isAtLeast(estimate, ahead)
          ahead = estimate
        }
      }
    }
  )

  it.prop("estimates are null while the queue is paused", [queueEvents, queueRules], ([events, rules]) => {
    for (const queue of MergeQueue.fold(events).queue.branches) {
      const estimates = MergeEstimate.estimate(queue, { rules, pause, now: 0 })
      assert.deepStrictEqual(
        estimates,
        queue.pullRequests.map(() => null)
      )
    }
  })

  it.prop("larger batches are never slower", [queueEvents, Seconds], ([events, second]) => {
    const at = second * Instant.second
    for (const queue of MergeQueue.fold(events).queue.branches) {
      const by = (size: number) => MergeEstimate.estimate(queue, { rules: rulesWith(size), pause: null, now: at })
      const [alone, together] = [by(1), by(3)]
      for (const [index, estimate] of together.entries()) {
        assert.isAtMost(estimate ?? 0, alone[index] ?? 0)
      }
    }
  })

  it.prop(
    "the usual duration lies between the shortest and the longest, whatever the order",
    [Schema.Array(Seconds).check(Schema.isMinLength(1))],
    ([lengths]) => {
      const runs = lengths.map((endedAt) => ({ pullRequest: 1, startedAt: 0, endedAt }))
      const usual = MergeEstimate.usualDuration(runs)
      assert.strictEqual(usual, MergeEstimate.usualDuration(runs.toReversed()))
      assert.isAtLeast(usual ?? -1, Math.min(...lengths))
      assert.isAtMost(usual ?? Infinity, Math.max(...lengths))
    }
  )
})

describe("MergeEstimate", () => {
  it("waiting pull requests take one round per batch, one after the other", () => {
    const queue = queueOf(waiting(1), waiting(2), waiting(3), waiting(4), waiting(5))
    assert.deepStrictEqual(minutesLeft(queue, 1), [10, 20, 30, 40, 50])
    assert.deepStrictEqual(minutesLeft(queue, 2), [10, 10, 20, 20, 30])
  })

  it("pull requests of different rules share no batch", () => {
    assert.deepStrictEqual(minutesLeft(queueOf(waiting(1), waiting(2, "hotfix"), waiting(3)), 5), [10, 20, 30])
  })

  it("running checks need the rest of a round, and run at the same time as those ahead", () => {
    const queue = queueOf(
      withRun(1, { startedAt: now - 4 * minute }),
      withRun(2, { startedAt: now - 3 * minute }),
      waiting(3)
    )
    assert.deepStrictEqual(minutesLeft(queue), [6, 7, 17])
  })

  it("checks that take longer than usual, have passed, or are trusted need no more time", () => {
    const queue = queueOf(
      withRun(1, { startedAt: now - 50 * minute }),
      withRun(2, { endedAt: now, endState: "success" }),
      withRun(3, { checkType: "trusted" })
    )
    assert.deepStrictEqual(minutesLeft(queue), [0, 0, 0])
  })

  it("checks that are green so far still need the rest of the round, since others may follow", () => {
    const green = { name: "lint", description: "", url: null, state: "success", avatarUrl: null } as const
    const queue = queueOf(withRun(1, { startedAt: now - 4 * minute, checks: [green] }))
    assert.deepStrictEqual(minutesLeft(queue), [6])
  })

  it("checks that have failed are taken to run again", () => {
    assert.deepStrictEqual(
      minutesLeft(queueOf(withRun(1, { startedAt: now - 5 * minute, endedAt: now, endState: "failure" }))),
      [10]
    )
  })

  it("nobody merges before those ahead", () => {
    const queue = queueOf(waiting(1), withRun(2, { endedAt: now, endState: "success" }))
    assert.deepStrictEqual(minutesLeft(queue), [10, 10])
  })

  it("a waiting pull request joins no batch across one that is checked by itself", () => {
    assert.deepStrictEqual(minutesLeft(queueOf(waiting(1), withRun(2, {}), waiting(3)), 5), [10, 10, 20])
  })

  it("the middle of two durations is rounded up to a whole millisecond", () => {
    const runs = [10, 21].map((endedAt) => ({ pullRequest: 1, startedAt: 0, endedAt }))
    assert.strictEqual(MergeEstimate.usualDuration(runs), 16)
  })

  it("no estimate lies after the latest instant", () => {
    const queue = queueOf(waiting(1), waiting(2))
    const estimates = MergeEstimate.estimate(queue, { rules: [], pause: null, now: Instant.latest - 15 * minute })
    assert.deepStrictEqual(estimates, [Instant.latest - 5 * minute, Instant.latest])
  })

  it("without a completed round there is no estimate", () => {
    assert.deepStrictEqual(minutesLeft({ ...queueOf(waiting(1)), completed: [] }), [null])
  })
})
