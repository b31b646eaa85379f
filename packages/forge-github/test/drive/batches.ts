/** Scenarios of a driven queue: how batches are formed, tested and split. */
import { GitHistory } from "@lazaret/forge-simulated"
import { Effect } from "effect"
import * as Platform from "./platform.ts"
import { failing, fileOf } from "./queue.ts"
import { batched, issued, pushed, quiet, same, type Scenario, scenario, shown, together } from "./scenario.ts"

/** The scenarios. */
export const scenarios: ReadonlyArray<Scenario> = [
  scenario("(1) one pull request lands in place, and gets one comment", {}, (queue) =>
    Effect.gen(function* () {
      yield* queue.enter(1)
      yield* queue.steps(5)
      same([queue.merged(), queue.platform.comments.get(1)?.length, yield* shown(queue)], [[1], 1, []])
      same((yield* issued(queue, "publish")).length, 0)
      yield* quiet(queue)
    })
  ),

  scenario("(2) a batch of four that passes lands in order, with one push to the base branch", batched, (queue) =>
    Effect.gen(function* () {
      yield* together(queue, 1, 2, 3, 4)
      yield* queue.steps(6)
      same([queue.merged(), (yield* issued(queue, "land")).length], [[1, 2, 3, 4], 1])
      same((yield* issued(queue, "publish")).length, 1)
      yield* quiet(queue)
    })
  ),

  scenario("(2) the same over a bare repository of git", { ...batched, history: GitHistory.make }, (queue) =>
    Effect.gen(function* () {
      yield* together(queue, 1, 2, 3, 4)
      yield* queue.steps(6)
      same(queue.merged(), [1, 2, 3, 4])
      const files = Object.keys(queue.platform.history.files(Platform.tipOf(queue.platform)))
      same(files, ["p1", "p2", "p3", "p4", "readme"])
      yield* quiet(queue)
    })
  ),

  scenario(
    "(3) an incomplete batch waits for more, then goes",
    {
      file: fileOf({ rule: `batch_size: 4, ${pushed}` }).replace("batch_max_wait_time: 0s", "batch_max_wait_time: 5m")
    },
    (queue) =>
      Effect.gen(function* () {
        yield* queue.enter(1, 2)
        yield* queue.steps(2)
        same(
          (yield* queue.view)?.queued.map(({ batch }) => batch),
          [null, null]
        )
        yield* queue.steps(8)
        same([queue.merged(), (yield* issued(queue, "land")).length], [[1, 2], 1])
      })
  ),

  scenario("(4) halving finds the one culprit, and the others land", { ...batched, script: failing("p3") }, (queue) =>
    Effect.gen(function* () {
      yield* together(queue, 1, 2, 3, 4)
      yield* queue.steps(20)
      same([queue.merged(), yield* queue.left], [[1, 2, 4], ["#3 checks_failed"]])
      yield* quiet(queue)
    })
  ),

  scenario("(5) two culprits in different halves leave", { ...batched, script: failing("p1", "p4") }, (queue) =>
    Effect.gen(function* () {
      yield* together(queue, 1, 2, 3, 4)
      yield* queue.steps(24)
      same(
        [queue.merged(), (yield* queue.left).toSorted()],
        [
          [2, 3],
          ["#1 checks_failed", "#4 checks_failed"]
        ]
      )
    })
  ),

  scenario(
    "(6) of two that fail only together the later one leaves",
    {
      ...batched,
      script: { ci: (files) => (files.has("p1") && files.has("p2") ? "failure" : "success"), judge: () => "real" }
    },
    (queue) =>
      Effect.gen(function* () {
        yield* together(queue, 1, 2)
        yield* queue.steps(12)
        same([queue.merged(), yield* queue.left], [[1], ["#2 checks_failed"]])
      })
  ),

  scenario(
    "(7) without attempts to find the cause the whole batch leaves, and nobody is blamed",
    {
      file: fileOf({ rule: `batch_size: 4, batch_max_failure_resolution_attempts: 0, ${pushed}` }),
      script: failing("p2")
    },
    (queue) =>
      Effect.gen(function* () {
        yield* together(queue, 1, 2)
        yield* queue.steps(8)
        same([queue.merged(), yield* queue.left], [[], ["#1 batch_failed", "#2 batch_failed"]])
      })
  ),

  scenario(
    "(8) what stood on a red head is tested without it, and lands",
    { file: fileOf({ more: "max_parallel_checks: 3", rule: pushed }), script: failing("p1") },
    (queue) =>
      Effect.gen(function* () {
        yield* together(queue, 1, 2, 3)
        yield* queue.steps(12)
        same([queue.merged(), yield* queue.left], [[2, 3], ["#1 checks_failed"]])
        yield* quiet(queue)
      })
  ),

  scenario("(15) a conflict with the base branch is an eviction", batched, (queue) =>
    Effect.gen(function* () {
      Platform.open(queue.platform, 1, { readme: "mine" })
      Platform.pushBase(queue.platform, { readme: "theirs" })
      yield* queue.enter(1)
      yield* queue.steps(4)
      same([queue.merged(), yield* queue.left], [[], ["#1 conflict"]])
    })
  ),

  scenario("(16) a conflict with one ahead waits for it, and is decided when that has landed", batched, (queue) =>
    Effect.gen(function* () {
      Platform.open(queue.platform, 1, { shared: "one" })
      Platform.open(queue.platform, 2, { shared: "two" })
      yield* together(queue, 1, 2, 3)
      yield* queue.steps(10)
      same([queue.merged(), yield* queue.left], [[1, 3], ["#2 conflict"]])
    })
  ),

  scenario(
    "(62) a flaky failure runs again on the same commit, and lands",
    { ...batched, script: { ci: (_, attempt) => (attempt > 1 ? "success" : "failure"), judge: () => "flaky" } },
    (queue) =>
      Effect.gen(function* () {
        yield* together(queue, 1, 2)
        yield* queue.steps(8)
        same([queue.merged(), yield* queue.left, (yield* issued(queue, "rerun")).length], [[1, 2], [], 1])
      })
  ),

  scenario(
    "(63) a flake that fails each time: the reruns end, and the head leaves",
    {
      file: fileOf({ more: "rerun: {per_round: 2}", rule: pushed }),
      script: { ci: () => "failure", judge: () => "flaky" }
    },
    (queue) =>
      Effect.gen(function* () {
        yield* queue.enter(1)
        yield* queue.steps(12)
        same([queue.merged(), yield* queue.left, (yield* issued(queue, "rerun")).length], [[], ["#1 checks_failed"], 2])
      })
  ),

  scenario(
    "(41, 45) a check that never ends is a timeout without blame",
    { file: fileOf({ rule: `checks_timeout: 10m, ${pushed}` }), script: { ci: () => null, judge: () => "real" } },
    (queue) =>
      Effect.gen(function* () {
        yield* queue.enter(1)
        yield* queue.steps(16)
        same([queue.merged(), yield* queue.left], [[], ["#1 checks_timeout"]])
        yield* quiet(queue)
      })
  )
]
