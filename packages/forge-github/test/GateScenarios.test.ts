/** Scenarios of the design of the merge queue, by their numbers, on the simulated GitHub. */
import { assert, describe, it } from "@effect/vitest"
import { EngineLog } from "@lazaret/queue"
import { BranchRules, MergeQueue } from "@lazaret/forge-simulated"
import { Engines, Queues } from "@lazaret/services"
import { EngineStore, QueueStore } from "@lazaret/store"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { ref } from "./connection.ts"
import { type Gate, type Script, start } from "./gate.ts"

/** Every job passes, and what fails is judged real. */
const green = (): Script => ({ ci: () => "success", judge: () => "real" })

const groupOf = ({ repository }: Gate, number: number) =>
  repository.queue?.find((entry) => entry.number === number)?.group?.id ?? ""

/** The numbers of the sentences about a kind of event. */
const kindsOf = (gate: Gate) => Effect.map(gate.log, (events) => events.map(({ kind }) => kind))

const sentences = (gate: Gate, kind: string) =>
  Effect.map(
    gate.first.run(EngineStore.use((store) => store.log(ref, "main", { before: null, limit: 1000 }))),
    (log) => {
      const names = EngineLog.names(log)
      return log.flatMap((event) => (event.event.kind === kind ? [EngineLog.line(event, names)?.sentence] : []))
    }
  )

const pause = (gate: Gate) => gate.first.run(Queues.use((queues) => queues.pause(ref, "release", "ana")))
const resume = (gate: Gate) => gate.first.run(Queues.use((queues) => queues.unpause(ref, "ana")))

