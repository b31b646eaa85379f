import { assert, describe, it } from "@effect/vitest"
import {
  type EngineConfiguration,
  EngineProjection,
  EngineState,
  Instant,
  MergeQueue,
  WaitReason
} from "@lazaret/domain"
import { advance, commandsOf, edit, push, pushBase, readPull, sweep, treeOf } from "@lazaret/domain/testing"
import { batchOf } from "./support/Bisect.ts"
import { laws } from "./support/Law.ts"
import { ask, deliver, execute, finish, queue, rest, start, tell, type Trace } from "./support/Schedule.ts"
import { headOf, type World } from "./support/World.ts"

/** A queue in which `pulls` pull requests were queued at once. */
const drive = (
  pulls: number,
  changes: Partial<World> = {},
  configuration: Partial<EngineConfiguration.EngineConfiguration> = {}
): Trace => {
  const trace = start({ ...batchOf(pulls, [], "judged_real"), batchSize: 1, ...changes })
  Object.assign(trace.machine, { configuration: { ...trace.machine.configuration, ...configuration } })
  for (let number = 1; number <= pulls; number++) queue(trace)
  return trace
}

/** Executes what is wanted, until only checks, people or time can go on. */
const work = (trace: Trace): void => {
  for (let [command] = commandsOf(trace.machine); command !== undefined; [command] = commandsOf(trace.machine)) {
    execute(trace, command)
  }
  deliver(trace)
}

/** Executes what is wanted, except landings, and reads the pull requests before them. */
const workUpToLanding = (trace: Trace): void => {
  const next = () => commandsOf(trace.machine).find(({ kind }) => kind !== "land" && kind !== "merge")
  for (let command = next(); command !== undefined; command = next()) execute(trace, command)
  deliver(trace)
}

/** Ends the checks of the batch that holds a pull request. */
const check = (trace: Trace, number: number, isFlake = false): void => {
  const sha = EngineState.batchOf(trace.machine.state, number)?.round?.sha ?? ""
  finish(trace, sha, "unit", isFlake)
  deliver(trace)
}

/** Lets everything end, and checks every law. */
const outcome = (trace: Trace) => {
  rest(trace)
  for (const law of Object.values(laws)) assert.deepStrictEqual(law(trace), [])
  const { forge, log } = trace.machine
  return {
    landed: forge.landings.flatMap(({ members }) => members.map(({ number }) => number)),
    left: log.flatMap(({ event }) => (event.kind === "dequeued" ? [`#${event.number} ${event.reason.code}`] : []))
  }
}

const count = (trace: Trace, kind: string): number =>
  trace.machine.log.filter(({ event }) => (event.kind === "issued" ? event.command.kind : event.kind) === kind).length

const wait = ({ machine }: Trace, number: number): string | undefined =>
  WaitReason.of(machine.state, number, machine)?.kind

const rounds = (trace: Trace): number => count(trace, "publish")

