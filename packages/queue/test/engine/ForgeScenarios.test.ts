import { assert, describe, it } from "@effect/vitest"
import { Instant } from "@lazaret/domain"
import { batchOf } from "./support/Bisect.ts"
import { advance, commandsOf, pushBase, sweep, treeOf } from "@lazaret/queue/testing"
import { check, count, drive, outcome, rounds, wait, work, workUpToLanding } from "./support/Scenario.ts"
import { deliver, execute, finish, rest, start, observe } from "./support/Schedule.ts"

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
    observe(trace, { kind: "base_seen", tip, rewritten: true })
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
    observe(trace, { kind: "refused", command: land?.id ?? "", refusal: "rule", detail: "signed commits", base: null })
    assert.strictEqual(wait(trace, 1), "refused")
    assert.deepStrictEqual(outcome(trace), { landed: [2], left: [] })
    observe(trace, { kind: "retry_asked", number: 1, by: "bo" })
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
    observe(trace, {
      kind: "done",
      command: merge?.id ?? "",
      answer: { kind: "merged", sha: "m99", tree: "wrong", base }
    })
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
    observe(trace, ...early.toReversed(), ...early)
    advance(trace.machine, trace.machine.now + Instant.minute)
    observe(trace, ...early)
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
      observe(trace, { kind: "branch_seen", branch, sha: "foreign", version: trace.machine.forge.version })
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
