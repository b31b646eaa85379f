/** Scenarios of a driven queue: what counts as passed, and whose fault a failure is. */
import { Effect } from "effect"
import * as Platform from "./platform.ts"
import { type Drive, failing, fileOf } from "./queue.ts"
import { batched, issued, pushed, quiet, same, type Scenario, scenario, together } from "./scenario.ts"

/** A queue that waits for two checks. */
const twoChecks = { file: batched.file.replace("[unit]", "[unit, e2e]") }

/** The second check starts on every commit that is tested. */
const startSecond = ({ platform }: Drive): void => {
  for (const { checks } of platform.runs.values()) if (!checks.has("e2e")) checks.set("e2e", "pending")
}

const endSecond = ({ platform }: Drive): void => {
  for (const { checks } of platform.runs.values()) checks.set("e2e", "success")
}

const strict = { file: batched.file.replace("[unit]", "[unit]\n  accept_skipped: false") }

/** The scenarios. */
export const scenarios: ReadonlyArray<Scenario> = [
  scenario("(41) a required check that never appears: who waits for it leaves, and is not blamed", twoChecks, (queue) =>
    Effect.gen(function* () {
      yield* queue.enter(1)
      yield* queue.steps(24)
      same([queue.merged(), yield* queue.left], [[], ["#1 missing_check"]])
      yield* quiet(queue)
    })
  ),

  scenario("(42) a required check that was skipped counts as passed", batched, (queue) =>
    Effect.gen(function* () {
      queue.script.ci = (files) => (files.has("p2") ? "neutral" : "skipped")
      yield* queue.enter(1)
      yield* queue.steps(6)
      yield* queue.enter(2)
      yield* queue.steps(6)
      same([queue.merged(), yield* queue.left], [[1, 2], []])
    })
  ),

  scenario(
    "(42) with accept_skipped: false a required check that was skipped is a failure",
    { ...strict, script: { ci: () => "skipped", judge: () => "real" } },
    (queue) =>
      Effect.gen(function* () {
        yield* queue.enter(1)
        yield* queue.steps(6)
        same([queue.merged(), yield* queue.left], [[], ["#1 checks_failed"]])
      })
  ),

  scenario("(44) a suite that is complete before its last check begins is not taken for passed", twoChecks, (queue) =>
    Effect.gen(function* () {
      yield* together(queue, 1, 2)
      yield* queue.steps(3)
      yield* queue.notice
      yield* queue.steps(1)
      same(queue.merged(), [])
      startSecond(queue)
      yield* queue.steps(2)
      same(queue.merged(), [])
      endSecond(queue)
      yield* queue.steps(4)
      same([queue.merged(), yield* queue.left], [[1, 2], []])
      yield* quiet(queue)
    })
  ),

  scenario(
    "(47) a run that the platform cancelled is nobody's failure: it runs again, and lands",
    {
      ...batched,
      script: { ci: (_, attempt) => (attempt > 1 ? "success" : "cancelled"), judge: () => "infrastructure" }
    },
    (queue) =>
      Effect.gen(function* () {
        yield* together(queue, 1, 2)
        yield* queue.steps(8)
        same([queue.merged(), yield* queue.left, (yield* issued(queue, "rerun")).length], [[1, 2], [], 1])
      })
  ),

  scenario(
    "(61) three unrelated rounds that fail alike are an incident: the third is held, and lands when it is over",
    { file: fileOf({ more: "incident: {rounds: 3, within: 1h}", rule: pushed }), script: failing("p1", "p2", "p3") },
    (queue) =>
      Effect.gen(function* () {
        yield* together(queue, 1, 2, 3)
        yield* queue.steps(12)
        same([queue.merged(), yield* queue.left], [[], ["#1 checks_failed", "#2 checks_failed"]])
        same((yield* queue.state).incident !== null, true)
        queue.script.ci = () => "success"
        yield* queue.steps(2, "1 hour")
        yield* queue.steps(6)
        same([queue.merged(), (yield* queue.state).incident], [[3], null])
        yield* quiet(queue)
      })
  ),

  scenario(
    "(65) a real failure and a flaky one are real together: no rerun",
    { ...batched, script: { ci: () => "failure", judge: () => ["flaky", "real"] } },
    (queue) =>
      Effect.gen(function* () {
        yield* queue.enter(1)
        yield* queue.steps(6)
        same([yield* queue.left, (yield* issued(queue, "rerun")).length], [["#1 checks_failed"], 0])
      })
  ),

  scenario(
    "(69) the runs of what stood on a failed batch are cancelled",
    { file: fileOf({ more: "max_parallel_checks: 2", rule: pushed }) },
    (queue) =>
      Effect.gen(function* () {
        queue.script.ci = (files) => (files.has("p1") ? (files.has("p2") ? null : "failure") : "success")
        yield* together(queue, 1, 2)
        yield* queue.steps(8)
        same([queue.merged(), yield* queue.left], [[2], ["#1 checks_failed"]])
        const { cancelled, history, runs } = queue.platform
        const filesOf = (sha: string) => Object.keys(history.files(sha))
        const open = [...runs.keys()].filter((sha) => filesOf(sha).includes("p1") && filesOf(sha).includes("p2"))
        same(
          open.filter((sha) => !cancelled.has(sha)),
          []
        )
        same(filesOf(Platform.tipOf(queue.platform)).includes("p1"), false)
      })
  )
]