describe("scenarios of batches and speculation", () => {
  it("(1) one green pull request lands, and its comment is written once", () => {
    const trace = drive(1)
    assert.deepStrictEqual(outcome(trace), { landed: [1], left: [] })
    assert.strictEqual(trace.machine.forge.comments.length, 1)
  })

  it("(2) a batch of four lands in order with one push to the base branch", () => {
    const trace = drive(4, { batchSize: 4 })
    assert.deepStrictEqual(outcome(trace), { landed: [1, 2, 3, 4], left: [] })
    assert.deepStrictEqual([trace.machine.forge.landings.length, rounds(trace)], [1, 1])
  })

  it("(3) an incomplete batch waits for more, and then goes", () => {
    const trace = drive(2, { batchSize: 4 })
    assert.deepStrictEqual(commandsOf(trace.machine), [])
    assert.strictEqual(wait(trace, 1), "more")
    assert.strictEqual(trace.machine.wakeAt, 1000 + 30 * Instant.second)
    advance(trace.machine, 31_000)
    assert.strictEqual(trace.machine.state.batches[0]?.members.length, 2)
  })

  it("(4) halving finds one culprit, and the others land", () => {
    assert.deepStrictEqual(outcome(drive(4, { batchSize: 4, bad: [3] })), {
      landed: [1, 2, 4],
      left: ["#3 checks_failed"]
    })
  })

  it("(5) two culprits in different halves leave", () => {
    const { landed, left } = outcome(drive(4, { batchSize: 4, bad: [1, 4] }))
    assert.deepStrictEqual(
      [landed, left],
      [
        [2, 3],
        ["#1 checks_failed", "#4 checks_failed"]
      ]
    )
  })

  it("(6) of a pair that fails only together the later leaves", () => {
    for (const batchSize of [1, 2, 3]) {
      const { landed, left } = outcome(drive(3, { batchSize, badPair: [1, 3], parallel: 2 }))
      assert.deepStrictEqual([landed, left], [[1, 2], ["#3 checks_failed"]])
    }
  })

  it("(7) without attempts the whole batch leaves, and nobody is blamed", () => {
    const { landed, left } = outcome(drive(2, { batchSize: 2, bad: [1], attempts: 0 }))
    assert.deepStrictEqual([landed, left], [[], ["#1 batch_failed", "#2 batch_failed"]])
  })

  it("(7) with one attempt the part in question leaves unresolved", () => {
    const { landed, left } = outcome(drive(4, { batchSize: 4, bad: [1], attempts: 1 }))
    assert.deepStrictEqual(
      [landed, left],
      [
        [3, 4],
        ["#1 not_resolved", "#2 not_resolved"]
      ]
    )
  })

  it("(8) red at the head: those behind are tested again without it", () => {
    const trace = drive(3, { parallel: 3, bad: [1] })
    work(trace)
    check(trace, 1)
    assert.deepStrictEqual(
      trace.machine.state.batches.map(({ phase }) => phase),
      ["building", "planned"]
    )
    assert.deepStrictEqual(outcome(trace), { landed: [2, 3], left: ["#1 checks_failed"] })
    assert.strictEqual(rounds(trace), 5)
  })

  it("(9) red in the middle is held until those ahead have landed, and its verdict stands", () => {
    const trace = drive(3, { parallel: 3, bad: [2] })
    work(trace)
    check(trace, 2)
    assert.strictEqual(wait(trace, 2), "ahead")
    assert.strictEqual(count(trace, "dequeued"), 0)
    assert.deepStrictEqual(outcome(trace), { landed: [1, 3], left: ["#2 checks_failed"] })
    assert.strictEqual(rounds(trace), 4)
  })

  it("(10) red because of one ahead that then leaves: it is tested again and lands", () => {
    const trace = drive(2, { parallel: 2, badPair: [1, 2] })
    work(trace)
    check(trace, 2)
    edit(trace.machine.forge, 1, { state: "closed" })
    deliver(trace)
    assert.deepStrictEqual(outcome(trace), { landed: [2], left: ["#1 closed"] })
  })

  it("(11) two red at the head at once leave one after the other", () => {
    const trace = drive(3, { parallel: 3, bad: [1, 2] })
    work(trace)
    check(trace, 2)
    check(trace, 1)
    assert.deepStrictEqual(outcome(trace), { landed: [3], left: ["#1 checks_failed", "#2 checks_failed"] })
  })

  it("(12) a red head is dequeued and told exactly once", () => {
    const trace = drive(1, { bad: [1] })
    assert.deepStrictEqual(outcome(trace).left, ["#1 checks_failed"])
    assert.strictEqual(trace.machine.forge.comments.length, 1)
  })

  it("(13) what is green behind one that is tested waits", () => {
    const trace = drive(2, { parallel: 2 })
    work(trace)
    check(trace, 2)
    work(trace)
    assert.strictEqual(wait(trace, 2), "ahead")
    assert.deepStrictEqual(outcome(trace).landed, [1, 2])
  })

  it("(16) a conflict with one ahead is held, and freed when that leaves", () => {
    const trace = drive(2, { parallel: 2, conflict: [1, 2] })
    work(trace)
    assert.strictEqual(wait(trace, 2), "conflict")
    tell(trace, { kind: "dequeue_asked", number: 1, by: "bo" })
    assert.deepStrictEqual(outcome(trace), { landed: [2], left: ["#1 dequeued_by"] })
  })

  it("(15, 17) of a batch only the member that conflicts leaves, when the other has landed", () => {
    assert.deepStrictEqual(outcome(drive(3, { batchSize: 3, conflict: [1, 2] })), {
      landed: [1, 3],
      left: ["#2 conflict"]
    })
  })

  it("(18) a pull request whose mergeability is unknown is not evicted for it", () => {
    const trace = drive(1)
    const pull = readPull(trace.machine.forge, 1)
    trace.machine.forge.version += 1
    if (pull !== null) tell(trace, { kind: "pull_seen", pull: { ...pull, mergeable: null, version: pull.version + 1 } })
    assert.deepStrictEqual(outcome(trace), { landed: [1], left: [] })
  })
})

