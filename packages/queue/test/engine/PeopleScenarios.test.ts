import { assert, describe, it } from "@effect/vitest"
import { Instant } from "@lazaret/domain"
import { advance, edit, push, pushBase } from "@lazaret/queue/testing"
import { check, count, drive, outcome, rounds, wait, work, workUpToLanding } from "./support/Scenario.ts"
import { ask, deliver, observe, type Trace } from "./support/Schedule.ts"
import { headOf } from "./support/World.ts"

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
      observe(trace, { kind: "pause_set", reason: "release", by: "bo" })
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
    observe(trace, { kind: "priority_asked", number: 1, priority: 3000, by: "bo" })
    assert.strictEqual(count(trace, "read"), 1)
  })
})
