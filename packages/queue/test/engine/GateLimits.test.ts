import { assert, describe, it } from "@effect/vitest"
import { Instant } from "@lazaret/domain"
import type { EngineEvent } from "@lazaret/queue"
import { advance, commandsOf, type Machine, appendEvents } from "@lazaret/queue/testing"
import {
  answer,
  checks,
  configuration,
  gate,
  green,
  group,
  issued,
  member,
  paused,
  reasonOf,
  red,
  reports,
  resumed,
  shown
} from "./support/GateStory.ts"

const rerunsOf = (machine: Machine) => issued(machine, "rerun").map(({ sha }) => sha)

const gone = (id: string, cause: EngineEvent.Of<"group_gone">["cause"]) => ({ kind: "group_gone", id, cause }) as const

const limits = (perRound: number, perPullRequest: number, shareOfRounds = 0) => ({
  rerun: { perRound, perPullRequest, shareOfRounds }
})

describe("reruns of a gate", () => {
  const flaky = (machine: Machine, id: string, attempt = 1): void =>
    appendEvents(machine, checks(id, red, attempt), reports(id, "flaky", { attempt }))

  it("a rerun begins as long as it can end before the platform gives up, by the length of the attempt before", () => {
    for (const [late, reruns] of [
      [0, ["g1"]],
      [1, []]
    ] as const) {
      const machine = gate()
      appendEvents(machine, group("g1", "main", 1))
      advance(machine, machine.now + 30 * Instant.minute + late)
      flaky(machine, "g1")
      assert.deepStrictEqual(rerunsOf(machine), [...reruns])
    }
  })

  it("the length of an attempt is counted from its own start", () => {
    for (const [late, count] of [
      [0, 2],
      [1, 1]
    ] as const) {
      const machine = gate()
      appendEvents(machine, group("g1", "main", 1))
      advance(machine, machine.now + 20 * Instant.minute)
      flaky(machine, "g1")
      advance(machine, machine.now + 20 * Instant.minute + late)
      flaky(machine, "g1", 2)
      assert.lengthOf(rerunsOf(machine), count)
    }
  })

  it("a pull request has its reruns once, over all of its groups", () => {
    for (const [most, count] of [
      [1, 1],
      [2, 2]
    ] as const) {
      const machine = gate(limits(2, most))
      appendEvents(machine, group("g1", "main", 1))
      flaky(machine, "g1")
      appendEvents(machine, gone("g1", "invalidated"), group("g2", "main", 1))
      flaky(machine, "g2")
      assert.lengthOf(rerunsOf(machine), count)
    }
  })

  it("ten reruns a day are allowed beyond the share of the rounds, and a day later there are more", () => {
    const machine = gate(limits(2, 4))
    for (let number = 1; number <= 11; number += 1) {
      appendEvents(machine, group(`g${number}`, "main", number))
      flaky(machine, `g${number}`)
    }
    assert.lengthOf(rerunsOf(machine), 10)
    advance(machine, machine.now + Instant.day)
    appendEvents(machine, group("g12", "main", 12))
    flaky(machine, "g12")
    assert.lengthOf(rerunsOf(machine), 11)
  })

  for (const state of ["cancelled", "timed_out", "stale"] as const) {
    it(`a check that is ${state} runs again without charge, and the second time with it`, () => {
      const machine = gate(limits(2, 0))
      const fails = (attempt: number) => checks("g1", { unit: state, e2e: "success" }, attempt)
      appendEvents(machine, group("g1", "main", 1), fails(1))
      assert.deepStrictEqual(machine.state.reruns, [])
      assert.deepStrictEqual(rerunsOf(machine), ["g1"])
      appendEvents(machine, fails(2))
      assert.deepStrictEqual(rerunsOf(machine), ["g1"])
      assert.deepInclude(reasonOf(machine, "g1"), { class: "infrastructure" })
    })
  }

  it("a real failure decides although the other check still runs; any other waits for it", () => {
    for (const [of, said] of [
      ["real", "failure unit failed"],
      ["flaky", "in_progress Waiting for the required checks"]
    ] as const) {
      const machine = gate()
      appendEvents(machine, group("g1", "main", 1))
      appendEvents(machine, checks("g1", { unit: "failure", e2e: "pending" }), reports("g1", of))
      assert.strictEqual(shown(machine, "g1"), said)
    }
  })

  it("the red attempt that runs again does not count again when the other check brings news", () => {
    const machine = gate()
    appendEvents(machine, group("g1", "main", 1), checks("g1", { unit: "failure", e2e: "failure" }))
    appendEvents(machine, reports("g1", "flaky"), reports("g1", "flaky", { check: "e2e" }))
    advance(machine, machine.now + Instant.minute)
    assert.deepStrictEqual(rerunsOf(machine), ["g1"])
    const seen = (unit: number, e2e: number, state: "pending" | "success"): EngineEvent.EngineEvent => ({
      kind: "checks_seen",
      sha: "g1",
      version: 1_000_000 + machine.log.length,
      checks: [
        { name: "unit", state: unit === 1 ? "failure" : "success", attempt: unit },
        { name: "e2e", state, attempt: e2e }
      ]
    })
    appendEvents(machine, seen(1, 2, "success"))
    advance(machine, machine.now + 5 * Instant.minute)
    assert.strictEqual(shown(machine, "g1"), "in_progress Running again")
    appendEvents(machine, seen(2, 2, "success"))
    assert.strictEqual(shown(machine, "g1"), "success The required checks passed after 2 attempts")
  })

  it("reports of an older attempt say nothing about the newer one", () => {
    const machine = gate()
    appendEvents(machine, group("g1", "main", 1))
    flaky(machine, "g1")
    appendEvents(machine, checks("g1", red, 2), reports("g1", "real", { attempt: 1 }))
    assert.match(shown(machine, "g1"), /^in_progress/u)
    appendEvents(machine, reports("g1", "real", { attempt: 2 }))
    assert.match(shown(machine, "g1"), /^failure/u)
  })
})