describe("scenarios of people", () => {
  it("(19) a push while waiting, checking, or in the second before landing makes it leave", () => {
    for (const when of [() => {}, work, (trace: Trace) => (work(trace), check(trace, 1))]) {
      const trace = drive(1)
      when(trace)
      push(trace.machine.forge, 1, headOf(1, 2))
      assert.deepStrictEqual(outcome(trace), { landed: [], left: ["#1 head_changed"] })
    }
  })

  it("(20) a force push to an older head is a push, and a new request pins that head", () => {
    const trace = drive(1)
    push(trace.machine.forge, 1, headOf(1, 2))
    deliver(trace)
    push(trace.machine.forge, 1, headOf(1))
    ask(trace, 1)
    assert.deepStrictEqual(outcome(trace), { landed: [1], left: ["#1 head_changed"] })
  })

  it("(21) one that is closed and reopened within a round has left, and a new request lands it", () => {
    const trace = drive(1)
    work(trace)
    const { forge } = trace.machine
    edit(forge, 1, { state: "closed" })
    deliver(trace)
    forge.version += 1
    Object.assign(forge.pulls[1] ?? {}, { state: "open" })
    deliver(trace)
    ask(trace, 1)
    assert.deepStrictEqual(outcome(trace), { landed: [1], left: ["#1 closed"] })
  })

  it("(30) a pull request onto another base branch never lands here", () => {
    const trace = drive(1)
    push(trace.machine.forge, 2, headOf(2))
    edit(trace.machine.forge, 2, { base: "release" })
    ask(trace, 2)
    assert.deepStrictEqual(outcome(trace).landed, [1])
  })

  it("(22, 25) a draft waits until it is ready, and leaves when it becomes one again", () => {
    const trace = drive(0)
    push(trace.machine.forge, 1, headOf(1))
    edit(trace.machine.forge, 1, { draft: true })
    ask(trace, 1)
    assert.strictEqual(wait(trace, 1), "obstacle")
    edit(trace.machine.forge, 1, { draft: false })
    deliver(trace)
    edit(trace.machine.forge, 1, { draft: true })
    assert.deepStrictEqual(outcome(trace), { landed: [], left: ["#1 draft"] })
  })

  it("(23, 24, 25) a changed base, a closed pull request and a lost approval end a stay", () => {
    const changes = [{ base: "next" }, { state: "closed" }, { approved: false }, { blockedBy: "wip" }] as const
    const codes = changes.map((change) => {
      const trace = drive(1)
      work(trace)
      edit(trace.machine.forge, 1, change)
      return outcome(trace).left[0]
    })
    assert.deepStrictEqual(codes, ["#1 base_changed", "#1 closed", "#1 approval_lost", "#1 blocked_by_label"])
  })

  it("(26) one that was merged by hand is merged, not dequeued", () => {
    const trace = drive(1)
    work(trace)
    pushBase(trace.machine.forge, headOf(1))
    edit(trace.machine.forge, 1, { state: "merged" })
    assert.deepStrictEqual(outcome(trace), { landed: [], left: [] })
    assert.strictEqual(count(trace, "merged_elsewhere"), 1)
  })

  it("(27) queueing a second time changes nothing", () => {
    const trace = drive(1)
    work(trace)
    ask(trace, 1, 3000)
    assert.deepStrictEqual(outcome(trace), { landed: [1], left: [] })
    assert.strictEqual(rounds(trace), 1)
  })

  it("(29) a pull request that the base branch contains is merged elsewhere", () => {
    const trace = drive(0)
    push(trace.machine.forge, 1, headOf(1))
    pushBase(trace.machine.forge, headOf(1))
    deliver(trace)
    ask(trace, 1)
    assert.deepStrictEqual(outcome(trace), { landed: [], left: [] })
    assert.strictEqual(count(trace, "merged_elsewhere"), 1)
  })

  it("(55) a higher priority goes behind what runs, and ahead of what waits", () => {
    const trace = drive(2)
    work(trace)
    push(trace.machine.forge, 3, headOf(3))
    ask(trace, 3, 3000)
    assert.deepStrictEqual(outcome(trace).landed, [1, 3, 2])
  })

  it("(56) endless high priority overtakes nobody more often than allowed", () => {
    const trace = drive(1, { maxOvertakes: 2 })
    push(trace.machine.forge, 9, headOf(9))
    ask(trace, 9, 1000)
    for (let number = 2; number <= 6; number++) {
      trace.machine.now += 1000
      push(trace.machine.forge, number, headOf(number))
      ask(trace, number, 3000)
    }
    assert.deepStrictEqual(outcome(trace).landed, [1, 2, 3, 9, 4, 5, 6])
  })

  it("(57) a rule that vanishes leaves its pull requests under the defaults", () => {
    const trace = drive(2, {}, { rules: [] })
    assert.deepStrictEqual(outcome(trace).landed, [1, 2])
  })

  it("(58) fewer parallel checks let what runs go on", () => {
    const trace = drive(3, { parallel: 3 })
    work(trace)
    Object.assign(trace.machine, { configuration: { ...trace.machine.configuration, maxParallelChecks: 1 } })
    assert.deepStrictEqual(outcome(trace).landed, [1, 2, 3])
    assert.strictEqual(rounds(trace), 3)
  })

  it("(59) a pause while waiting, checking, or just before the landing lands nothing until it ends", () => {
    for (const when of [() => {}, work, (trace: Trace) => (work(trace), check(trace, 1), workUpToLanding)]) {
      const trace = drive(1)
      when(trace)
      tell(trace, { kind: "pause_set", reason: "release", by: "bo" })
      const before = trace.machine.forge.landings.length
      deliver(trace)
      advance(trace.machine, trace.machine.now + Instant.day)
      assert.strictEqual(wait(trace, 1), "paused")
      assert.strictEqual(trace.machine.forge.landings.length, before)
      assert.deepStrictEqual(outcome(trace), { landed: [1], left: [] })
    }
  })

  it("a freeze holds the landing only, and not what it excepts", () => {
    const freeze = { from: 0, to: Instant.hour, reason: "release", exceptPriority: 3000 }
    const trace = drive(1, {}, { freezes: [freeze] })
    work(trace)
    check(trace, 1)
    assert.strictEqual(wait(trace, 1), "frozen")
    assert.strictEqual(trace.machine.wakeAt, Instant.hour)
    tell(trace, { kind: "priority_asked", number: 1, priority: 3000, by: "bo" })
    assert.strictEqual(count(trace, "read"), 1)
  })
})

