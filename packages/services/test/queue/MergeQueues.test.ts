import { assert, describe, it } from "@effect/vitest"
import { test } from "@lazaret/tools/steps"
import { Engines, MergeQueues, Queues } from "@lazaret/services"
import { EngineStore, QueueStore } from "@lazaret/store"
import { Effect, Result } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { noon, ref } from "../builders.ts"
import { conclusionOf, gate, start } from "./service.ts"
import * as Platform from "./simpleQueue.ts"

type Service = Effect.Success<ReturnType<typeof start>>

const view = ({ run }: Service) =>
  Effect.map(run(MergeQueues.use((queues) => queues.engines(ref))), ({ engines: [engine] }) => engine)

const shown = ({ run }: Service) =>
  Effect.map(run(Queues.use((queues) => queues.queues(ref))), (queues) => queues[0]?.pullRequests ?? [])

const ask = ({ run }: Service, number: number, action: "queue" | "dequeue") =>
  Effect.map(
    Effect.result(run(MergeQueues.use((queues) => queues.ask(ref, { number, action, by: "ana" })))),
    (result) => (Result.isSuccess(result) ? result.success : result.failure._tag)
  )

const writesOf = ({ platform }: Service, kind: string) => platform.writes.filter((write) => write.startsWith(kind))

/** The happenings of a platform's queue: a number chooses the subject. */
const happenings: ReadonlyArray<(queue: Platform.SimpleQueue, number: number, place: number) => void> = [
  (queue, number) => Platform.join(queue, number),
  (queue, number) => Platform.join(queue, number),
  (queue, number, place) => Platform.build(queue, number, `g${place}`),
  (queue, number, place) => Platform.build(queue, number, `g${place}`),
  (queue, number) => Platform.land(queue, number, "a tree"),
  (queue, number) => Platform.evict(queue, number),
  (queue, number) => Platform.close(queue, number)
]