describe("groups of a gate", () => {
  for (const cause of ["dequeued", "invalidated"] as const) {
    it(`the runs of a group that was ${cause} are cancelled, once`, () => {
      const machine = gate()
      appendEvents(machine, group("g1", "main", 1), gone("g1", cause))
      answer(machine)
      answer(machine)
      appendEvents(machine)
      assert.lengthOf(issued(machine, "cancel"), 1)
    })

    it(`a failure behind a group that was ${cause} evicts nobody`, () => {
      const machine = gate()
      appendEvents(machine, group("g1", "main", 1), group("g2", "g1", 2))
      appendEvents(machine, gone("g1", cause), checks("g2", red), reports("g2", "real"))
      assert.match(shown(machine, "g2"), /^in_progress/u)
    })
  }

  it("a failure behind a group that was merged counts, and the runs of that one are not cancelled", () => {
    const machine = gate()
    appendEvents(machine, group("g1", "main", 1), group("g2", "g1", 2), checks("g1", green))
    appendEvents(machine, gone("g1", "merged"), checks("g2", red), reports("g2", "real"))
    assert.match(shown(machine, "g2"), /^failure/u)
    assert.deepStrictEqual(issued(machine, "cancel"), [])
  })

  it("pull requests come back one after the other: the next when the platform has taken the one before", () => {
    const machine = gate()
    appendEvents(machine, group("g1", "main", 1), group("g2", "g1", 2), paused)
    for (const number of [2, 1]) {
      appendEvents(machine, { kind: "evicted", member: member(number), cause: "checks_timeout" })
    }
    appendEvents(machine, resumed)
    const entering = () => commandsOf(machine).flatMap((each) => (each.kind === "enqueue" ? [each.member.number] : []))
    assert.deepStrictEqual(entering(), [1])
    answer(machine)
    assert.deepStrictEqual(entering(), [2])
  })

  it("a group that is gone is not judged again when the shadow ends", () => {
    const machine = gate()
    const mode = (shadow: boolean) => ({ kind: "config_read", digest: `${shadow}`, mode: "gate", shadow }) as const
    appendEvents(machine, mode(true), group("g1", "main", 1), group("g2", "g1", 2), checks("g1", green))
    appendEvents(machine, gone("g1", "merged"))
    appendEvents(machine, mode(false))
    assert.deepStrictEqual(
      machine.state.groups.map(({ concluded, round }) => [concluded, round.checks.length]),
      [
        ["success", 2],
        [null, 0]
      ]
    )
  })
})

describe("incidents of a gate", () => {
  const fails = (machine: Machine, number: number, onto = "main"): void => {
    const id = `g${number}`
    appendEvents(machine, group(id, onto, number), checks(id, red), reports(id, "unknown"))
    appendEvents(machine, checks(id, red, 2), reports(id, "unknown", { attempt: 2 }))
  }

  const incident = (changes: Parameters<typeof gate>[0] = {}) => {
    const machine = gate(changes)
    for (const number of [1, 2, 3]) fails(machine, number)
    assert.isNotNull(machine.state.incident)
    return machine
  }

  it("groups behind a failed one are not unrelated to it", () => {
    const machine = gate()
    for (const number of [1, 2, 3]) fails(machine, number, number === 1 ? "main" : `g${number - 1}`)
    assert.isNull(machine.state.incident)
  })

  it("a pause does not use an incident up", () => {
    const machine = incident()
    appendEvents(machine, paused)
    advance(machine, machine.now + 2 * configuration.incident.longest)
    assert.isNotNull(machine.state.incident)
    appendEvents(machine, resumed)
    assert.isNull(machine.state.incident)
  })

  it("an incident ends after its longest time, and not before", () => {
    const machine = incident()
    const ends = machine.now + configuration.incident.longest
    advance(machine, ends - 1)
    assert.strictEqual(machine.wakeAt, ends)
    assert.isNotNull(machine.state.incident)
    advance(machine, ends)
    assert.isNull(machine.state.incident)
    assert.match(shown(machine, "g1"), /^failure/u)
  })

  it("after an incident its groups run again that have a rerun left and are not gone", () => {
    for (const [perRound, reruns] of [
      [0, []],
      [1, ["g3", "g5"]]
    ] as const) {
      const machine = incident(limits(perRound, 4, 1))
      for (const number of [4, 5]) fails(machine, number)
      appendEvents(machine, gone("g4", "invalidated"))
      assert.deepStrictEqual(rerunsOf(machine), [])
      appendEvents(machine, group("g6", "main", 6), checks("g6", green))
      assert.deepStrictEqual(rerunsOf(machine), [...reruns])
    }
  })
})