describe("scenarios of the gate on a simulated GitHub", () => {
  it.effect("(1, 2, 48) without a single delivery the queue lands in order, and every landing is audited", () =>
    Effect.gen(function* () {
      const gate = yield* start(green())
      gate.enter(3)
      yield* gate.minutes(4)
      assert.deepStrictEqual([gate.merged(), gate.queued()], [[1, 2, 3], []])
      yield* gate.minutes(2)
      assert.lengthOf(yield* sentences(gate, "tree_audited"), 3)
    })
  )

  it.effect(
    "(38) the first landing with another tree stops the gate: nothing after it is merged until a person resumes",
    () =>
      Effect.gen(function* () {
        const script: Script = { ci: (number) => (number === 1 ? "success" : null), judge: () => "real" }
        const gate = yield* start(script)
        gate.repository.landsWrongly = true
        gate.enter(3)
        yield* gate.minutes(3)
        assert.deepStrictEqual(gate.merged(), [1])
        const state = yield* gate.state
        assert.match(state.pause?.reason ?? "", /^tree_mismatch: /u)
        script.ci = () => "success"
        yield* gate.minutes(3)
        assert.deepStrictEqual([gate.merged(), gate.queued()], [[1], [2, 3]])
        gate.repository.landsWrongly = false
        yield* resume(gate)
        yield* gate.minutes(4)
        assert.deepStrictEqual(gate.merged(), [1, 2, 3])
      })
  )

  it.effect("(41) a check that never starts holds its group, which passes when the check starts after all", () =>
    Effect.gen(function* () {
      const script: Script = { ci: () => "never", judge: () => "real" }
      const gate = yield* start(script)
      gate.enter(1)
      yield* gate.turn
      const id = groupOf(gate, 1)
      yield* gate.steps(6, "5 minutes")
      assert.deepStrictEqual(
        [gate.queued(), yield* sentences(gate, "round_failed")],
        [[1], ["#1: unit never started."]]
      )
      const [check] = gate.ownChecks(id)
      assert.deepStrictEqual(
        [check?.members["status"], JSON.stringify(check?.members["output"])?.includes("Held: unit never started")],
        ["in_progress", true]
      )
      script.ci = () => "success"
      yield* gate.minutes(3)
      assert.deepStrictEqual([gate.merged(), gate.queued()], [[1], []])
    })
  )

  it.effect("a group for which GitHub starts no run is queued again once, while later groups have runs", () =>
    Effect.gen(function* () {
      const gate = yield* start(green())
      MergeQueue.loseRuns(gate.repository, 1)
      gate.enter(2)
      yield* gate.minutes(15)
      assert.deepStrictEqual([gate.merged().toSorted(), gate.queued()], [[1, 2], []])
      assert.deepStrictEqual(yield* sentences(gate, "group_healed"), [
        "#1: the platform started no run of unit for its group, and did for a later one; it is queued again."
      ])
    })
  )

  it.effect("an entry that GitHub keeps although it conflicts is taken out after two reads of its pull request", () =>
    Effect.gen(function* () {
      const gate = yield* start(green())
      gate.enter(2)
      const [first] = gate.repository.pulls
      if (first !== undefined) first.mergeable = "CONFLICTING"
      yield* gate.minutes(1)
      assert.deepStrictEqual(gate.queued(), [1, 2])
      yield* gate.minutes(6)
      assert.deepStrictEqual([gate.merged(), gate.queued()], [[2], []])
      assert.deepStrictEqual(yield* sentences(gate, "entry_removed"), [
        "The platform keeps #1, which conflicts: it is taken out."
      ])
    })
  )

  it.effect("an entry that is unmergeable for another reason stays", () =>
    Effect.gen(function* () {
      const gate = yield* start(green())
      gate.enter(1)
      const [entry] = gate.repository.queue ?? []
      if (entry !== undefined) entry.isUnmergeable = true
      yield* gate.minutes(6)
      assert.deepStrictEqual(gate.queued(), [1])
      assert.deepStrictEqual(yield* sentences(gate, "entry_removed"), [])
    })
  )

  it.effect("(49) deliveries that come twice, out of order or an hour late only make the gate read again", () =>
    Effect.gen(function* () {
      const gate = yield* start(green())
      gate.enter(2)
      const notice = (branch: string | null) => gate.first.run(Engines.use((engines) => engines.notice(ref, branch)))
      for (const branch of ["main", "main", null]) yield* notice(branch)
      yield* gate.minutes(4)
      const before = yield* kindsOf(gate)
      yield* TestClock.adjust("1 hour")
      for (const branch of ["main", null]) yield* notice(branch)
      yield* gate.minutes(2)
      assert.deepStrictEqual([gate.merged(), yield* kindsOf(gate)], [[1, 2], before])
    })
  )

  it.effect("(50) two servers over one store decide each group once, and set its check once", () =>
    Effect.gen(function* () {
      const gate = yield* start(green())
      const second = yield* gate.server
      gate.enter(2)
      yield* gate.turn
      const ids = [groupOf(gate, 1), groupOf(gate, 2)]
      for (let minute = 0; minute < 5; minute += 1) {
        yield* TestClock.adjust("1 minute")
        yield* Effect.all([gate.first.round, second.round, gate.first.round], { concurrency: 3 })
        yield* gate.turn
      }
      assert.deepStrictEqual(gate.merged(), [1, 2])
      assert.deepStrictEqual(
        ids.map((id) => gate.ownChecks(id).length),
        [1, 1]
      )
      const concluded = (yield* kindsOf(gate)).filter((kind) => kind === "group_concluded")
      assert.lengthOf(concluded, 2)
    })
  )

  it.effect("(52) a rate limit in the middle of a round delays what was decided, and loses nothing", () =>
    Effect.gen(function* () {
      const gate = yield* start(green())
      const { faults } = gate.github.server
      gate.enter(2)
      yield* gate.turn
      yield* TestClock.adjust("1 minute")
      // The limit is met after what was read: the platform refuses every write.
      faults.next("checks/list-for-ref", { kind: "Primary", seconds: 180 }, 20)
      yield* gate.first.round
      faults.clear()
      yield* gate.minutes(2)
      assert.deepStrictEqual(gate.merged(), [])
      yield* gate.minutes(5)
      assert.deepStrictEqual([gate.merged(), (yield* gate.state).inflight], [[1, 2], []])
    })
  )

  it.effect(
    "(60) what GitHub gives up on during a pause comes back in its order, and is merged when the pause is over",
    () =>
      Effect.gen(function* () {
        const gate = yield* start(green())
        gate.enter(2)
        yield* gate.turn
        yield* pause(gate)
        yield* gate.steps(4, "61 minutes")
        assert.deepStrictEqual([gate.merged(), gate.queued()], [[], []])
        yield* resume(gate)
        yield* gate.minutes(6)
        assert.deepStrictEqual([gate.merged(), gate.queued()], [[1, 2], []])
      })
  )

  it.effect(
    "(62, 63) a flaky failure runs again within its budget: one that passes lands, one that never does leaves",
    () =>
      Effect.gen(function* () {
        const gate = yield* start({
          ci: (number, attempt) => (number === 1 && attempt > 1 ? "success" : number === 3 ? "success" : "failure"),
          judge: () => "flaky"
        })
        gate.enter(3)
        yield* gate.minutes(10)
        assert.deepStrictEqual([gate.merged(), gate.queued()], [[1, 3], []])
        const attempts = gate.repository.runs
          .filter(({ headSha }) => MergeQueue.numberOf(headSha) === 2)
          .map(({ attempt }) => attempt)
        assert.deepStrictEqual(attempts, [3])
        const [explained] = yield* sentences(gate, "group_concluded")
        assert.isDefined(explained)
      })
  )

  it.effect("(67) a second required check keeps the gate in the shadow: nothing is written", () =>
    Effect.gen(function* () {
      const gate = yield* start(green())
      gate.repository.branchRules?.splice(0, 1, BranchRules.requiredChecks(gate.github, "unit"))
      gate.enter(1)
      yield* gate.turn
      const id = groupOf(gate, 1)
      yield* gate.minutes(3)
      assert.deepStrictEqual([gate.ownChecks(id), gate.ownChecks("head-1"), gate.merged()], [[], [], []])
      assert.isTrue((yield* gate.state).configuration?.shadow)
      gate.repository.branchRules?.splice(0, 1, BranchRules.requiredChecks(gate.github))
      yield* gate.minutes(4)
      assert.deepStrictEqual(gate.merged(), [1])
    })
  )

  it.effect("(68) a pull request that stays in GitHub's queue although its group failed is taken out", () =>
    Effect.gen(function* () {
      const gate = yield* start({ ci: () => "failure", judge: () => "real" })
      gate.enter(1)
      yield* gate.turn
      yield* gate.turn
      // The queue of the platform stands still from here on.
      for (let minute = 0; minute < 4; minute += 1)
        yield* Effect.andThen(TestClock.adjust("1 minute"), gate.first.round)
      assert.deepStrictEqual(gate.queued(), [1])
      for (let minute = 0; minute < 4; minute += 1)
        yield* Effect.andThen(TestClock.adjust("1 minute"), gate.first.round)
      assert.deepStrictEqual(gate.queued(), [])
    })
  )

  it.effect("(8, 10, 69) behind a failed group the runs are cancelled, the group is built again, and lands", () =>
    Effect.gen(function* () {
      const script: Script = { ci: (number) => (number === 1 ? "failure" : null), judge: () => "real" }
      const gate = yield* start(script)
      gate.enter(2)
      yield* gate.turn
      const behind = groupOf(gate, 2)
      yield* gate.minutes(3)
      const run = gate.repository.runs.find(({ headSha }) => headSha === behind)
      assert.strictEqual(run?.conclusion, "cancelled")
      script.ci = (number) => (number === 1 ? "failure" : "success")
      yield* gate.minutes(3)
      assert.deepStrictEqual([gate.merged(), gate.queued()], [[2], []])
    })
  )

  it.effect("(57) a file that is not valid changes nothing under way, and a gate that is switched off lets go", () =>
    Effect.gen(function* () {
      const script: Script = { ci: () => null, judge: () => "real" }
      const gate = yield* start(script)
      gate.enter(1)
      yield* gate.minutes(2)
      const set = (text: string) => gate.first.run(QueueStore.use((store) => store.setConfiguration(ref, text, 1)))
      yield* set("merge_queue: {mode: gat}")
      script.ci = () => "success"
      yield* gate.minutes(2)
      assert.deepStrictEqual(gate.merged(), [1])
      yield* set("merge_queue: {mode: mirror}")
      gate.enter(1)
      yield* gate.turn
      const id = groupOf(gate, 2)
      yield* gate.minutes(3)
      assert.deepStrictEqual(gate.ownChecks(id), [])
    })
  )
})