describe("MergeQueues", () => {
  test("the routes of the contract show what the gate reads: order, checks, and the end of a stay", function* () {
    const service = yield* start(gate(false))
    const { look, platform } = service
    const id = Platform.enter(platform, 7)
    Platform.join(platform, 3)
    Platform.check(platform, id, "pending")
    yield* look
    const [first, second] = yield* shown(service)
    assert.deepStrictEqual([first?.number, second?.number], [7, 3])
    assert.deepStrictEqual(
      first?.speculativeCheckPullRequest?.checks.map(({ name, state }) => `${name} ${state}`),
      ["unit pending"]
    )
    assert.isNull(second?.speculativeCheckPullRequest)
    Platform.check(platform, id, "success")
    yield* look
    assert.strictEqual((yield* shown(service))[0]?.mergeabilityCheck?.state, "success")
    Platform.land(platform, 7, "tree-g7")
    yield* look
    assert.deepStrictEqual(
      (yield* shown(service)).map(({ number }) => number),
      [3]
    )
  })

  it.effect("law 20 projection: whatever happens to the platform's queue, the contract shows its pull requests", () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(fc.array(fc.nat({ max: 10_000 }), { minLength: 1, maxLength: 15 }), (choices) =>
          Effect.runPromise(
            Effect.gen(function* () {
              const service = yield* start(gate(false))
              for (const [place, choice] of choices.entries()) {
                const happen = happenings[choice % happenings.length]
                happen?.(service.platform, 1 + (Math.floor(choice / happenings.length) % 4), place)
                if (choice % 3 > 0) yield* service.look
              }
              yield* service.look
              assert.deepStrictEqual(
                (yield* shown(service)).map(({ number }) => number).toSorted(),
                service.platform.entries.map(({ number }) => number).toSorted()
              )
            }).pipe(Effect.scoped, Effect.provide(TestClock.layer()))
          )
        ),
        { numRuns: 40 }
      )
    )
  )

  test("the engine of a branch is the source of its queue in a gate alone", function* () {
    const { look, run } = yield* start("")
    const isSource = run(Engines.use((engines) => engines.isSource(ref, "main")))
    yield* look
    assert.isFalse(yield* isSource)
    yield* run(QueueStore.use((store) => store.setConfiguration(ref, gate(true), noon)))
    assert.isFalse(yield* isSource, "it has not read the queue yet")
    yield* look
    assert.isTrue(yield* isSource)
    yield* run(QueueStore.use((store) => store.setConfiguration(ref, "merge_queue: {mode: off}", noon)))
    assert.isFalse(yield* isSource)
  })

  test("(67) a gate that a required check keeps in the shadow says so, and what to change", function* () {
    const service = yield* start(gate(false))
    service.platform.rules.push({ kind: "required_check", name: "unit", isOurs: false })
    Platform.check(service.platform, Platform.enter(service.platform, 1), "success")
    yield* service.look
    const engine = yield* view(service)
    assert.isFalse(engine?.isActing)
    assert.match(engine?.explanation ?? "", /^The gate is kept in the shadow\. unit is required by the repository/u)
    assert.strictEqual(engine?.groups[0]?.explanation, "It would pass the gate.")
    const report = yield* service.run(MergeQueues.use((queues) => queues.preflight(ref, null)))
    assert.deepStrictEqual(
      [report.isLive, report.findings.map(({ level, rule }) => `${level} ${rule}`)],
      [true, ["impossible unit", "fine lazaret/queue", "fine merge queue"]]
    )
    service.platform.isDown = true
    const old = yield* service.run(MergeQueues.use((queues) => queues.preflight(ref, null)))
    assert.deepStrictEqual([old.isLive, old.findings], [false, report.findings])
  })

  test("the log explains an eviction: which check and test failed, how it was judged, and what was tried", function* () {
    const service = yield* start(gate(false))
    const id = Platform.enter(service.platform, 1)
    yield* service.look
    service.fails(id, "flaky")
    yield* service.look
    service.fails(id, "flaky", 2)
    yield* service.look
    Platform.evict(service.platform, 1)
    yield* service.look
    const history = yield* service.run(MergeQueues.use((queues) => queues.history(ref, 1)))
    assert.deepStrictEqual(
      history.map(({ sentence }) => sentence),
      [
        "The platform evicted #1 after its checks failed.",
        "The platform dropped the group of #1.",
        "#1 failed the gate. unit (adds) failed in 2 attempts. The failures look flaky, and the reruns are used up.",
        "#1: unit (adds) failed, judged flaky; it is not run again.",
        "#1: unit (adds) failed, judged flaky; the failed jobs run again.",
        "The platform built a group for #1."
      ]
    )
    assert.strictEqual(
      (yield* view(service))?.evicted[0]?.explanation,
      "unit (adds) failed in 2 attempts. The failures look flaky, and the reruns are used up."
    )
    const unknown = yield* Effect.flip(service.run(MergeQueues.use((queues) => queues.history(ref, 99))))
    assert.strictEqual(unknown._tag, "PullRequestNotQueued")
  })

  test("the pages of the log follow one another without a gap, from the newest sentence to the oldest", function* () {
    const service = yield* start(gate(false))
    for (let number = 1; number <= 6; number++) {
      Platform.check(service.platform, Platform.enter(service.platform, number), "success")
      yield* service.look
    }
    const page = (cursor: string | null, perPage: number) =>
      service.run(MergeQueues.use((queues) => queues.log(ref, { branch: null, cursor, perPage })))
    const all = (yield* page(null, 100)).rows
    assert.isAbove(all.length, 10)
    const walked = []
    let cursor: string | null = null
    do {
      const { links, rows }: Effect.Success<ReturnType<typeof page>> = yield* page(cursor, 3)
      walked.push(...rows)
      cursor = links.next
    } while (cursor !== null)
    assert.deepStrictEqual(walked, all)
    const foreign = yield* Effect.flip(page("bm8", 3))
    assert.strictEqual(foreign._tag, "Invalid")
  })

  test("(66) an evicted pull request is queued again once per request, at the head that it has now", function* () {
    const service = yield* start(gate(false))
    const { look, platform } = service
    const id = Platform.enter(platform, 1)
    yield* look
    service.fails(id, "real")
    yield* look
    Platform.evict(platform, 1)
    yield* look
    assert.deepStrictEqual(writesOf(service, "enqueue"), [])
    assert.strictEqual(yield* ask(service, 1, "queue"), "main")
    assert.strictEqual(yield* ask(service, 1, "queue"), "main")
    yield* look
    yield* look
    assert.deepStrictEqual(writesOf(service, "enqueue"), ["enqueue 1"])
    Platform.evict(platform, 1)
    yield* look
    yield* look
    assert.deepStrictEqual(writesOf(service, "enqueue"), ["enqueue 1"], "nobody asked again")
  })

  test("a pull request leaves the platform's queue when somebody asks for it, also during a pause", function* () {
    const service = yield* start(gate(false))
    const { look, platform } = service
    Platform.enter(platform, 1)
    Platform.join(platform, 2)
    yield* look
    yield* service.run(Queues.use((queues) => queues.pause(ref, "release", "ana")))
    assert.strictEqual(yield* ask(service, 2, "dequeue"), "main")
    yield* look
    assert.deepStrictEqual(writesOf(service, "dequeue"), ["dequeue 2"])
    yield* look
    assert.strictEqual(yield* ask(service, 2, "dequeue"), "PullRequestNotQueued")
    assert.strictEqual(yield* ask(service, 9, "queue"), "PullRequestNotOpen")
    assert.isNull(conclusionOf(platform, "g1"))
  })

  test("a queue that is in the shadow or mirrored takes no requests", function* () {
    const service = yield* start(gate(true))
    Platform.enter(service.platform, 1)
    yield* service.look
    assert.strictEqual(yield* ask(service, 1, "queue"), "QueueNotActing")
    assert.isFalse(yield* service.run(MergeQueues.use((queues) => queues.isActing(ref))))
    const { leaving, parked } = yield* service.run(EngineStore.use((store) => store.state(ref, "main")))
    assert.deepStrictEqual([leaving, parked], [[], []])
  })
})
