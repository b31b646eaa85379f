import { assert, describe, it } from "@effect/vitest"
import { EngineView, Readiness, Trial } from "@lazaret/queue"
import { type Machine, appendEvents } from "@lazaret/queue/testing"
import { checks, configuration, gate, green, group, red, reports } from "./support/GateStory.ts"

const tried = (machine: Machine): Trial.Trial => machine.state.trial

/** A gate in the shadow. */
const inShadow = () => {
  const machine = gate()
  appendEvents(machine, { kind: "config_read", digest: "d", mode: "gate", shadow: true })
  return machine
}

/** A group whose checks end so, and which then leaves the queue of the platform. */
const through = (
  machine: Machine,
  number: number,
  state: "green" | "red" | "open",
  cause: "merged" | "invalidated" | "dequeued"
) => {
  const id = `g${machine.state.seq}`
  appendEvents(machine, group(id, "main", number))
  if (state !== "open") appendEvents(machine, checks(id, state === "green" ? green : red), reports(id, "real"))
  // A real failure runs again once, as any does.
  if (state === "red") appendEvents(machine, checks(id, red, 2), reports(id, "real", { attempt: 2 }))
  appendEvents(machine, { kind: "group_gone", id, cause })
}

describe("the trial of a gate", () => {
  it("the trial counts the groups on which the gate and the platform agree, and no others", () => {
    const machine = inShadow()
    through(machine, 1, "green", "merged")
    assert.strictEqual(tried(machine).groups, 1)
    through(machine, 2, "red", "dequeued")
    assert.strictEqual(tried(machine).groups, 2)
    through(machine, 3, "open", "merged")
    through(machine, 4, "green", "dequeued")
    through(machine, 5, "green", "invalidated")
    through(machine, 6, "red", "invalidated")
    assert.deepStrictEqual([tried(machine).groups, tried(machine).innocent], [2, null])
  })

  it("the trial begins again when the platform merges what the gate would have evicted", () => {
    const machine = inShadow()
    through(machine, 1, "green", "merged")
    through(machine, 2, "red", "merged")
    assert.strictEqual(tried(machine).groups, 0)
    assert.strictEqual(tried(machine).innocent?.number, 2)
    through(machine, 3, "green", "merged")
    assert.strictEqual(tried(machine).groups, 1)
  })

  it("the trial begins again when a pull request that failed is merged later at the same head", () => {
    const machine = inShadow()
    through(machine, 7, "red", "dequeued")
    through(machine, 8, "green", "merged")
    through(machine, 7, "green", "merged")
    assert.deepStrictEqual([tried(machine).groups, tried(machine).innocent?.number], [0, 7])
    through(machine, 7, "green", "merged")
    assert.strictEqual(tried(machine).groups, 1)
  })

  it("the trial does not count a group twice, or one that was decided by a gate that acts", () => {
    const machine = inShadow()
    through(machine, 1, "green", "merged")
    const { id } = machine.state.groups[0] ?? { id: "" }
    appendEvents(machine, { kind: "group_gone", id, cause: "merged" })
    assert.strictEqual(tried(machine).groups, 1)
    appendEvents(machine, { kind: "config_read", digest: "d", mode: "gate", shadow: false })
    through(machine, 2, "green", "merged")
    assert.deepStrictEqual([tried(machine).groups, machine.state.hasActed], [1, true])
  })

  it("the trial is over after twenty groups, or when a person ends it", () => {
    const machine = inShadow()
    const ofTrial = () => {
      const all = {
        setup: Readiness.noSetup,
        sightings: [],
        gate: { configuration, state: machine.state, findings: null }
      }
      return Readiness.steps(all).find(({ name }) => name === "trial")
    }
    for (let number = 1; number < Trial.needed; number += 1) through(machine, number, "green", "merged")
    assert.strictEqual(ofTrial()?.state, "missing")
    through(machine, Trial.needed, "green", "merged")
    assert.strictEqual(ofTrial()?.state, "ok")
    through(machine, 99, "red", "merged")
    assert.match(ofTrial()?.message ?? "", /would have evicted #99/u)
    assert.strictEqual(ofTrial()?.state, "missing")
    appendEvents(machine, { kind: "trial_waived", reason: "we know it", by: "ada" })
    assert.deepStrictEqual([ofTrial()?.state, ofTrial()?.message], ["ok", "ada ended it early: we know it"])
  })

  it("the trial keeps a gate in the shadow that its file lets act, and says where to look", () => {
    const machine = inShadow()
    const { explanation } = EngineView.of(machine.state, configuration, 0)
    assert.match(explanation, /^The gate is kept in the shadow\..*`lazaret github check`/u)
  })
})

describe("readiness", () => {
  const at = (kind: "delivery" | "check" | "rerun", name: string) => ({ kind, name, at: 5, detail: null })

  it("readiness needs a delivery, a check and a rerun, each seen", () => {
    const seen = [at("delivery", "push"), at("check", "lazaret/check"), at("rerun", "button")]
    const isReady = (sightings: typeof seen) =>
      Readiness.isReady(Readiness.steps({ setup: Readiness.noSetup, sightings, gate: null }))
    assert.isTrue(isReady(seen))
    for (const each of seen) assert.isFalse(isReady(seen.filter((other) => other !== each)), each.kind)
  })

  it("readiness names each required check whose jobs are not known", () => {
    const matches = [
      { check: "unit", jobs: [{ pipelineName: "CI", jobName: "unit" }], by: "name" as const },
      { check: "e2e", jobs: [], by: null }
    ]
    const state = { matched: { sha: "c", matches }, trial: Trial.initial, waiver: null }
    const stepsOf = (requiredChecks: ReadonlyArray<string>) =>
      Readiness.steps({
        setup: Readiness.noSetup,
        sightings: [],
        gate: { configuration: { requiredChecks, shadow: false }, state, findings: null }
      })
        .filter(({ name }) => name.startsWith("name "))
        .map(({ isNeeded, name, state: of }) => `${name}: ${of} ${isNeeded}`)
    assert.deepStrictEqual(stepsOf(["unit", "e2e", "lint"]), [
      "name unit: ok true",
      "name e2e: missing true",
      "name lint: unverified true"
    ])
  })

  it("readiness names the merge queue, our own check, and whatever is not fine among the rules", () => {
    const fine = ["merge queue", "lazaret/queue", "pull_request"].map((rule) => ({ rule, level: "fine" as const }))
    const findings = [
      ...fine,
      { rule: "deletion", level: "warning" as const },
      { rule: "update", level: "impossible" as const }
    ]
    const steps = Readiness.steps({
      setup: Readiness.noSetup,
      sightings: [],
      gate: {
        configuration: { requiredChecks: [], shadow: false },
        state: { matched: null, trial: Trial.initial, waiver: null },
        findings: findings.map((each) => ({ ...each, message: "" }))
      }
    })
    assert.deepStrictEqual(
      steps.filter(({ name }) => name.startsWith("rule ")).map(({ name, state }) => `${name}: ${state}`),
      ["rule merge queue: ok", "rule lazaret/queue: ok", "rule deletion: unverified", "rule update: missing"]
    )
  })

  it("a change of the repository is a step, until it is unarchived", () => {
    const stepsOf = (...sightings: ReadonlyArray<{ readonly name: string; readonly at: number }>) =>
      Readiness.steps({
        setup: Readiness.noSetup,
        sightings: sightings.map((each) => ({ ...each, kind: "repository" as const, detail: "acme/gears" })),
        gate: null
      }).filter(({ name }) => name === "repository")
    assert.match(stepsOf({ name: "renamed", at: 1 })[0]?.message ?? "", /renamed the repository to acme\/gears/u)
    assert.lengthOf(stepsOf({ name: "archived", at: 1 }), 1)
    assert.lengthOf(stepsOf({ name: "unarchived", at: 2 }, { name: "archived", at: 1 }), 0)
  })
})

describe("what a trial remembers", () => {
  const leave = (trial: Trial.Trial, number: number, head: string, concluded: "success" | "failure") =>
    Trial.after(trial, { concluded, members: [{ number, head }] }, { at: 7, cause: "dequeued" })

  it("a trial needs twenty groups, and remembers the last hundred failed pull requests, each once", () => {
    assert.strictEqual(Trial.needed, 20)
    let trial = leave(leave(Trial.initial, 1, "a", "failure"), 1, "a", "failure")
    assert.deepStrictEqual(trial.failed, [{ number: 1, head: "a" }])
    for (let number = 2; number <= 101; number += 1) trial = leave(trial, number, "a", "failure")
    assert.deepStrictEqual([trial.failed.length, trial.failed[0]?.number, trial.failed.at(-1)?.number], [100, 2, 101])
  })

  it("a new head of a pull request that failed, or another pull request at its head, is not a mistake", () => {
    const trial = leave(Trial.initial, 1, "a", "failure")
    for (const member of [
      { number: 1, head: "b" },
      { number: 2, head: "a" }
    ]) {
      const merged = Trial.after(trial, { concluded: "success", members: [member] }, { at: 7, cause: "merged" })
      assert.deepStrictEqual([merged.groups, merged.innocent], [2, null])
    }
    const again = Trial.after(
      trial,
      { concluded: null, members: [{ number: 1, head: "a" }] },
      { at: 7, cause: "merged" }
    )
    assert.deepStrictEqual(again, { groups: 0, failed: [], innocent: { number: 1, head: "a", at: 7 } })
  })
})
