import { assert, describe, it } from "@effect/vitest"
import { Instant } from "@lazaret/domain"
import { advance, commandsOf, edit, readPull } from "@lazaret/queue/testing"
import { check, count, drive, outcome, rounds, wait, work } from "./support/Scenario.ts"
import { deliver, observe } from "./support/Schedule.ts"

describe("scenarios of batches and speculation", () => {
  it("(1) one green pull request lands, and its comment is written once", () => {
    const trace = drive(1)
    assert.deepStrictEqual(outcome(trace), { landed: [1], left: [] })
    assert.strictEqual(trace.machine.forge.comments.length, 1)
  })

  it("(1) comments that are off are not written", () => {
    const trace = drive(2, { bad: [2] }, { comments: "off" })
    assert.deepStrictEqual(outcome(trace), { landed: [1], left: ["#2 checks_failed"] })
    assert.deepStrictEqual([trace.machine.forge.comments, trace.machine.state.messages], [[], []])
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

  it("(4) nothing behind a batch is tested while it is being split", () => {
    const trace = drive(8, { batchSize: 4, parallel: 2, bad: [3] })
    work(trace)
    check(trace, 1)
    work(trace)
    assert.deepStrictEqual(
      trace.machine.state.batches.map(({ members, phase }) => [members.map((member) => member.number), phase]),
      [
        [[1, 2], "testing"],
        [[3, 4], "planned"],
        [[5, 6, 7, 8], "planned"]
      ]
    )
    assert.strictEqual(wait(trace, 5), "split")
    assert.deepStrictEqual(outcome(trace).landed, [1, 2, 4, 5, 6, 7, 8])
    // Two before the failure, then [1, 2], [3], [4] and the batch behind.
    assert.strictEqual(rounds(trace), 6)
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
    observe(trace, { kind: "dequeue_asked", number: 1, by: "bo" })
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
    if (pull !== null)
      observe(trace, { kind: "pull_seen", pull: { ...pull, mergeable: null, version: pull.version + 1 } })
    assert.deepStrictEqual(outcome(trace), { landed: [1], left: [] })
  })
})
