import { assert, describe, it } from "@effect/vitest"
import { CheckRun, MergeQueue, QueueCheck, type QueueEvent, type QueueOutcome } from "@lazaret/queue"
import { deliveries, queueEvents } from "../src/testing/queues.ts"

let ids = 0
const at = (second: number, pullRequest = 7, branch = "main") => ({
  id: `e${(ids += 1)}`,
  at: second * 1000,
  pullRequest,
  branch
})

const numbers = (queue: MergeQueue.MergeQueue, branch = "main") =>
  queue.branches.find((each) => each.branch === branch)?.pullRequests.map((each) => each.number) ?? []

const lastReason = (events: ReadonlyArray<QueueEvent.QueueEvent>): QueueOutcome.Reason | null => {
  const outcome = MergeQueue.fold(events).outcomes.at(-1)
  return outcome?.status === "ignored" ? outcome.reason : null
}

const checkNamed = (name: string, state: QueueCheck.State): QueueCheck.QueueCheck => ({
  name,
  description: "",
  url: null,
  state,
  avatarUrl: null
})

describe("MergeQueue laws", () => {
  it.prop("any order of delivery gives the same queues and the same outcomes", [deliveries], (drawn) => {
    const [{ events, delivered }] = drawn
    assert.deepStrictEqual(MergeQueue.fold(delivered), MergeQueue.fold(events))
  })

  it.prop("events that are delivered twice count once and are reported", [deliveries], ([{ events, repeated }]) => {
    const once = MergeQueue.fold(events)
    const twice = MergeQueue.fold([...repeated, ...events])
    assert.deepStrictEqual(twice.queue, once.queue)
    const isDuplicate = (outcome: QueueOutcome.QueueOutcome) =>
      outcome.status === "ignored" && outcome.reason === "duplicate"
    assert.deepStrictEqual(
      twice.outcomes.filter((outcome) => !isDuplicate(outcome)),
      once.outcomes
    )
    assert.strictEqual(twice.outcomes.filter(isDuplicate).length, repeated.length)
  })

  it.prop("every event has exactly one outcome", [queueEvents], ([events]) => {
    const reported = MergeQueue.fold(events).outcomes.map((outcome) => outcome.id)
    assert.deepStrictEqual(reported.toSorted(), events.map((event) => event.id).toSorted())
  })

  it.prop("a fold is its steps, one event after the other", [queueEvents], ([events]) => {
    let queue = MergeQueue.empty
    for (const event of events.toSorted((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1))) {
      queue = MergeQueue.step(queue, event).queue
    }
    assert.deepStrictEqual(queue, MergeQueue.fold(events).queue)
  })

  it.prop("a pull request is in one queue at most, and there once", [queueEvents], ([events]) => {
    const all = MergeQueue.fold(events).queue.branches.flatMap((each) => each.pullRequests.map(({ number }) => number))
    assert.strictEqual(new Set(all).size, all.length)
  })

  it.prop("queues are in merge order and branches in the order of their names", [queueEvents], ([events]) => {
    const { branches } = MergeQueue.fold(events).queue
    assert.deepStrictEqual(
      branches.map((each) => each.branch),
      ["Main", "main", "release/1"].filter((name) => branches.some((each) => each.branch === name))
    )
    for (const { pullRequests } of branches) {
      for (const [index, each] of pullRequests.entries()) {
        const next = pullRequests[index + 1]
        if (next !== undefined) assert.strictEqual(MergeQueue.order(each, next), -1)
      }
    }
  })

  it.prop("what left a queue comes back only by being queued again", [queueEvents], ([events]) => {
    let queue = MergeQueue.empty
    for (const event of events.toSorted((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1))) {
      const before = numbers(queue, event.branch)
      queue = MergeQueue.step(queue, event).queue
      const entered = numbers(queue, event.branch).filter((number) => !before.includes(number))
      const isQueued = "kind" in event && event.kind === "queued"
      assert.deepStrictEqual(entered, isQueued && !before.includes(event.pullRequest) ? [event.pullRequest] : [])
      const isGone = "kind" in event && (event.kind === "merged" || event.kind === "dequeued")
      if (isGone) assert.notInclude(numbers(queue, event.branch), event.pullRequest)
    }
  })

  it.prop("an ignored event leaves every queue as it was", [queueEvents], ([events]) => {
    let queue = MergeQueue.empty
    for (const event of events.toSorted((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1))) {
      const { queue: next, outcome } = MergeQueue.step(queue, event)
      if (outcome.status === "ignored") assert.strictEqual(next.branches, queue.branches)
      queue = next
    }
  })

  it.prop("a late event changes nothing and says so", [queueEvents], ([events]) => {
    const { queue } = MergeQueue.fold(events)
    const late = { ...at(0), id: "", kind: "queued" } as const
    const step = MergeQueue.step(queue, late)
    if (queue.last === null) assert.strictEqual(step.outcome.status, "applied")
    else assert.deepInclude(step, { queue })
  })
})

