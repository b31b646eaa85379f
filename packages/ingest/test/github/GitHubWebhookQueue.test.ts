import { assert, describe, it } from "@effect/vitest"
import { MergeQueue, QueueEvent } from "@lazaret/queue"
import { GitHubWebhook } from "@lazaret/ingest"
import { Result, Schema } from "effect"
import * as fc from "fast-check"
import { type Json, changed, fixture, read } from "./delivery.ts"
import { type Delivered, stories } from "./story.ts"

const at = (time: string): number => Date.parse(`2026-01-31T${time}Z`)

const round = "89e6c98d92887913cadf06b2adb97f26cde4849b"

describe("any payload", () => {
  it("any payload is read or refused, and what is read is a queue event", () => {
    const isEvent = Schema.is(QueueEvent.QueueEvent)
    const names = [
      "pull_request.closed",
      "merge_group.destroyed",
      "check_run.completed",
      "check_suite.completed",
      "status",
      "push"
    ]
    const paths = (json: Json, prefix = ""): ReadonlyArray<string> =>
      Object.entries(json ?? {}).flatMap(([key, value]) => [
        `${prefix}${key}`,
        ...(typeof value === "object" ? paths(value, `${prefix}${key}.`) : [])
      ])
    const broken = fc
      .constantFrom(...names)
      .chain((name) =>
        fc.record({ name: fc.constant(name), path: fc.constantFrom(...paths(fixture(name))), value: fc.jsonValue() })
      )
    fc.assert(
      fc.property(broken, ({ name, path, value }) => {
        const reading = GitHubWebhook.read(name.split(".", 1)[0] ?? "", changed(name, { [path]: value }))
        const events = Result.isSuccess(reading) ? reading.success.events : []
        assert.isTrue(events.every((event) => isEvent(event)))
      }),
      { numRuns: 500 }
    )
  })
})

describe("the queue", () => {
  const eventsOf = (deliveries: ReadonlyArray<Delivered>) =>
    deliveries.flatMap(({ event, payload }) => read(event, payload).events)

  it("after a story is the one of the story", () => {
    fc.assert(
      fc.property(stories, ({ deliveries, truth }) => {
        const { queue } = MergeQueue.fold(eventsOf(deliveries))
        const found = queue.branches.flatMap(({ pullRequests }) =>
          pullRequests.map(({ number, run }) => ({
            number,
            round: run?.round ?? null,
            check: run?.checks[0]?.state ?? "none",
            isOver: run !== null && run.endedAt !== null
          }))
        )
        assert.deepStrictEqual<unknown>(found, truth.queued)
      }),
      { numRuns: 300 }
    )
  })

  it("the queue is the same for any order of the deliveries, and for deliveries that come twice", () => {
    const shuffled = stories.chain(({ deliveries }) =>
      fc.record({
        deliveries: fc.constant(deliveries),
        delivered: fc.shuffledSubarray([...deliveries, ...deliveries], {
          minLength: 2 * deliveries.length,
          maxLength: 2 * deliveries.length
        })
      })
    )
    fc.assert(
      fc.property(shuffled, ({ delivered, deliveries }) => {
        assert.deepStrictEqual(MergeQueue.fold(eventsOf(delivered)).queue, MergeQueue.fold(eventsOf(deliveries)).queue)
      }),
      { numRuns: 200 }
    )
  })

  it("the queue does without the deliveries of pull requests, since merge groups say as much", () => {
    const { queue } = MergeQueue.fold(
      eventsOf([{ event: "merge_group", payload: fixture("merge_group.checks_requested") }])
    )
    assert.strictEqual(queue.branches[0]?.pullRequests[0]?.run?.round, round)
    const both = eventsOf(
      ["merge_group.destroyed", "merge_group.checks_requested"].map((name) => ({
        event: "merge_group",
        payload: fixture(name)
      }))
    )
    assert.deepStrictEqual(MergeQueue.fold(both).queue.branches, [
      {
        branch: "main",
        pullRequests: [],
        completed: [{ pullRequest: 42, startedAt: at("11:45:02"), endedAt: at("11:52:20") }]
      }
    ])
  })

  it("deliveries of one second have causes before their effects", () => {
    const inOneSecond = (...names: ReadonlyArray<string>) => {
      const events = eventsOf(names.map((name) => ({ event: name.split(".", 1)[0] ?? "", payload: fixture(name) })))
      return MergeQueue.fold(events.map((event) => ({ ...event, at: 0 }))).queue.branches[0]?.pullRequests
    }
    const checked = inOneSecond("check_run.completed", "check_run.created", "merge_group.checks_requested")
    assert.deepStrictEqual(
      checked?.[0]?.run?.checks.map(({ state }) => state),
      ["success"]
    )
    const left = inOneSecond("pull_request.dequeued", "pull_request.enqueued", "merge_group.checks_requested")
    assert.deepStrictEqual(left, [])
  })

  it("the queue of the fixtures goes from queued to merged, in one second as in many", () => {
    const names = [
      "pull_request.closed",
      "check_suite.completed",
      "check_run.completed",
      "check_run.created",
      "merge_group.checks_requested",
      "pull_request.enqueued"
    ]
    const events = eventsOf(names.map((name) => ({ event: name.split(".", 1)[0] ?? "", payload: fixture(name) })))
    const stateOf = (list: ReadonlyArray<QueueEvent.QueueEvent>) =>
      MergeQueue.fold(list).outcomes.map(({ status }) => status)
    const second = events.map((event) => ({ ...event, at: 0 }))
    for (const list of [events, second]) {
      assert.strictEqual(
        stateOf(list).filter((status) => status === "ignored").length,
        1,
        "only queued, which two payloads report"
      )
      assert.deepStrictEqual(MergeQueue.fold(list).queue.branches[0]?.pullRequests, [])
    }
  })
})
