import { assert, describe } from "@effect/vitest"
import { test } from "@lazaret/tools/steps"
import { Instant, Page } from "@lazaret/domain"
import { MergeQueues, Queues, type Removal } from "@lazaret/services"
import { EventStore } from "@lazaret/store"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { noon, ref } from "../builders.ts"
import { conclusionOf, gate, start } from "./service.ts"
import * as Platform from "./simpleQueue.ts"

type Started = Effect.Success<ReturnType<typeof start>>

const eventsOf = ({ run }: Started) =>
  Effect.map(
    run(EventStore.use((store) => store.page(ref, { types: null, from: Page.start, limit: 100 }))),
    ({ rows }) => rows.map(({ summary, type }) => [type, summary])
  )

const enqueued = ({ platform }: Started) => platform.writes.filter((write) => write.startsWith("enqueue"))

/** Time passes, and the engine runs whenever it is due. */
const minutes = Effect.fnUntraced(function* ({ round }: Started, count: number) {
  for (let minute = 0; minute < count; minute += 1) yield* Effect.andThen(TestClock.adjust("1 minute"), round)
})

const remove = ({ platform }: Started, number: number, removal: Removal | null): void => {
  Platform.evict(platform, number)
  const pull = platform.pulls.get(number)
  if (pull !== undefined) platform.pulls.set(number, { ...pull, removal })
}

