import { Queues } from "@lazaret/services"
import { Instant } from "@lazaret/domain"
import { type QueueEvent } from "@lazaret/queue"
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import * as TestClock from "effect/testing/TestClock"
import { memory, noon, ref, testsWith } from "../builders.ts"

const test = testsWith(memory)

const queued = (pullRequest: number, minutesAgo: number, priority = 2000): QueueEvent.QueueEvent => ({
  id: `queued ${pullRequest}`,
  at: noon - minutesAgo * Instant.minute,
  branch: "main",
  pullRequest,
  kind: "queued",
  priority
})

describe("Queues", () => {
  test("pull requests stand in merge order, with the rule of the configuration", function* () {
    const queues = yield* Queues
    assert.deepStrictEqual(yield* queues.configure(ref, "queue_rules:\n  - name: default\n    batch_size: 3\n"), [])
    const outcomes = yield* queues.record(ref, [queued(7, 5), queued(8, 4, 3000)])
    assert.deepStrictEqual(
      outcomes.map(({ status }) => status),
      ["applied", "applied"]
    )
    const [main] = yield* queues.queues(ref)
    assert.strictEqual(main?.branch.name, "main")
    assert.deepStrictEqual(
      main?.pullRequests.map((each) => [each.number, each.position, each.priorityAlias]),
      [
        [8, 0, "high"],
        [7, 1, "medium"]
      ]
    )
    assert.strictEqual(main?.pullRequests[0]?.queueRule.config.batchSize, 3)
  })

  test("an event that is sent again is a duplicate and changes nothing", function* () {
    const queues = yield* Queues
    yield* queues.record(ref, [queued(7, 5)])
    const before = yield* queues.queues(ref)
    const [again] = yield* queues.record(ref, [{ ...queued(7, 5), pullRequest: 99 }])
    assert.deepInclude(again, { status: "ignored", reason: "duplicate" })
    assert.deepStrictEqual(yield* queues.queues(ref), before)
  })

  test("a late event is folded at its place", function* () {
    const queues = yield* Queues
    const merged = { id: "merged", at: noon, branch: "main", pullRequest: 7, kind: "merged" } as const
    const [early] = yield* queues.record(ref, [merged])
    assert.deepInclude(early, { status: "ignored", reason: "not_queued" })
    assert.deepStrictEqual(yield* queues.record(ref, [queued(7, 5)]), [{ id: "queued 7", status: "applied" }])
    assert.deepStrictEqual(yield* queues.queues(ref), [])
  })

  test("pausing again keeps the date and replaces the reason", function* () {
    const queues = yield* Queues
    yield* queues.pause(ref, "release", "key 1")
    yield* TestClock.adjust("1 hour")
    yield* queues.pause(ref, "incident", "key 1")
    assert.deepStrictEqual(yield* queues.pauseOf(ref), [{ reason: "incident", pauseDate: noon }])
    yield* queues.unpause(ref, "key 1")
    assert.deepStrictEqual(yield* queues.pauseOf(ref), [])
    assert.deepInclude(yield* Effect.flip(queues.unpause(ref, "key 1")), {
      _tag: "PauseNotFound",
      owner: ref.owner
    })
  })

  test("an invalid configuration is kept, and reading it lists its faults", function* () {
    const queues = yield* Queues
    const faults = yield* queues.configure(ref, "queue_rules:\n  - name: a\n    batch_size: 0\n")
    assert.strictEqual(faults.length, 1)
    const error = yield* Effect.flip(queues.configuration(ref))
    assert.deepInclude(error, {
      _tag: "Invalid",
      faults: faults.map((fault) => ({ _tag: "InvalidConfiguration", ...fault }) as const)
    })
    yield* queues.configure(ref, null)
    assert.deepStrictEqual(yield* queues.configuration(ref), [])
  })

  test("base branches are those with activity in the span, by default the last day", function* () {
    const queues = yield* Queues
    yield* queues.record(ref, [queued(7, 5), { ...queued(8, 26 * 60), branch: "old" }])
    assert.deepStrictEqual(yield* queues.branches(ref, { startAt: undefined, endAt: undefined }), ["main"])
    const startAt = noon - 2 * Instant.day
    assert.deepStrictEqual(yield* queues.branches(ref, { startAt, endAt: undefined }), ["main", "old"])
    const error = yield* Effect.flip(queues.branches(ref, { startAt: noon, endAt: noon }))
    assert.strictEqual(error._tag, "Invalid")
  })
})
