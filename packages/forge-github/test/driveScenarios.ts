/** Scenarios of a driven queue: each is a sentence and its proof. */
import { strict as assert } from "node:assert"
import { GitHistory } from "@lazaret/forge-simulated"
import { Engines, Queues } from "@lazaret/services"
import { QueueStore } from "@lazaret/store"
import { Effect, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { ref } from "./connection.ts"
import { type Drive, failing, fileOf, green, type Settings, start } from "./drive.ts"
import * as Platform from "./drivenPlatform.ts"

/** A scenario. */
export interface Scenario {
  readonly name: string
  readonly run: Effect.Effect<void, unknown, Scope.Scope>
}

const same = (found: unknown, expected: unknown): void => assert.deepEqual(found, expected)

const pushed = "queue_branch_merge_method: fast-forward"
const batched = { file: fileOf({ rule: `batch_size: 4, ${pushed}` }) }
/** Batches form when everybody is queued: nothing waits, because the queue looks only afterwards. */
const together = (queue: Drive, ...numbers: ReadonlyArray<number>) =>
  Effect.gen(function* () {
    yield* queue.first.run(Queues.use((queues) => queues.pause(ref, "a batch", "ana")))
    yield* queue.enter(...numbers)
    yield* queue.first.run(Queues.use((queues) => queues.unpause(ref, "ana")))
  })

const issued = (queue: Drive, kind: string) =>
  Effect.map(queue.log, (events) =>
    events.flatMap((event) => (event.kind === "issued" && event.command.kind === kind ? [event.command] : []))
  )

const quiet = Effect.fnUntraced(function* (queue: Drive) {
  const state = yield* queue.state
  same([queue.branches(), state.inflight.map(({ command }) => command.kind)], [[], []])
})

const shown = (queue: Drive) =>
  Effect.map(queue.first.run(QueueStore.use((store) => store.queue(ref))), ({ branches }) =>
    branches.flatMap(({ pullRequests }) => pullRequests.map(({ number }) => number))
  )

const messageOf = ({ platform }: Drive, sha: string): string => platform.history.commit(sha)?.message ?? ""

const scenario = (
  name: string,
  settings: Settings & { readonly script?: ReturnType<typeof green> },
  run: (queue: Drive) => Effect.Effect<void, unknown, Scope.Scope>
): Scenario => ({ name, run: Effect.flatMap(start(settings.script ?? green(), settings), run) })

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

  {
    name: "(2) the same over a bare repository of git",
    run: Effect.gen(function* () {
      const queue = yield* start(green(), { ...batched, history: yield* GitHistory.make })
      yield* together(queue, 1, 2, 3, 4)
      yield* queue.steps(6)
      same(queue.merged(), [1, 2, 3, 4])
      const files = Object.keys(queue.platform.history.files(Platform.tipOf(queue.platform)))
      same(files, ["p1", "p2", "p3", "p4", "readme"])
      yield* quiet(queue)
    })
  },

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

  scenario("(19) a push while it is tested: it leaves, and the others land", batched, (queue) =>
    Effect.gen(function* () {
      queue.script.ci = () => null
      yield* together(queue, 1, 2)
      yield* queue.steps(2)
      const pull = queue.platform.pulls.get(1)
      if (pull !== undefined) pull.head = Platform.commit(queue.platform, pull.head, { more: "more" })
      queue.script.ci = () => "success"
      yield* queue.steps(6)
      same([queue.merged(), yield* queue.left], [[2], ["#1 head_changed"]])
      yield* quiet(queue)
    })
  ),

  scenario(
    "(19) a push during a pause, after the read that confirmed it: the new head does not land",
    batched,
    (queue) =>
      Effect.gen(function* () {
        yield* together(queue, 1, 2)
        yield* queue.steps(1)
        yield* queue.first.run(Queues.use((queues) => queues.pause(ref, "release", "ana")))
        yield* queue.steps(2)
        const pull = queue.platform.pulls.get(1)
        if (pull !== undefined) pull.head = Platform.commit(queue.platform, pull.head, { more: "more" })
        yield* queue.first.run(Queues.use((queues) => queues.unpause(ref, "ana")))
        yield* queue.steps(6)
        same([queue.merged(), yield* queue.left], [[2], ["#1 head_changed"]])
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
      const head = queue.platform.pulls.get(1)?.head ?? ""
      queue.platform.history.move("main", { from: undefined, to: head })
      Object.assign(queue.platform.pulls.get(1) ?? {}, { state: "merged", landed: head })
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
      assert.match((yield* queue.view)?.queued[0]?.explanation ?? "", /rule violations/u)
      yield* queue.ask(1)
      yield* queue.ask(2)
      yield* queue.steps(6)
      same(queue.merged(), [1, 2, 3])
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
  ),

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
    "(17 of the laws) the shadow plans, judges, and writes nothing",
    { file: fileOf({ rule: `batch_size: 2, ${pushed}`, shadow: true }), script: failing("p3") },
    (queue) =>
      Effect.gen(function* () {
        yield* together(queue, 1, 2, 3)
        yield* queue.steps(4)
        const { foresight, isActing, queued } = (yield* queue.view) ?? {}
        same(
          [foresight?.batches, foresight?.pulls, foresight?.left.length, isActing, queued?.length],
          [1, 2, 1, false, 0]
        )
        same([queue.merged(), queue.branches(), queue.platform.comments.size], [[], [], 0])
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
      yield* queue.steps(2)
      yield* queue.enter(1, 2)
      yield* queue.steps(6)
      same(queue.merged(), [1, 2])
    })
  )
]