describe("a gate on a platform as it is", () => {
  test("a green check that the platform refuses is repeated, explained, and an event", function* () {
    const started = yield* start(gate(false))
    const { look, platform, run } = started
    const id = Platform.enter(platform, 1)
    yield* look
    Platform.check(platform, id, "success")
    for (let count = 0; count < 3; count += 1) platform.faults.push({ when: "before", reason: "refused" })
    yield* look
    assert.isNull(conclusionOf(platform, id))
    const explained = yield* run(MergeQueues.use((queues) => queues.engines(ref)))
    assert.strictEqual(
      explained.engines[0]?.groups[0]?.explanation,
      "It passed the gate. The platform has refused its check once, and is asked again: as planned"
    )
    yield* minutes(started, 1)
    yield* minutes(started, 1)
    yield* minutes(started, 1)
    assert.strictEqual(conclusionOf(platform, id), "success")
    assert.deepStrictEqual(yield* eventsOf(started), [
      ["queue.write_refused", "The platform refuses the set_check of #1 for the merge queue of main: as planned"]
    ])
    const why = yield* run(MergeQueues.use((queues) => queues.history(ref, 1)))
    assert.isTrue(why.some(({ sentence }) => sentence === "The platform refused the check of #1: as planned"))
  })

  test("a refused read is repeated within a minute while somebody waits", function* () {
    const started = yield* start(gate(false))
    const { look, platform } = started
    const id = Platform.enter(platform, 1)
    yield* look
    platform.next = "refuses"
    Platform.check(platform, id, "success")
    yield* look
    yield* minutes(started, 1)
    assert.strictEqual(conclusionOf(platform, id), "success")
  })

  test("a check that is absent while a run works is awaited for hours", function* () {
    const started = yield* start(gate(false))
    const { look, platform } = started
    const id = Platform.enter(platform, 1)
    platform.running.add(id)
    yield* look
    yield* minutes(started, 90)
    assert.strictEqual(platform.reports.get(id)?.title, "Waiting for the required checks")
    platform.running.delete(id)
    yield* minutes(started, 40)
    assert.strictEqual(platform.reports.get(id)?.title, "Held: unit never started")
    Platform.check(platform, id, "success")
    yield* minutes(started, 2)
    assert.strictEqual(conclusionOf(platform, id), "success")
  })

  for (const [reason, isBack] of [
    ["ci_timeout", true],
    ["manual", false],
    ["other", false]
  ] as const) {
    test(`what left in a pause because of ${reason} is ${isBack ? "" : "not "}queued again`, function* () {
      const started = yield* start(gate(false))
      const { look, platform, run } = started
      Platform.enter(platform, 1)
      yield* look
      yield* run(Queues.use((queues) => queues.pause(ref, "release", "ana")))
      yield* look
      remove(started, 1, { at: noon + 5 * Instant.second, reason, by: null })
      yield* look
      yield* run(Queues.use((queues) => queues.unpause(ref, "ana")))
      yield* minutes(started, 3)
      assert.deepStrictEqual(enqueued(started), isBack ? ["enqueue 1"] : [])
    })
  }

  test("a reason that the platform says later counts, and one of an earlier stay does not", function* () {
    const started = yield* start(gate(false))
    const { look, platform, run } = started
    Platform.enter(platform, 1)
    yield* look
    yield* run(Queues.use((queues) => queues.pause(ref, "release", "ana")))
    yield* look
    const at = noon + 5 * Instant.second
    remove(started, 1, { at: noon - Instant.hour, reason: "manual", by: "ana" })
    yield* look
    yield* run(Queues.use((queues) => queues.unpause(ref, "ana")))
    yield* look
    assert.deepStrictEqual(enqueued(started), [])
    remove(started, 1, { at, reason: "ci_timeout", by: null })
    yield* look
    yield* minutes(started, 1)
    assert.deepStrictEqual(enqueued(started), ["enqueue 1"])
  })

  test("a force push of the base branch pauses the gate", function* () {
    const { look, platform, run } = yield* start(gate(false))
    platform.tip = { sha: "m1", tree: "t1", isRewritten: false }
    const id = Platform.enter(platform, 1)
    yield* look
    assert.deepStrictEqual(yield* run(Queues.use((queues) => queues.pauseOf(ref))), [])
    platform.tip = { sha: "m0", tree: "t0", isRewritten: true }
    Platform.check(platform, id, "success")
    yield* look
    assert.isNull(conclusionOf(platform, id))
    const [pause] = yield* run(Queues.use((queues) => queues.pauseOf(ref)))
    assert.match(pause?.reason ?? "", /^base_rewritten/u)
  })

  test("preflight shows the jobs of the required checks as they were seen, also before anything failed", function* () {
    const { judged, look, platform, run } = yield* start(gate(false))
    const id = Platform.enter(platform, 1)
    const shown = Effect.map(run(MergeQueues.use((queues) => queues.preflight(ref, null))), ({ findings }) =>
      findings.filter(({ rule }) => rule === "unit").map(({ level, message }) => [level, message])
    )
    judged.set(id, { attempt: 1, failures: [], matches: [{ check: "unit", jobs: [], by: null }] })
    yield* look
    assert.deepStrictEqual(yield* shown, [], "before its check has ended")
    Platform.check(platform, id, "success")
    yield* look
    assert.deepStrictEqual(
      (yield* shown).map(([level]) => level),
      ["warning"]
    )
    const next = Platform.enter(platform, 2)
    const jobs = [{ pipelineName: "CI", jobName: "junit-unit" }]
    judged.set(next, { attempt: 1, failures: [], matches: [{ check: "unit", jobs, by: "part" }] })
    Platform.check(platform, next, "success")
    yield* look
    assert.deepStrictEqual(yield* shown, [
      ["fine", "Its tests are taken to be those that the job CI / junit-unit reports: the names are alike."]
    ])
  })

  test("a merge around the gate is an event, and no tree is compared", function* () {
    const started = yield* start(gate(false))
    const { log, look, platform } = started
    Platform.enter(platform, 1)
    Platform.open(platform, 2)
    yield* look
    Platform.land(platform, 1, "another tree")
    const pull = platform.pulls.get(2)
    if (pull !== undefined) platform.pulls.set(2, { ...pull, state: "merged", landed: { sha: "m2", tree: "t" } })
    yield* look
    yield* look
    assert.deepStrictEqual((yield* eventsOf(started)).toSorted(), [
      ["queue.bypassed", "#1 was merged into main without the gate."],
      ["queue.bypassed", "#2 was merged into main without the gate."]
    ])
    assert.isFalse((yield* log).some(({ kind }) => kind === "tree_audited"))
  })
})