describe("MergeQueue", () => {
  it("the highest priority comes first, then who was queued first", () => {
    const { queue } = MergeQueue.fold([
      { ...at(1, 1), kind: "queued", priority: 1000 },
      { ...at(2, 2), kind: "queued" },
      { ...at(3, 3), kind: "queued", priority: 3000 },
      { ...at(4, 4), kind: "queued", priority: 2000 },
      { ...at(5, 1), kind: "priority_changed", priority: 2000 }
    ])
    assert.deepStrictEqual(numbers(queue), [3, 1, 2, 4])
  })

  it("a pull request that is queued on another base branch leaves the first queue", () => {
    const { queue } = MergeQueue.fold([
      { ...at(1), kind: "queued" },
      { ...at(2, 7, "next"), kind: "queued" }
    ])
    assert.deepStrictEqual([numbers(queue), numbers(queue, "next")], [[], [7]])
  })

  it("a pull request that is queued again starts without its old checks", () => {
    const { queue } = MergeQueue.fold([
      { ...at(1), kind: "queued", priority: 3000 },
      { ...at(2), kind: "checks_started", checkType: "in_place" },
      { ...at(3), kind: "dequeued", reason: "conflict" },
      { ...at(4), kind: "queued" }
    ])
    assert.deepStrictEqual(queue.branches[0]?.pullRequests, [
      { number: 7, queueRule: "default", priority: 2000, queuedAt: 4000, run: null }
    ])
  })

  it("impossible events are ignored with the reason", () => {
    const queued = { ...at(1), kind: "queued" } as const
    const started = { ...at(2), kind: "checks_started", checkType: "in_place" } as const
    const ended = { ...at(3), kind: "checks_ended", state: "success" } as const
    assert.strictEqual(lastReason([queued, { ...at(9), kind: "queued" }]), "already_queued")
    assert.strictEqual(lastReason([{ ...at(9), kind: "merged" }]), "not_queued")
    assert.strictEqual(lastReason([queued, { ...at(9, 7, "next"), kind: "merged" }]), "not_queued")
    assert.strictEqual(lastReason([queued, { ...at(9), kind: "checks_ended", state: "success" }]), "no_checks")
    assert.strictEqual(
      lastReason([queued, { ...at(9), kind: "check_updated", check: checkNamed("a", "success") }]),
      "no_checks"
    )
    assert.strictEqual(
      lastReason([queued, started, ended, { ...at(9), kind: "checks_ended", state: "failure" }]),
      "checks_already_ended"
    )
    assert.strictEqual(
      lastReason([queued, { ...at(9), kind: "checks_started", checkType: "in_place", checkPullRequest: 8 }]),
      "not_in_place"
    )
    assert.strictEqual(lastReason([queued, { ...at(9), unknownKind: "frozen" }]), "unknown_kind")
  })

  it("checks are listed by name, each as last reported, and make the state until the verdict", () => {
    const running = [
      { ...at(1), kind: "queued" },
      { ...at(2), kind: "checks_started", checkType: "draft_pr", checkPullRequest: 90 },
      { ...at(3), kind: "check_updated", check: checkNamed("lint", "pending") },
      { ...at(4), kind: "check_updated", check: checkNamed("unit", "failure"), evaluatedConditions: "1 of 2" },
      { ...at(5), kind: "check_updated", check: checkNamed("lint", "success") }
    ] as const
    const runOf = (events: ReadonlyArray<QueueEvent.QueueEvent>) =>
      MergeQueue.fold(events).queue.branches[0]?.pullRequests[0]?.run ?? assert.fail("no run")
    const run = runOf(running)
    assert.deepStrictEqual(run.checks, [checkNamed("lint", "success"), checkNamed("unit", "failure")])
    assert.strictEqual(run.evaluatedConditions, "1 of 2")
    assert.strictEqual(CheckRun.state(run), "failure")
    const ended = runOf([...running, { ...at(6), kind: "checks_ended", state: "success" }])
    assert.strictEqual(CheckRun.state(ended), "success")
    assert.strictEqual(ended.endedAt, 6000)
  })

  const started = (round: string, second: number) =>
    [
      { ...at(second), kind: "queued" },
      { ...at(second), kind: "checks_started", checkType: "draft_pr", round }
    ] as const

  it("what still comes in from another round does not touch the running one", () => {
    const running = [...started("a", 1), ...started("b", 3)]
    const cancelled = { ...at(4), kind: "check_updated", check: checkNamed("unit", "cancelled"), round: "a" } as const
    const ended = { ...at(5), kind: "checks_ended", state: "stale", round: "a" } as const
    assert.strictEqual(lastReason([...running, cancelled]), "other_round")
    assert.strictEqual(lastReason([...running, cancelled, ended]), "other_round")
    assert.strictEqual(lastReason([...running, { ...cancelled, round: "b" }]), null)
    assert.strictEqual(lastReason([...running, { ...at(4), kind: "checks_ended", state: "success" }]), null)
    const nameless = [
      { ...at(1), kind: "queued" },
      { ...at(2), kind: "checks_started", checkType: "in_place" }
    ] as const
    assert.strictEqual(lastReason([...nameless, cancelled]), null)
  })

  it("one suite of several ends the round when no check is out, or one has failed", () => {
    const report = (second: number, name: string, state: QueueCheck.State) =>
      ({ ...at(second), kind: "check_updated", check: checkNamed(name, state), round: "a" }) as const
    const suite = (second: number, state: QueueCheck.EndState) =>
      ({ ...at(second), kind: "checks_ended", state, round: "a", suite: `s${second}` }) as const
    const running = [...started("a", 1), report(2, "lint", "success"), report(3, "unit", "pending")]
    const endOf = (events: ReadonlyArray<QueueEvent.QueueEvent>) => {
      const run = MergeQueue.fold(events).queue.branches[0]?.pullRequests[0]?.run
      return [run?.endedAt, run?.endState]
    }
    assert.strictEqual(lastReason([...running, suite(4, "success")]), "checks_pending")
    assert.deepStrictEqual(endOf([...running, suite(4, "success")]), [null, null])
    const over = [...running, suite(4, "success"), report(5, "unit", "success"), suite(6, "success")]
    assert.deepStrictEqual(endOf(over), [6000, "success"])
    assert.deepStrictEqual(endOf([...running, suite(4, "failure")]), [4000, "failure"])
    const failed = [...running, report(5, "unit", "failure"), suite(6, "success")]
    assert.deepStrictEqual(endOf(failed), [6000, "failure"])
    assert.deepStrictEqual(endOf([...started("a", 1), suite(2, "neutral")]), [2000, "neutral"])
  })

  it("a draft pull request that a batch shares counts once as completed", () => {
    const batch = [1, 2, 3].flatMap((number): ReadonlyArray<QueueEvent.QueueEvent> => [
      { ...at(1, number), kind: "queued" },
      { ...at(2, number), kind: "checks_started", checkType: "draft_pr", checkPullRequest: 90 },
      { ...at(10, number), kind: "checks_ended", state: "success" }
    ])
    assert.deepStrictEqual(MergeQueue.fold(batch).queue.branches[0]?.completed, [
      { pullRequest: 90, startedAt: 2000, endedAt: 10_000 }
    ])
  })

  it("every round of one pull request counts as completed", () => {
    const rounds = [2, 12].flatMap((second): ReadonlyArray<QueueEvent.QueueEvent> => [
      { ...at(second), kind: "checks_started", checkType: "in_place" },
      { ...at(second + 5), kind: "checks_ended", state: "failure" }
    ])
    const { queue } = MergeQueue.fold([{ ...at(1), kind: "queued" }, ...rounds])
    assert.deepStrictEqual(queue.branches[0]?.completed, [
      { pullRequest: 7, startedAt: 2000, endedAt: 7000 },
      { pullRequest: 7, startedAt: 12_000, endedAt: 17_000 }
    ])
  })

  it("a merge completes the checks that it finds running, and interrupted checks are not completed", () => {
    const round = (state: QueueCheck.EndState): ReadonlyArray<QueueEvent.QueueEvent> => [
      { ...at(1), kind: "queued" },
      { ...at(2), kind: "checks_started", checkType: "in_place" },
      { ...at(3), kind: "checks_ended", state }
    ]
    const completed = (events: ReadonlyArray<QueueEvent.QueueEvent>) =>
      MergeQueue.fold(events).queue.branches[0]?.completed.length
    assert.strictEqual(completed(round("failure")), 1)
    assert.strictEqual(completed(round("cancelled")), 0)
    assert.strictEqual(completed([...round("cancelled"), { ...at(4), kind: "merged" }]), 0)
    assert.strictEqual(completed([...round("success").slice(0, 2), { ...at(4), kind: "merged" }]), 1)
    assert.strictEqual(completed([...round("success"), { ...at(4), kind: "merged" }]), 1)
    assert.strictEqual(completed([...round("success").slice(0, 2), { ...at(4), kind: "dequeued" }]), 0)
  })

  it("a trusted round took no time and is not completed", () => {
    const { queue } = MergeQueue.fold([
      { ...at(1), kind: "queued" },
      { ...at(2), kind: "checks_started", checkType: "trusted" },
      { ...at(3), kind: "checks_ended", state: "success" },
      { ...at(4), kind: "merged" }
    ])
    assert.deepStrictEqual(queue.branches, [{ branch: "main", pullRequests: [], completed: [] }])
  })

  it("of several events with one id the first counts", () => {
    const queued = { ...at(1), kind: "queued" } as const
    const { queue, outcomes } = MergeQueue.fold([{ ...at(2), id: queued.id, kind: "merged" }, queued])
    assert.deepStrictEqual(numbers(queue), [7])
    assert.deepStrictEqual(
      outcomes.map((outcome) => outcome.status),
      ["applied", "ignored"]
    )
  })

  it("a queue remembers its last 20 completed rounds", () => {
    const rounds = Array.from({ length: 25 }, (_, round): ReadonlyArray<QueueEvent.QueueEvent> => [
      { ...at(round * 10, round), kind: "queued" },
      { ...at(round * 10 + 1, round), kind: "checks_started", checkType: "in_place" },
      { ...at(round * 10 + 2, round), kind: "checks_ended", state: "success" }
    ]).flat()
    const completed = MergeQueue.fold(rounds).queue.branches[0]?.completed.map((each) => each.pullRequest)
    assert.deepStrictEqual(
      completed,
      Array.from({ length: 20 }, (_, index) => index + 5)
    )
  })

  it("10,000 events are folded at once", () => {
    const events = Array.from({ length: 10_000 }, (_, index): QueueEvent.QueueEvent =>
      index % 2 === 0 || index < 400
        ? { ...at(index, index), kind: "queued" }
        : { ...at(index, index - 1), kind: "merged" }
    )
    const { queue } = MergeQueue.fold(events)
    assert.strictEqual(numbers(queue).length, 400)
  })
})

describe("QueueCheck", () => {
  it("the state of several checks does not depend on their order or grouping", () => {
    const { literals } = QueueCheck.State
    for (const a of literals) {
      for (const b of literals) {
        assert.strictEqual(QueueCheck.combine([a, b]), QueueCheck.combine([b, a]))
        assert.include([a, b], QueueCheck.combine([a, b]))
        for (const c of literals) {
          assert.strictEqual(QueueCheck.combine([QueueCheck.combine([a, b]), c]), QueueCheck.combine([a, b, c]))
        }
      }
    }
  })
})
