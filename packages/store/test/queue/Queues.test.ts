import { assert, describe, it as plain, layer } from "@effect/vitest"
import { stepsOf } from "@lazaret/tools/steps"
import { MergeQueue, type QueueEvent } from "@lazaret/queue"
import { Driver, MemoryDriver, QueueStore, Rows, Stores } from "@lazaret/store"
import { Layer } from "effect"
import * as QueueLog from "../../src/queue/QueueLog.ts"

const stores = Stores.layer.pipe(Layer.provideMerge(MemoryDriver.layer))

const noon = Date.UTC(2026, 0, 5, 12)

/** A busy queue: every pull request enters, is checked, and leaves. */
const event = (index: number): QueueEvent.QueueEvent => {
  const number = Math.floor(index / 4) + 1
  const common = { id: `e${index}`, at: noon + index * 1000, branch: "main", pullRequest: number }
  const round = `sha${number}`
  switch (index % 4) {
    case 0:
      return { ...common, kind: "queued", priority: 1000 + (number % 3) * 1000 }
    case 1:
      return { ...common, kind: "checks_started", checkType: "in_place", round }
    case 2:
      return { ...common, kind: "checks_ended", state: "success", round }
    default:
      return number % 50 === 0 ? { ...common, unknownKind: "frozen" } : { ...common, kind: "merged" }
  }
}

const log = (length: number) => Array.from({ length }, (_, index) => event(index))

/** Every kind of event, in the queue of one branch and then of another. */
const variety: ReadonlyArray<QueueEvent.QueueEvent> = [
  { id: "a", at: 1, branch: "main", pullRequest: 1, kind: "queued", queueRule: "hotfix", priority: 3000 },
  { id: "b", at: 2, branch: "main", pullRequest: 2, kind: "queued" },
  { id: "c", at: 3, branch: "main", pullRequest: 2, kind: "priority_changed", priority: 4000 },
  {
    id: "d",
    at: 4,
    branch: "main",
    pullRequest: 1,
    kind: "checks_started",
    checkType: "draft_pr",
    checkPullRequest: 9
  },
  { id: "e", at: 5, branch: "main", pullRequest: 1, kind: "checks_ended", state: "failure", evaluatedConditions: "x" },
  { id: "f", at: 6, branch: "main", pullRequest: 2, kind: "checks_started", checkType: "in_place", round: "sha" },
  { id: "g", at: 7, branch: "main", pullRequest: 2, kind: "merged" },
  { id: "h", at: 8, branch: "main", pullRequest: 1, kind: "dequeued" },
  { id: "i", at: 9, branch: "dev", pullRequest: 3, kind: "queued" }
]

describe("the number of the rules of the fold", () => {
  plain("stands for this fold: who changes it, and so this test, raises the number", () => {
    assert.strictEqual(QueueLog.rules, 1)
    assert.deepStrictEqual(MergeQueue.fold(variety).queue, {
      last: { at: 9, id: "i" },
      branches: [
        {
          branch: "dev",
          pullRequests: [{ number: 3, queueRule: "default", priority: 2000, queuedAt: 9, run: null }],
          completed: []
        },
        {
          branch: "main",
          pullRequests: [],
          completed: [
            { pullRequest: 9, startedAt: 4, endedAt: 5 },
            { pullRequest: 2, startedAt: 6, endedAt: 7 }
          ]
        }
      ]
    })
  })
})

layer(stores)("the rules of merge queues", (it) => {
  const test = stepsOf(it)
  const append = (ref: Parameters<QueueStore["Service"]["append"]>[0], events: ReadonlyArray<QueueEvent.QueueEvent>) =>
    QueueStore.use((store) => store.append(ref, events, noon))

  const queue = (ref: Parameters<QueueStore["Service"]["queue"]>[0]) => QueueStore.use((store) => store.queue(ref))

  const bases = (ref: Parameters<QueueStore["Service"]["queue"]>[0]) =>
    Driver.use((driver) => driver.read("test", ref, (view) => view.select(Rows.queueBases, { where: [], order: [] })))

  test("a long log is folded from its base, and an event before the base makes the fold start again at the first event", function* () {
    const ref = { owner: "acme", repository: crypto.randomUUID() }
    const all = log(3 * QueueLog.pageSize + 7)
    const late = all.filter((_, index) => index === 3 || index === 4)
    const rest = all.filter((each) => !late.includes(each))
    for (let start = 0; start < rest.length; start += 200) yield* append(ref, rest.slice(start, start + 200))
    assert.deepStrictEqual(yield* queue(ref), MergeQueue.fold(rest).queue)
    assert.isTrue((yield* bases(ref)).some((each) => each.queue.last !== null))
    const outcomes = new Map(MergeQueue.fold(all).outcomes.map((outcome) => [outcome.id, outcome]))
    assert.deepStrictEqual<unknown>(
      yield* append(ref, late),
      late.map(({ id }) => outcomes.get(id))
    )
    assert.deepStrictEqual(yield* queue(ref), MergeQueue.fold(all).queue)
  })

  test("a base that was folded by other rules is not used", function* () {
    const ref = { owner: "acme", repository: crypto.randomUUID() }
    const { transact } = yield* Driver
    yield* append(ref, log(3))
    const wrong = { rules: QueueLog.rules + 1, queue: { last: { at: noon + 1, id: "x" }, branches: [] } }
    yield* transact("test", ref, null, (transaction) => transaction.put(Rows.queueBases, [wrong]))
    assert.deepStrictEqual(yield* queue(ref), MergeQueue.fold(log(3)).queue)
    yield* append(ref, [event(3)])
    assert.deepStrictEqual(yield* queue(ref), MergeQueue.fold(log(4)).queue)
  })
})
