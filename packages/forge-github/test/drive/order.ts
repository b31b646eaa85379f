/** Scenarios of a driven queue: who waits for whom, and what holds up everybody. */
import { strict as assert } from "node:assert"
import { QueueStore } from "@lazaret/store"
import { Effect } from "effect"
import { ref } from "../connection.ts"
import * as Platform from "./platform.ts"
import { failing, fileOf } from "./queue.ts"
import { batched, issued, pushed, quiet, same, type Scenario, scenario, shown, together } from "./scenario.ts"

const parallel = { file: fileOf({ more: "max_parallel_checks: 3", rule: pushed }) }

/** The clock of a scenario begins at 13:46. */
const freeze = `{from: "1970-01-12T13:00:00Z", to: "1970-01-12T14:00:00Z", reason: release, except_priority: high}`

/** The scenarios. */
export const scenarios: ReadonlyArray<Scenario> = [
  scenario(
    "(9) red in the middle: it is held, those around it land, and it leaves",
    { ...parallel, script: failing("p2") },
    (queue) =>
      Effect.gen(function* () {
        yield* together(queue, 1, 2, 3)
        yield* queue.steps(14)
        same([queue.merged(), yield* queue.left], [[1, 3], ["#2 checks_failed"]])
        yield* quiet(queue)
      })
  ),

  scenario(
    "(11, 12) two red at the head at once: each leaves once",
    { ...parallel, script: failing("p1", "p2") },
    (queue) =>
      Effect.gen(function* () {
        yield* together(queue, 1, 2, 3)
        yield* queue.steps(16)
        same([queue.merged(), (yield* queue.left).toSorted()], [[3], ["#1 checks_failed", "#2 checks_failed"]])
      })
  ),

  scenario("(13) who is green first waits for the one ahead", parallel, (queue) =>
    Effect.gen(function* () {
      queue.script.ci = (files) => (files.has("p2") ? "success" : null)
      yield* together(queue, 1, 2)
      yield* queue.steps(6)
      same(queue.merged(), [])
      queue.script.ci = () => "success"
      yield* queue.steps(8)
      same(
        [queue.merged(), queue.platform.landings.map(({ number }) => number)],
        [
          [1, 2],
          [1, 2]
        ]
      )
    })
  ),

  scenario(
    "(14) with skip_intermediate what is green first lands the one ahead with it, in one step",
    { file: fileOf({ more: "max_parallel_checks: 3\n  skip_intermediate: true", rule: pushed }) },
    (queue) =>
      Effect.gen(function* () {
        queue.script.ci = (files) => (files.has("p2") && !files.has("p3") ? "success" : null)
        yield* together(queue, 1, 2, 3)
        yield* queue.steps(6)
        same([queue.merged(), (yield* issued(queue, "land")).length], [[1, 2], 1])
        queue.script.ci = () => "success"
        yield* queue.steps(8)
        same([queue.merged(), (yield* issued(queue, "publish")).length], [[1, 2, 3], 3])
        yield* quiet(queue)
      })
  ),

  scenario(
    "(14) a failure ahead of what passed is skipped as long as it is open, and nobody leaves for it",
    { file: fileOf({ more: "max_parallel_checks: 2\n  skip_intermediate: true", rule: pushed }) },
    (queue) =>
      Effect.gen(function* () {
        queue.script.ci = (files) => (files.has("p2") ? "success" : "failure")
        queue.script.judge = () => "flaky"
        yield* together(queue, 1, 2)
        yield* queue.steps(8)
        same([queue.merged(), yield* queue.left], [[1, 2], []])
        yield* quiet(queue)
      })
  ),

  scenario("(29) what the base branch holds already is merged, and nobody is blamed", batched, (queue) =>
    Effect.gen(function* () {
      const { head } = Platform.open(queue.platform, 1)
      queue.platform.history.move("main", { from: undefined, to: head })
      yield* queue.enter(1)
      yield* queue.steps(4)
      same([yield* queue.left, yield* shown(queue), queue.platform.landings], [[], [], []])
      yield* quiet(queue)
    })
  ),

  scenario("(36, 52) a platform that is away in the middle delays, and changes nothing", batched, (queue) =>
    Effect.gen(function* () {
      yield* together(queue, 1, 2)
      yield* queue.steps(1)
      queue.platform.isDown = true
      yield* queue.steps(5)
      queue.platform.isDown = false
      yield* queue.steps(10)
      same([queue.merged(), yield* queue.left], [[1, 2], []])
      yield* quiet(queue)
    })
  ),

  scenario(
    "(43) the check of the queue itself is not waited for",
    { file: batched.file.replace("[unit]", "[unit, lazaret/queue]") },
    (queue) =>
      Effect.gen(function* () {
        yield* together(queue, 1, 2)
        yield* queue.steps(6)
        same(queue.merged(), [1, 2])
      })
  ),

  scenario(
    "(46) a result after the timeout brings nobody back",
    { file: fileOf({ rule: `checks_timeout: 10m, ${pushed}` }) },
    (queue) =>
      Effect.gen(function* () {
        queue.script.ci = () => null
        yield* queue.enter(1)
        yield* queue.steps(16)
        queue.script.ci = () => "success"
        yield* queue.steps(4)
        same([queue.merged(), yield* queue.left], [[], ["#1 checks_timeout"]])
      })
  ),

  scenario("(58) fewer rounds at once: what runs goes on, and everybody lands", parallel, (queue) =>
    Effect.gen(function* () {
      queue.script.ci = () => null
      yield* together(queue, 1, 2, 3)
      yield* queue.steps(3)
      const fewer = fileOf({ more: "max_parallel_checks: 1", rule: pushed })
      yield* queue.first.run(QueueStore.use((store) => store.setConfiguration(ref, fewer, 0)))
      queue.script.ci = () => "success"
      yield* queue.steps(14)
      same([queue.merged(), yield* queue.left], [[1, 2, 3], []])
    })
  ),

  scenario("(64) a failure that is judged real does not run again", { ...batched, script: failing("p1") }, (queue) =>
    Effect.gen(function* () {
      yield* queue.enter(1)
      yield* queue.steps(6)
      same([yield* queue.left, (yield* issued(queue, "rerun")).length], [["#1 checks_failed"], 0])
    })
  ),

  scenario(
    "(freeze) nothing lands until it ends, except what is urgent; rounds go on",
    { file: fileOf({ more: `freezes: [${freeze}]`, rule: `batch_size: 2, ${pushed}` }) },
    (queue) =>
      Effect.gen(function* () {
        yield* together(queue, 1, 2)
        yield* queue.steps(6)
        same(queue.merged(), [])
        assert.match((yield* queue.view)?.queued[0]?.explanation ?? "", /^Landing is frozen until 1970-01-12T14:00/u)
        yield* queue.ask(1, { priority: 3000 })
        yield* queue.steps(2)
        same(queue.merged(), [])
        yield* queue.ask(2, { priority: 3000 })
        yield* queue.steps(2)
        same(queue.merged(), [1, 2])
        yield* queue.enter(3)
        yield* queue.steps(12)
        same(queue.merged(), [1, 2, 3])
      })
  )
]
