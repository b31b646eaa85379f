import { assert, describe } from "@effect/vitest"
import { test } from "@lazaret/tools/steps"
import { Page } from "@lazaret/domain"
import { EngineConfiguration, Preflight } from "@lazaret/queue"
import { Engines, Queues } from "@lazaret/services"
import { EngineStore, EventStore, QueueStore } from "@lazaret/store"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { noon, ref } from "../builders.ts"
import { conclusionOf, gate, start } from "./service.ts"
import * as Platform from "./simpleQueue.ts"

describe("Engines", () => {
  test("a mirror audits each group that lands, tells a mismatch, and writes nothing", function* () {
    const { log, look, platform, run } = yield* start("")
    Platform.enter(platform, 1)
    Platform.enter(platform, 2)
    yield* look
    Platform.land(platform, 1, "tree-g1")
    Platform.land(platform, 2, "another tree")
    yield* look
    yield* look
    const outcomes = (yield* log).flatMap((event) => (event.kind === "tree_audited" ? [event.outcome] : []))
    assert.deepStrictEqual(outcomes, ["equal", "mismatch"])
    const events = yield* run(
      EventStore.use((store) => store.page(ref, { types: ["queue.tree_mismatch"], from: Page.start, limit: 10 }))
    )
    assert.deepStrictEqual(
      events.rows.map(({ detail, summary }) => [summary, detail["tested"], detail["landed"]]),
      [["#2 was merged into main as another tree than the one that was tested.", "tree-g2", "another tree"]]
    )
    assert.deepStrictEqual(platform.writes, [])
    assert.deepStrictEqual(yield* run(Queues.use((queues) => queues.pauseOf(ref))), [])
  })

  test("a gate lets a group pass when its checks are green, and evicts one with a real failure", function* () {
    const { fails, log, look, platform } = yield* start(gate(false))
    const [first, second] = [Platform.enter(platform, 1), Platform.enter(platform, 2)]
    Platform.check(platform, "h1", "success")
    yield* look
    assert.strictEqual(conclusionOf(platform, "h1"), "success")
    assert.isNull(conclusionOf(platform, "h2"))
    assert.isNull(conclusionOf(platform, first))
    Platform.check(platform, first, "success")
    fails(second, "real")
    yield* look
    assert.strictEqual(conclusionOf(platform, first), "success")
    assert.strictEqual(conclusionOf(platform, second), "failure")
    assert.strictEqual(platform.reports.get(second)?.url, "https://lazaret.test/acme/widgets/queue")
    const { length } = platform.writes
    yield* look
    const logged = yield* log
    yield* look
    assert.lengthOf(platform.writes, length, "a look without news writes nothing")
    assert.lengthOf(yield* log, logged.length, "a look without news adds nothing to the log")
  })

  test("a flaky failure runs again, once, and what passes then passes the gate", function* () {
    const { fails, look, platform } = yield* start(gate(false))
    const id = Platform.enter(platform, 1)
    fails(id, "flaky")
    yield* look
    yield* look
    assert.deepStrictEqual(
      platform.writes.filter((write) => write.startsWith("rerun")),
      ["rerun g1"]
    )
    Platform.check(platform, id, "success", 2)
    yield* look
    assert.strictEqual(conclusionOf(platform, id), "success")
  })

  test("in the shadow everything is decided and nothing is written; live, it is decided and said again", function* () {
    const { log, look, platform, run } = yield* start(gate(true))
    const id = Platform.enter(platform, 1)
    Platform.check(platform, id, "success")
    yield* look
    assert.deepStrictEqual(platform.writes, [])
    assert.include(
      (yield* log).map(({ kind }) => kind),
      "group_concluded"
    )
    yield* run(QueueStore.use((store) => store.setConfiguration(ref, gate(false), noon)))
    yield* look
    yield* look
    assert.strictEqual(conclusionOf(platform, id), "success")
  })

  test("a gate whose repository requires another check stays in the shadow", function* () {
    const { look, platform } = yield* start(gate(false))
    platform.rules.push({ kind: "required_check", name: "unit", isOurs: false })
    Platform.check(platform, Platform.enter(platform, 1), "success")
    yield* look
    assert.deepStrictEqual(platform.writes, [])
    const findings = Preflight.check(platform.rules, { ...EngineConfiguration.defaults, requiredChecks: ["unit"] })
    assert.deepStrictEqual(
      findings.filter(({ level }) => level === "impossible").map(({ rule }) => rule),
      ["unit"]
    )
  })

  test("during a pause nothing passes; what the platform gave up on comes back in its order", function* () {
    const { look, platform, round, run } = yield* start(gate(false))
    const ids = [Platform.enter(platform, 1), Platform.enter(platform, 2)]
    yield* look
    yield* run(Queues.use((queues) => queues.pause(ref, "release", "ana")))
    for (const id of ids) Platform.check(platform, id, "success")
    yield* look
    assert.deepStrictEqual(
      ids.map((id) => conclusionOf(platform, id)),
      [null, null]
    )
    assert.strictEqual(platform.reports.get("g1")?.title, "Paused by ana: release")
    yield* TestClock.adjust("61 minutes")
    Platform.evict(platform, 1)
    Platform.evict(platform, 2)
    yield* look
    assert.isEmpty(platform.writes.filter((write) => write.startsWith("enqueue")))
    yield* run(Queues.use((queues) => queues.unpause(ref, "ana")))
    yield* round
    yield* look
    assert.deepStrictEqual(
      platform.writes.filter((write) => write.startsWith("enqueue")),
      ["enqueue 1", "enqueue 2"]
    )
  })

  test("a pause that is accepted while the gate acts waits for it", function* () {
    const { run } = yield* start(gate(false))
    const leased = yield* run(
      EngineStore.use((store) =>
        Effect.gen(function* () {
          yield* store.wake(ref, "main", noon)
          const [found] = yield* store.lease({ now: noon, until: noon + 600_000, lease: "other", limit: 1 })
          if (found !== undefined) yield* store.act(found, noon + 20_000)
          return found
        })
      )
    )
    const pausing = yield* Effect.forkChild(run(Queues.use((queues) => queues.pause(ref, "release", "ana"))))
    yield* TestClock.adjust("5 seconds")
    assert.isUndefined(pausing.pollUnsafe())
    if (leased !== undefined) yield* run(EngineStore.use((store) => store.release(leased, noon)))
    yield* TestClock.adjust("1 second")
    const { reason } = yield* Fiber.join(pausing)
    assert.strictEqual(reason, "release")
  })

  test("the queue of a server that stops in a round goes on at once", function* () {
    const { platform, round, run } = yield* start(gate(false))
    Platform.enter(platform, 1)
    yield* run(EngineStore.use((store) => store.wake(ref, "main", noon)))
    platform.next = "hangs"
    const running = yield* Effect.forkChild(round)
    yield* TestClock.adjust("1 second")
    const due = run(
      EngineStore.use((store) => store.lease({ now: noon + 1000, until: noon + 60_000, lease: "other", limit: 1 }))
    )
    assert.isEmpty(yield* due)
    yield* Fiber.interrupt(running)
    assert.lengthOf(yield* due, 1)
  })

  test("what was decided is said although the platform fails, also after its effect, and once", function* () {
    const { look, platform, round } = yield* start(gate(false))
    const id = Platform.enter(platform, 1)
    Platform.check(platform, id, "success")
    Platform.check(platform, "h1", "success")
    platform.faults.push({ when: "before", reason: "unavailable" }, { when: "after", reason: "unavailable" })
    yield* look
    for (let count = 0; count < 4; count++) yield* Effect.andThen(TestClock.adjust("10 seconds"), round)
    assert.strictEqual(conclusionOf(platform, id), "success")
    assert.strictEqual(conclusionOf(platform, "h1"), "success")
    const { length } = platform.writes
    yield* Effect.andThen(TestClock.adjust("1 hour"), round)
    assert.lengthOf(platform.writes, length)
  })

  test("a server that died in a round holds its queue up for a minute at most", function* () {
    const { look, platform, round } = yield* start(gate(false))
    const id = Platform.enter(platform, 1)
    Platform.check(platform, id, "success")
    platform.next = "dies"
    yield* look
    yield* TestClock.adjust("1 minute")
    yield* round
    assert.strictEqual(conclusionOf(platform, id), "success")
  })

  test("a round that takes long keeps its queue: no other server works on it", function* () {
    const { platform, round, run } = yield* start(gate(false))
    Platform.enter(platform, 1)
    yield* run(Engines.use((engines) => engines.notice(ref, "main")))
    yield* TestClock.adjust("2 seconds")
    platform.next = "hangs"
    const hanging = yield* Effect.forkChild(round)
    yield* TestClock.adjust("10 minutes")
    assert.isUndefined(hanging.pollUnsafe())
    assert.strictEqual(yield* round, 0)
    yield* Fiber.interrupt(hanging)
    yield* TestClock.adjust("1 minute")
    assert.strictEqual(yield* round, 1)
  })

  test("a platform that is down is read again without any news", function* () {
    const { look, platform, round } = yield* start(gate(false))
    platform.isDown = true
    const id = Platform.enter(platform, 1)
    Platform.check(platform, id, "success")
    yield* look
    platform.isDown = false
    yield* TestClock.adjust("2 minutes")
    yield* round
    assert.strictEqual(conclusionOf(platform, id), "success")
  })

  test("a branch without an engine is not read, and a removed mode stops the gate", function* () {
    const { look, platform, run, round } = yield* start(gate(false))
    yield* run(Engines.use((engines) => engines.notice(ref, "other")))
    yield* TestClock.adjust("1 minute")
    yield* run(QueueStore.use((store) => store.setConfiguration(ref, "merge_queue: {mode: off}", noon)))
    Platform.check(platform, Platform.enter(platform, 1), "success")
    yield* look
    yield* round
    assert.deepStrictEqual(platform.writes, [])
  })
})
