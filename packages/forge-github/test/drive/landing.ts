/** Scenarios of a driven queue: how tested commits become the base branch. */
import { strict as assert } from "node:assert"
import { Page } from "@lazaret/domain"
import { EventStore } from "@lazaret/store"
import { Effect } from "effect"
import { ref } from "../connection.ts"
import * as Platform from "./platform.ts"
import { type Drive, fileOf } from "./queue.ts"
import {
  batched,
  issued,
  messageOf,
  pushed,
  quiet,
  same,
  type Scenario,
  scenario,
  shown,
  together
} from "./scenario.ts"

/** The alarms about refused writes: what was to be written, for whom. */
const refusals = (queue: Drive) =>
  Effect.map(
    queue.first.run(
      EventStore.use((store) => store.page(ref, { types: ["queue.write_refused"], from: Page.start, limit: 10 }))
    ),
    ({ rows }) => rows.map(({ detail }) => [detail["write"], detail["pullRequests"]])
  )

/** The scenarios. */
export const scenarios: ReadonlyArray<Scenario> = [
  scenario(
    "(31, 32) a push to the base branch right before the landing: built again, and lands on it",
    batched,
    (queue) =>
      Effect.gen(function* () {
        queue.platform.pushAt = "land"
        yield* together(queue, 1, 2)
        yield* queue.steps(10)
        same(queue.merged(), [1, 2])
        const files = Object.keys(queue.platform.history.files(Platform.tipOf(queue.platform)))
        same(files.includes("pushed"), true)
        yield* quiet(queue)
      })
  ),

  scenario("(33) a rewritten base branch pauses the queue", batched, (queue) =>
    Effect.gen(function* () {
      queue.script.ci = () => null
      yield* queue.enter(1, 2)
      yield* queue.steps(2)
      const { history } = queue.platform
      const other = history.write({
        tree: history.tree(null, { other: "x" }),
        parents: [],
        message: "new",
        author: null
      })
      history.move("main", { from: undefined, to: other })
      yield* queue.steps(2)
      assert.match((yield* queue.state).pause?.reason ?? "", /^base_rewritten/u)
    })
  ),

  scenario("(35) a landing that a rule refuses holds its members, and the queue goes on", batched, (queue) =>
    Effect.gen(function* () {
      queue.platform.refuses = "Repository rule violations found"
      yield* together(queue, 1, 2)
      yield* queue.steps(6)
      queue.platform.refuses = null
      yield* queue.enter(3)
      yield* queue.steps(6)
      same([queue.merged(), yield* queue.left], [[3], []])
      same(yield* refusals(queue), [["land", [1, 2]]])
      assert.match((yield* queue.view)?.queued[0]?.explanation ?? "", /rule violations/u)
      yield* queue.ask(1)
      yield* queue.ask(2)
      yield* queue.steps(6)
      same(queue.merged(), [1, 2, 3])
    })
  ),

  scenario(
    "(40) who changes workflows without the permission is held with that reason, and the queue goes on",
    batched,
    (queue) =>
      Effect.gen(function* () {
        queue.platform.forbids.add(2)
        yield* together(queue, 1, 2, 3)
        yield* queue.steps(6)
        same([queue.merged(), yield* queue.left], [[1, 3], []])
        same(yield* refusals(queue), [["build", [2]]])
        assert.match((yield* queue.view)?.queued[0]?.explanation ?? "", /without `workflows` permission/u)
        assert.match(queue.platform.comments.get(2)?.at(-1) ?? "", /without .?`workflows.?` permission/u)
        queue.platform.forbids.clear()
        yield* queue.ask(2)
        yield* queue.steps(6)
        same(queue.merged(), [1, 2, 3])
      })
  ),

  scenario(
    "(40) of one alone that may not be built it is the same; if nothing may be written, nobody is held",
    batched,
    (queue) =>
      Effect.gen(function* () {
        queue.platform.forbids.add(1)
        queue.platform.isReadOnly = true
        yield* queue.enter(1)
        yield* queue.steps(3)
        same((yield* queue.state).entries[0]?.hold, null)
        queue.platform.isReadOnly = false
        yield* queue.steps(6)
        same((yield* queue.state).entries[0]?.hold?.kind, "refused")
        yield* queue.enter(2)
        yield* queue.steps(6)
        same([queue.merged(), yield* queue.left], [[2], []])
      })
  ),

  scenario("(safety) nothing may be written: asked again, shown, one event, and on when it may be", batched, (queue) =>
    Effect.gen(function* () {
      queue.platform.isReadOnly = true
      yield* together(queue, 1, 2)
      yield* queue.steps(10)
      const { entries, inflight } = yield* queue.state
      same([yield* queue.left, entries.map(({ hold }) => hold)], [[], [null, null]])
      same([inflight.length, (yield* issued(queue, "build")).length, queue.branches()], [1, 1, []])
      assert.match(
        (yield* queue.view)?.queued[0]?.explanation ?? "",
        /^The platform has refused to build its batch \d+ times, and is asked again: 403 .*read-only/u
      )
      same(yield* refusals(queue), [["build", [1, 2]]])
      queue.platform.isReadOnly = false
      yield* queue.steps(12)
      same([queue.merged(), yield* queue.left, (yield* refusals(queue)).length], [[1, 2], [], 1])
      yield* quiet(queue)
    })
  ),

  scenario(
    "(38) the first merge with another tree stops the queue",
    { file: fileOf({ rule: "batch_size: 4" }) },
    (queue) =>
      Effect.gen(function* () {
        queue.platform.wrongly = true
        yield* together(queue, 1, 2, 3)
        yield* queue.steps(8)
        same(queue.merged(), [1])
        assert.match((yield* queue.state).pause?.reason ?? "", /^tree_mismatch/u)
      })
  ),

  scenario(
    "(39) squashed: one commit for each, with its title and author; the pull requests are closed",
    { file: fileOf({ rule: `batch_size: 4, merge_method: squash, ${pushed}` }) },
    (queue) =>
      Effect.gen(function* () {
        yield* together(queue, 1, 2)
        yield* queue.steps(8)
        const tip = Platform.tipOf(queue.platform)
        const { history, pulls } = queue.platform
        same([messageOf(queue, tip), history.commit(tip)?.author?.name], ["Change 2 (#2)", "Author 2"])
        same(messageOf(queue, history.commit(tip)?.parents[0] ?? ""), "Change 1 (#1)")
        same([pulls.get(1)?.state, pulls.get(2)?.state], ["closed", "closed"])
        same([yield* queue.left, yield* shown(queue)], [[], []])
        yield* quiet(queue)
      })
  ),

  scenario(
    "(39) the template of the message acts",
    { file: fileOf({ rule: `commit_message_template: "{{ title }} of {{ author }}", batch_size: 2, ${pushed}` }) },
    (queue) =>
      Effect.gen(function* () {
        yield* together(queue, 1, 2)
        yield* queue.steps(8)
        same(messageOf(queue, Platform.tipOf(queue.platform)), "Change 2 of ada")
      })
  )
]