describe("scenarios of the forge", () => {
  it("(31) a push to the base branch during a round voids it", () => {
    const trace = drive(1)
    work(trace)
    pushBase(trace.machine.forge, "x")
    assert.deepStrictEqual(outcome(trace), { landed: [1], left: [] })
    assert.strictEqual(rounds(trace), 2)
  })

  it("(32) a push during the landing is refused by compare-and-set; it is built again and lands", () => {
    const trace = drive(1)
    work(trace)
    check(trace, 1)
    workUpToLanding(trace)
    pushBase(trace.machine.forge, "x")
    assert.deepStrictEqual(outcome(trace), { landed: [1], left: [] })
    assert.include(treeOf(trace.machine.forge, trace.machine.forge.base), "x")
  })

  it("(33) a rewritten base branch pauses the queue by itself", () => {
    const trace = drive(1)
    const tip = { sha: "r1", tree: "t()", version: trace.machine.forge.version + 5 }
    tell(trace, { kind: "base_seen", tip, rewritten: true })
    assert.match(trace.machine.state.pause?.reason ?? "", /^base_rewritten/u)
  })

  it("(34, 70) a base branch that moves to an equal tree voids nothing: the green round is reused", () => {
    const trace = drive(1)
    work(trace)
    check(trace, 1)
    pushBase(trace.machine.forge, null)
    assert.deepStrictEqual(outcome(trace), { landed: [1], left: [] })
    assert.deepStrictEqual([rounds(trace), count(trace, "round_reused")], [1, 1])
  })

  it("(35) a landing that a rule refuses is held, and the queue goes on", () => {
    const trace = drive(2)
    work(trace)
    check(trace, 1)
    workUpToLanding(trace)
    const [land] = commandsOf(trace.machine)
    tell(trace, { kind: "refused", command: land?.id ?? "", refusal: "rule", detail: "signed commits", base: null })
    assert.strictEqual(wait(trace, 1), "refused")
    assert.deepStrictEqual(outcome(trace), { landed: [2], left: [] })
    tell(trace, { kind: "retry_asked", number: 1, by: "bo" })
    assert.deepStrictEqual(outcome(trace), { landed: [2, 1], left: [] })
  })

  it("(36) a landing whose answer was lost is recognised", () => {
    const trace = drive(1)
    work(trace)
    check(trace, 1)
    workUpToLanding(trace)
    const [land] = commandsOf(trace.machine)
    if (land !== undefined) execute(trace, land, { isLost: true })
    assert.deepStrictEqual(outcome(trace), { landed: [1], left: [] })
    assert.strictEqual(trace.machine.forge.landings.length, 1)
  })

  it("(37) a landing one by one that stops after the second of four is finished first", () => {
    const trace = drive(4, { batchSize: 4, fastForward: false })
    work(trace)
    check(trace, 1)
    workUpToLanding(trace)
    for (let member = 0; member < 2; member++) {
      const [merge] = commandsOf(trace.machine).filter(({ kind }) => kind === "merge")
      if (merge !== undefined) execute(trace, merge, { isLost: true })
      if (merge !== undefined) execute(trace, merge)
    }
    assert.strictEqual(trace.machine.forge.landings.length, 2)
    assert.deepStrictEqual(outcome(trace), { landed: [1, 2, 3, 4], left: [] })
    assert.strictEqual(rounds(trace), 1)
  })

  it("(38) a merge with another tree than the tested one is recorded and pauses the queue", () => {
    const trace = drive(2, { fastForward: false })
    work(trace)
    check(trace, 1)
    workUpToLanding(trace)
    const [merge] = commandsOf(trace.machine).filter(({ kind }) => kind === "merge")
    const base = { sha: "m99", tree: "wrong", version: 1000 }
    tell(trace, { kind: "done", command: merge?.id ?? "", answer: { kind: "merged", sha: "m99", tree: "wrong", base } })
    assert.match(trace.machine.state.pause?.reason ?? "", /^tree_mismatch: #1/u)
  })

  it("(41) a check that never appears is missing, and no failure of the pull request", () => {
    const trace = drive(1, { checks: ["unit", "never"] })
    work(trace)
    const sha = trace.machine.state.batches[0]?.round?.sha ?? ""
    const runs = trace.machine.forge.runs[sha]
    if (runs !== undefined) runs.checks = runs.checks.slice(0, 1)
    trace.machine.forge.version += 1
    assert.deepStrictEqual(outcome(trace).left, ["#1 missing_check"])
  })

  it("(45, 46) a round that ends too late times out, and its late result changes nothing", () => {
    const trace = drive(1)
    work(trace)
    const sha = trace.machine.state.batches[0]?.round?.sha ?? ""
    advance(trace.machine, trace.machine.now + 2 * Instant.hour)
    finish(trace, sha, "unit", false)
    deliver(trace)
    assert.deepStrictEqual(outcome(trace), { landed: [], left: ["#1 checks_timeout"] })
  })

  it("(48) with every delivery lost a sweep finishes the queue", () => {
    const trace = drive(2)
    assert.deepStrictEqual(outcome(trace).landed, [1, 2])
  })

  it("(49) deliveries that are doubled, reordered and an hour late change nothing", () => {
    const trace = drive(2, { parallel: 2 })
    const early = sweep(trace.machine.forge)
    work(trace)
    check(trace, 1)
    tell(trace, ...early.toReversed(), ...early)
    advance(trace.machine, trace.machine.now + Instant.minute)
    tell(trace, ...early)
    assert.deepStrictEqual(outcome(trace), { landed: [1, 2], left: [] })
  })

  it("(51) executing a command up to three times, or a crash around any of them, leads to the same end", () => {
    const world = { ...batchOf(4, [2], "judged_real"), batchSize: 2, parallel: 2 }
    for (const fastForward of [true, false]) {
      const play = (how: Parameters<typeof rest>[1]) => {
        const trace = start({ ...world, fastForward })
        rest(trace, how)
        const { forge, log } = trace.machine
        const left = log.flatMap(({ event }) => (event.kind === "dequeued" ? [event.number] : []))
        return { left, base: treeOf(forge, forge.base), landed: forge.landings.flatMap(({ members }) => members) }
      }
      const expected = play(() => ({}))
      for (const how of [{ times: 2 }, { times: 3 }, { isLost: true }, { times: 0 }]) {
        for (let at = 0; at < 40; at++) {
          assert.deepStrictEqual(
            play((index) => (index === at ? how : {})),
            expected
          )
        }
        if (how.times !== 0 && how.isLost !== true)
          assert.deepStrictEqual(
            play(() => how),
            expected
          )
      }
    }
  })

  it("(53) a foreign push to a queue branch is built again once; after the second the members leave", () => {
    const trace = drive(1)
    work(trace)
    const edited = () => {
      const branch = Object.keys(trace.machine.forge.branches).at(-1) ?? ""
      tell(trace, { kind: "branch_seen", branch, sha: "foreign", version: trace.machine.forge.version })
      work(trace)
    }
    edited()
    assert.strictEqual(count(trace, "dequeued"), 0)
    edited()
    assert.deepStrictEqual(outcome(trace).left, ["#1 queue_branch_edited"])
  })

  it("(54) a leftover branch is removed, and no branch of the engine remains", () => {
    const trace = drive(1)
    trace.machine.forge.branches["lazaret/queue/main/b1-1"] = "m0"
    outcome(trace)
    assert.deepStrictEqual(trace.machine.forge.branches, {})
  })
})

describe("scenarios of flaky failures", () => {
  it("(61) the third of three unrelated rounds that fail alike is held, and lands when the incident is over", () => {
    const trace = drive(3, { flakes: 3, flakeIs: "infrastructure", perRound: 0, incident: "hold" })
    for (let number = 1; number <= 3; number++) {
      work(trace)
      check(trace, number, true)
    }
    assert.deepStrictEqual([count(trace, "dequeued"), wait(trace, 3)], [2, "incident"])
    assert.deepStrictEqual(outcome(trace).landed, [3])
  })

  it("(62) a flaky failure is run again and lands; the first attempt stays in the log", () => {
    const trace = drive(1, { flakes: 1 })
    work(trace)
    check(trace, 1, true)
    assert.deepStrictEqual(outcome(trace), { landed: [1], left: [] })
    assert.deepStrictEqual([count(trace, "round_rerun"), rounds(trace)], [1, 1])
  })

  it("(63) flaky failures end with the budget of the round", () => {
    const trace = drive(1, { flakes: 3 })
    for (let attempt = 1; attempt <= 3; attempt++) {
      work(trace)
      check(trace, 1, true)
    }
    assert.deepStrictEqual([count(trace, "round_rerun"), outcome(trace).left], [2, ["#1 checks_failed"]])
  })

  it("a queue that acts is shown by the mirror with the same pull requests", () => {
    const trace = drive(4, { batchSize: 2, parallel: 2, bad: [3] })
    const shown = () =>
      MergeQueue.fold(EngineProjection.project(trace.machine.log, "main")).queue.branches[0]?.pullRequests.map(
        ({ number }) => number
      ) ?? []
    work(trace)
    assert.deepStrictEqual(shown(), [1, 2, 3, 4])
    check(trace, 1)
    work(trace)
    assert.deepStrictEqual(shown(), [3, 4])
    outcome(trace)
    assert.deepStrictEqual(shown(), [])
  })
})
