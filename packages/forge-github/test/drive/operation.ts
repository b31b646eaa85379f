/** Scenarios of a driven queue: servers, branches, modes and the shadow. */
import { strict as assert } from "node:assert"
import { Engines } from "@lazaret/services"
import { QueueStore } from "@lazaret/store"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { ref } from "../connection.ts"
import * as Platform from "./platform.ts"
import { failing, fileOf } from "./queue.ts"
import { batched, issued, pushed, quiet, same, type Scenario, scenario, shown, together } from "./scenario.ts"

const shadowed = { file: fileOf({ rule: `batch_size: 4, ${pushed}`, shadow: true }) }

/** The scenarios. */
export const scenarios: ReadonlyArray<Scenario> = [
  scenario("(50) two servers at once land everybody once", batched, (queue) =>
    Effect.gen(function* () {
      const second = yield* queue.serverOver(queue.stores)
      yield* together(queue, 1, 2, 3, 4)
      for (let step = 0; step < 8; step += 1) {
        yield* Effect.all([queue.first.round, second.round, queue.first.round], { concurrency: 3 })
        yield* queue.steps(1)
      }
      same([queue.merged(), (yield* issued(queue, "land")).length], [[1, 2, 3, 4], 1])
      yield* quiet(queue)
    })
  ),

  scenario("(53) a queue branch that somebody changed is built again", batched, (queue) =>
    Effect.gen(function* () {
      queue.script.ci = () => null
      yield* together(queue, 1, 2)
      yield* queue.steps(2)
      const [name = ""] = queue.branches()
      const at = queue.platform.history.branches().get(name) ?? ""
      queue.platform.history.move(name, { from: undefined, to: Platform.commit(queue.platform, at, { foreign: "x" }) })
      queue.script.ci = () => "success"
      yield* queue.steps(8)
      same(queue.merged(), [1, 2])
      same("foreign" in queue.platform.history.files(Platform.tipOf(queue.platform)), false)
      yield* quiet(queue)
    })
  ),

  scenario("(54) a leftover branch is removed, one of a person with a like name is kept", batched, (queue) =>
    Effect.gen(function* () {
      const tip = Platform.tipOf(queue.platform)
      for (const name of ["lazaret/queue/main/b9-1", "lazaret/queue/main/idea"]) {
        queue.platform.history.move(name, { from: null, to: tip })
      }
      yield* queue.enter(1)
      yield* queue.steps(5)
      same(queue.branches(), ["lazaret/queue/main/idea"])
    })
  ),

  scenario("(57) another mode: everybody leaves with a comment, and the branches go", batched, (queue) =>
    Effect.gen(function* () {
      queue.script.ci = () => null
      yield* together(queue, 1, 2)
      yield* queue.steps(2)
      same(queue.branches().length, 1)
      yield* queue.first.run(QueueStore.use((store) => store.setConfiguration(ref, "merge_queue: {mode: off}", 0)))
      yield* queue.first.run(Engines.use((engines) => engines.notice(ref, null)))
      yield* queue.steps(4)
      same(
        [queue.merged(), yield* queue.left, queue.platform.comments.size],
        [[], ["#1 mode_changed", "#2 mode_changed"], 2]
      )
      same(yield* shown(queue), [])
      yield* quiet(queue)
    })
  ),

  scenario(
    "law 17 shadow: it plans, judges, and writes nothing",
    { file: fileOf({ rule: `batch_size: 2, ${pushed}`, shadow: true }), script: failing("p3") },
    (queue) =>
      Effect.gen(function* () {
        yield* together(queue, 1, 2, 3)
        yield* queue.steps(4)
        const { foresight, isActing, queued } = (yield* queue.view) ?? {}
        same(
          [foresight?.batches, foresight?.pulls, foresight?.left.length, isActing, queued?.map(({ number }) => number)],
          [1, 2, 1, false, [1, 2]]
        )
        assert.match(queued?.[0]?.explanation ?? "", /would have landed/u)
        same([queue.merged(), queue.branches(), queue.platform.comments.size], [[], [], 0])
      })
  ),

  scenario("law 17 shadow: who would have landed in the shadow lands when it ends", shadowed, (queue) =>
    Effect.gen(function* () {
      yield* together(queue, 1, 2, 3)
      yield* queue.steps(4)
      Platform.mergeByHand(queue.platform, 3)
      yield* queue.steps(2)
      same([(yield* queue.state).messages, (yield* queue.view)?.queued.map(({ number }) => number)], [[], [1, 2]])
      yield* queue.first.run(QueueStore.use((store) => store.setConfiguration(ref, batched.file, 0)))
      yield* queue.steps(1)
      // After a death one round more or less has run: the file is not read yet, or both have landed.
      const isRead = (yield* queue.state).configuration?.shadow === false
      const waiting = [1, 2].filter((number) => isRead && !queue.merged().includes(number))
      same(yield* shown(queue), waiting)
      yield* queue.steps(15)
      same([queue.merged(), yield* queue.left, queue.platform.comments.size], [[1, 2, 3], [], 2])
      yield* quiet(queue)
    })
  ),

  scenario("(safety) without a certification it stays in the shadow", { ...batched, isCertified: false }, (queue) =>
    Effect.gen(function* () {
      yield* queue.enter(1, 2)
      yield* queue.steps(5)
      same(queue.merged(), [])
      assert.match((yield* queue.view)?.explanation ?? "", /not certified/u)
    })
  ),

  scenario("(safety) a rule that makes driving impossible keeps it in the shadow", batched, (queue) =>
    Effect.gen(function* () {
      queue.platform.rules.push({ kind: "merge_queue", timeout: 3_600_000 })
      yield* queue.enter(1, 2)
      yield* queue.steps(5)
      same(queue.merged(), [])
      assert.match((yield* queue.view)?.explanation ?? "", /merge queue of the platform/u)
      queue.platform.rules.pop()
      yield* TestClock.adjust("10 minutes")
      yield* queue.steps(8)
      same(queue.merged(), [1, 2])
    })
  )
]
