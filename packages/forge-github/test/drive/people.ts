/** Scenarios of a driven queue: what people do while a pull request is queued. */
import { Queues } from "@lazaret/services"
import { Effect } from "effect"
import { ref } from "../connection.ts"
import * as Platform from "./platform.ts"
import { fileOf } from "./queue.ts"
import { batched, issued, pushed, quiet, same, type Scenario, scenario, together } from "./scenario.ts"

/** The scenarios. */
export const scenarios: ReadonlyArray<Scenario> = [
  scenario("(19) a push while it is tested: it leaves, and the others land", batched, (queue) =>
    Effect.gen(function* () {
      queue.script.ci = () => null
      yield* together(queue, 1, 2)
      yield* queue.steps(2)
      Platform.pushHead(queue.platform, 1)
      queue.script.ci = () => "success"
      yield* queue.steps(6)
      same([queue.merged(), yield* queue.left], [[2], ["#1 head_changed"]])
      yield* quiet(queue)
    })
  ),

  scenario("(19) a push during a pause: the new head does not land", batched, (queue) =>
    Effect.gen(function* () {
      queue.script.ci = () => null
      yield* together(queue, 1, 2)
      yield* queue.steps(1)
      yield* queue.first.run(Queues.use((queues) => queues.pause(ref, "release", "ana")))
      queue.script.ci = () => "success"
      yield* queue.steps(2)
      Platform.pushHead(queue.platform, 1)
      yield* queue.first.run(Queues.use((queues) => queues.unpause(ref, "ana")))
      yield* queue.steps(6)
      same([queue.merged(), yield* queue.left], [[2], ["#1 head_changed"]])
    })
  ),

  scenario("(19) a push right after the read that confirmed it: the new head does not land", batched, (queue) =>
    Effect.gen(function* () {
      yield* together(queue, 1, 2)
      queue.platform.pushAt = "read"
      yield* queue.steps(8)
      same([queue.merged(), yield* queue.left], [[2], ["#1 head_changed"]])
      yield* quiet(queue)
    })
  ),

  scenario("(21 to 25) closed, drafts, other bases and lost approvals leave", batched, (queue) =>
    Effect.gen(function* () {
      queue.script.ci = () => null
      yield* together(queue, 1, 2, 3, 4)
      yield* queue.steps(2)
      const change = (number: number, fields: Partial<Platform.Pull>) =>
        Object.assign(queue.platform.pulls.get(number) ?? {}, fields)
      change(1, { state: "closed" })
      change(2, { draft: true })
      change(3, { base: "release" })
      change(4, { approved: false })
      yield* queue.steps(3)
      same(yield* queue.left, ["#1 closed", "#2 draft", "#3 base_changed", "#4 approval_lost"])
      yield* quiet(queue)
    })
  ),

  scenario("(26) merged by hand while it is queued: it is merged, not evicted", batched, (queue) =>
    Effect.gen(function* () {
      queue.script.ci = () => null
      yield* together(queue, 1, 2)
      yield* queue.steps(2)
      Platform.mergeByHand(queue.platform, 1)
      queue.script.ci = () => "success"
      yield* queue.steps(6)
      same([queue.merged(), yield* queue.left], [[1, 2], []])
    })
  ),

  scenario("(27) who is queued twice lands once, and keeps the place", batched, (queue) =>
    Effect.gen(function* () {
      yield* queue.enter(1)
      yield* queue.ask(1)
      yield* queue.ask(1, { priority: 3000 })
      yield* queue.steps(6)
      const queued = (yield* queue.log).filter(({ kind }) => kind === "queue_asked")
      same([queue.merged(), queued.length], [[1], 1])
    })
  ),

  scenario("(55) a higher priority goes first among those that wait", { file: fileOf({ rule: pushed }) }, (queue) =>
    Effect.gen(function* () {
      queue.script.ci = () => null
      yield* queue.enter(1, 2)
      Platform.open(queue.platform, 3)
      yield* queue.ask(3, { priority: 3000 })
      yield* queue.steps(2)
      queue.script.ci = () => "success"
      yield* queue.steps(12)
      const landed = (yield* issued(queue, "land")).flatMap((command) =>
        command.kind === "land" ? command.members.map(({ number }) => number) : []
      )
      same([landed.length, landed.indexOf(3) < landed.indexOf(2)], [3, true])
    })
  ),

  scenario(
    "(55) with preempt the rounds of lower priority begin again behind a higher one",
    { file: fileOf({ more: "max_parallel_checks: 2\n  preempt: true", rule: pushed }) },
    (queue) =>
      Effect.gen(function* () {
        queue.script.ci = () => null
        yield* together(queue, 1, 2)
        yield* queue.steps(2)
        Platform.open(queue.platform, 3)
        yield* queue.ask(3, { priority: 3000 })
        yield* queue.steps(2)
        queue.script.ci = () => "success"
        yield* queue.steps(14)
        same([queue.platform.landings.map(({ number }) => number), yield* queue.left], [[3, 1, 2], []])
        yield* quiet(queue)
      })
  ),

  scenario(
    "(55) preempt overtakes nobody more often than allowed",
    { file: fileOf({ more: "max_overtakes: 1\n  preempt: true", rule: pushed }) },
    (queue) =>
      Effect.gen(function* () {
        queue.script.ci = () => null
        yield* queue.enter(1)
        yield* queue.steps(2)
        for (const number of [2, 3]) {
          Platform.open(queue.platform, number)
          yield* queue.ask(number, { priority: 3000 + number })
          yield* queue.steps(2)
        }
        queue.script.ci = () => "success"
        yield* queue.steps(14)
        same(queue.platform.landings.map(({ number }) => number)[1], 1)
        yield* quiet(queue)
      })
  ),

  scenario("(59) a pause right before the landing lands nothing until it ends", batched, (queue) =>
    Effect.gen(function* () {
      queue.script.ci = () => null
      yield* together(queue, 1, 2)
      yield* queue.steps(2)
      yield* queue.first.run(Queues.use((queues) => queues.pause(ref, "release", "ana")))
      queue.script.ci = () => "success"
      yield* queue.steps(4)
      same(queue.merged(), [])
      yield* queue.first.run(Queues.use((queues) => queues.unpause(ref, "ana")))
      yield* queue.steps(4)
      same(queue.merged(), [1, 2])
    })
  )
]
