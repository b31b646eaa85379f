/** Scenarios of a driven queue: what changes around a pull request while it is queued. */
import { Queues } from "@lazaret/services"
import { Effect } from "effect"
import { ref } from "../connection.ts"
import * as Platform from "./platform.ts"
import { fileOf } from "./queue.ts"
import { batched, issued, pushed, quiet, same, type Scenario, scenario, shown, together } from "./scenario.ts"

/** The numbers of those who landed, in their order. */
const landed = ({ platform }: { readonly platform: Platform.Platform }) => platform.landings.map(({ number }) => number)

/** The scenarios. */
export const scenarios: ReadonlyArray<Scenario> = [
  scenario(
    "(10) red because of one ahead that then leaves: it is tested without it, and lands",
    { file: fileOf({ more: "max_parallel_checks: 2", rule: pushed }) },
    (queue) =>
      Effect.gen(function* () {
        queue.script.ci = (files) => (files.has("p1") ? (files.has("p2") ? "failure" : null) : "success")
        yield* together(queue, 1, 2)
        yield* queue.steps(4)
        same([queue.merged(), yield* queue.left], [[], []])
        yield* queue.leave(1)
        yield* queue.steps(6)
        same([queue.merged(), yield* queue.left], [[2], ["#1 dequeued_by"]])
        yield* quiet(queue)
      })
  ),

  scenario("(17) of a batch only the member leaves that conflicts with the base branch", batched, (queue) =>
    Effect.gen(function* () {
      Platform.open(queue.platform, 2, { readme: "mine" })
      queue.platform.computing.add(2)
      Platform.pushBase(queue.platform, { readme: "theirs" })
      yield* together(queue, 1, 2, 3)
      yield* queue.steps(10)
      same([queue.merged(), yield* queue.left], [[1, 3], ["#2 conflict"]])
      yield* quiet(queue)
    })
  ),

  scenario("(18) while the platform does not say whether it can be merged, nobody leaves for it", batched, (queue) =>
    Effect.gen(function* () {
      queue.script.ci = () => null
      queue.platform.computing.add(1)
      yield* queue.steps(1)
      yield* together(queue, 1, 2)
      yield* queue.steps(30)
      same([yield* queue.left, yield* shown(queue)], [[], [1, 2]])
      queue.script.ci = () => "success"
      yield* queue.steps(6)
      same([queue.merged(), yield* queue.left], [[1, 2], []])
    })
  ),

  scenario("(20) a forced push back to an older head is a push; asked again, that head lands", batched, (queue) =>
    Effect.gen(function* () {
      const older = Platform.open(queue.platform, 1).head
      Platform.pushHead(queue.platform, 1)
      queue.script.ci = () => null
      yield* queue.enter(1)
      yield* queue.steps(2)
      Object.assign(queue.platform.pulls.get(1) ?? {}, { head: older })
      yield* queue.steps(2)
      same([queue.merged(), yield* queue.left], [[], ["#1 head_changed"]])
      queue.script.ci = () => "success"
      yield* queue.ask(1)
      yield* queue.steps(6)
      same(
        queue.platform.landings.map(({ head, number }) => ({ head, number })),
        [{ head: older, number: 1 }]
      )
      yield* quiet(queue)
    })
  ),

  scenario("(28) two pull requests with one head land together", batched, (queue) =>
    Effect.gen(function* () {
      const { head } = Platform.open(queue.platform, 1)
      Object.assign(Platform.open(queue.platform, 2), { head })
      yield* together(queue, 1, 2, 3)
      yield* queue.steps(8)
      same([queue.merged(), yield* queue.left, yield* shown(queue)], [[1, 2, 3], [], []])
      yield* quiet(queue)
    })
  ),

  scenario("(30) a pull request onto another base branch is in no batch of this one", batched, (queue) =>
    Effect.gen(function* () {
      Object.assign(Platform.open(queue.platform, 2), { base: "release" })
      const asked = yield* Effect.exit(queue.ask(2))
      queue.asked.delete(2)
      yield* together(queue, 1, 3)
      yield* queue.steps(6)
      same([asked._tag, queue.merged(), yield* shown(queue)], ["Failure", [1, 3], []])
    })
  ),

  scenario(
    "(34, 70) a base branch that moves to an equal tree: made again, not tested again, and lands on it",
    batched,
    (queue) =>
      Effect.gen(function* () {
        queue.script.ci = () => null
        yield* together(queue, 1, 2)
        yield* queue.steps(2)
        const empty = Platform.pushBase(queue.platform, {})
        queue.script.ci = () => "success"
        yield* queue.steps(8)
        same([queue.merged(), queue.platform.history.contains(Platform.tipOf(queue.platform), empty)], [[1, 2], true])
        same((yield* issued(queue, "publish")).length, 1)
        yield* quiet(queue)
      })
  ),

  scenario("(37) one by one, the answer to the second of four is lost: it is finished first", {}, (queue) =>
    Effect.gen(function* () {
      queue.platform.losesAt = 2
      yield* together(queue, 1, 2, 3, 4)
      yield* queue.steps(5)
      yield* queue.enter(5)
      yield* queue.steps(12)
      same([landed(queue), yield* queue.left], [[1, 2, 3, 4, 5], []])
      yield* quiet(queue)
    })
  ),

  scenario("(48) without a single delivery the sweep sees a push, an end of checks and a close", batched, (queue) =>
    Effect.gen(function* () {
      queue.script.ci = () => null
      yield* together(queue, 1, 2, 3)
      yield* queue.steps(2)
      Object.assign(queue.platform.pulls.get(1) ?? {}, { state: "closed" })
      Platform.pushBase(queue.platform, { pushed: "past the queue" })
      queue.script.ci = () => "success"
      yield* queue.steps(8)
      same([queue.merged(), yield* queue.left], [[2, 3], ["#1 closed"]])
      yield* quiet(queue)
    })
  ),

  scenario("(49) deliveries that come twice, early or an hour late change nothing", batched, (queue) =>
    Effect.gen(function* () {
      yield* together(queue, 1, 2)
      for (let step = 0; step < 6; step += 1) {
        yield* queue.notice
        yield* queue.notice
        yield* queue.steps(1)
      }
      yield* queue.steps(1, "1 hour")
      yield* queue.notice
      yield* queue.steps(2)
      same([landed(queue), yield* queue.left, (yield* issued(queue, "land")).length], [[1, 2], [], 1])
      yield* quiet(queue)
    })
  ),

  scenario(
    "(56) what is always urgent overtakes nobody more often than allowed",
    { file: fileOf({ more: "max_overtakes: 2", rule: pushed }) },
    (queue) =>
      Effect.gen(function* () {
        yield* queue.first.run(Queues.use((queues) => queues.pause(ref, "a batch", "ana")))
        yield* queue.enter(1)
        for (const number of [2, 3, 4, 5]) {
          Platform.open(queue.platform, number)
          yield* queue.steps(1)
          yield* queue.ask(number, { priority: 3000 })
        }
        yield* queue.first.run(Queues.use((queues) => queues.unpause(ref, "ana")))
        yield* queue.steps(24)
        same(landed(queue), [2, 3, 1, 4, 5])
      })
  ),

  scenario(
    "(60) a pause longer than every timeout evicts nobody, and the order stays",
    { file: fileOf({ rule: `checks_timeout: 10m, ${pushed}` }) },
    (queue) =>
      Effect.gen(function* () {
        queue.script.ci = () => null
        yield* queue.steps(1)
        yield* queue.enter(1, 2)
        yield* queue.steps(2)
        yield* queue.first.run(Queues.use((queues) => queues.pause(ref, "an outage", "ana")))
        yield* queue.steps(3, "1 hour")
        same([yield* queue.left, yield* shown(queue)], [[], [1, 2]])
        queue.script.ci = () => "success"
        yield* queue.first.run(Queues.use((queues) => queues.unpause(ref, "ana")))
        yield* queue.steps(10)
        same([landed(queue), yield* queue.left], [[1, 2], []])
      })
  ),

  scenario("(70) who leaves and comes back with a tree that passed is not tested again", batched, (queue) =>
    Effect.gen(function* () {
      queue.script.ci = () => null
      yield* together(queue, 1, 2)
      yield* queue.steps(2)
      queue.platform.refuses = "Repository rule violations found"
      queue.script.ci = () => "success"
      yield* queue.steps(4)
      same(queue.merged(), [])
      yield* queue.leave(1)
      yield* queue.leave(2)
      yield* queue.steps(2)
      queue.platform.refuses = null
      yield* together(queue, 1, 2)
      yield* queue.steps(6)
      same([queue.merged(), (yield* issued(queue, "publish")).length], [[1, 2], 1])
      yield* quiet(queue)
    })
  ),

  scenario(
    "(25) a blocking label keeps one waiting, whatever its case; put on a queued one, it ends its stay",
    { file: fileOf({ more: "blocking_labels: [on hold, wip]", rule: `batch_size: 4, ${pushed}` }) },
    (queue) =>
      Effect.gen(function* () {
        const label = (number: number, ...labels: ReadonlyArray<string>) =>
          Object.assign(queue.platform.pulls.get(number) ?? {}, { labels })
        Platform.open(queue.platform, 1)
        label(1, "bug", "On Hold")
        queue.script.ci = () => null
        yield* together(queue, 1, 2, 3)
        yield* queue.steps(2)
        const [first] = (yield* queue.view)?.queued.filter(({ number }) => number === 1) ?? []
        same([first?.batch, yield* queue.left], [null, []])
        label(2, "wip")
        yield* queue.steps(2)
        same(yield* queue.left, ["#2 blocked_by_label"])
        queue.script.ci = () => "success"
        yield* queue.steps(5)
        same(queue.merged(), [3])
        label(1, "bug")
        yield* queue.steps(5)
        same([queue.merged(), yield* queue.left], [[1, 3], ["#2 blocked_by_label"]])
        yield* quiet(queue)
      })
  )
]
