import { assert, describe, it } from "@effect/vitest"
import { Instant } from "@lazaret/domain"
import {
  DrivePreflight,
  DriveRule,
  EngineConfiguration,
  EngineDecision,
  type EngineEvent,
  EngineFold,
  EngineProjection,
  EngineState,
  EngineView,
  Fate,
  type Preflight,
  QueueRule,
  Readiness,
  Savings,
  WaitReason
} from "@lazaret/queue"
import { appendEvents, type Decide, type Machine } from "@lazaret/queue/testing"
import * as fc from "fast-check"
import * as Batch from "../../src/engine/Batch.ts"
import { check, drive, work } from "./support/Scenario.ts"
import { gate, group, issued, member, paused, resumed } from "./support/GateStory.ts"
import { deliver, play } from "./support/Schedule.ts"
import { worlds } from "./support/World.ts"

const eventsOf = <Kind extends EngineEvent.EngineEvent["kind"]>({ log }: Machine, kind: Kind) =>
  log.flatMap(({ event }) => (event.kind === kind ? [event as EngineEvent.Of<Kind>] : []))

const queueSeen = (...numbers: ReadonlyArray<number>) => ({ kind: "queue_seen", members: numbers.map(member) }) as const

describe("the settings of a rule that drives", () => {
  const faulty = (given: Parameters<typeof DriveRule.faults>[0]) =>
    DriveRule.faults(given).map(({ setting }) => setting)

  it("settings without an effect are named, unless they have no value", () => {
    assert.deepStrictEqual(faulty({}), [])
    assert.deepStrictEqual(faulty({ draftBotAccount: null, allowQueueBranchEdit: false }), [])
    assert.deepStrictEqual(faulty({ draftBotAccount: "bot" }), ["draftBotAccount"])
    assert.deepStrictEqual(faulty({ updateMethod: "merge", allowQueueBranchEdit: true }), [
      "updateMethod",
      "allowQueueBranchEdit"
    ])
  })

  it("a prefix begins the name of a branch, and is not that of the platform's own queue", () => {
    const prefixes = ["lazaret/q", "a", "gh-readonly-queue/", "gh-readonly-queue/main", ".a", "a..b", "a//b", "a b"]
    const refused = prefixes.filter((queueBranchPrefix) => faulty({ queueBranchPrefix }).length > 0)
    assert.deepStrictEqual(refused, prefixes.slice(2))
    const [own] = DriveRule.faults({ queueBranchPrefix: "gh-readonly-queue/main" })
    assert.match(own?.message ?? "", /GitHub's own queue/u)
  })

  it("a rebase is possible of one pull request, without a method of the queue branch", () => {
    assert.deepStrictEqual(faulty({ mergeMethod: "rebase", batchSize: 1 }), [])
    assert.deepStrictEqual(faulty({ mergeMethod: "rebase" }), [])
    assert.deepStrictEqual(faulty({ mergeMethod: "rebase", batchSize: 2 }), ["mergeMethod"])
    assert.deepStrictEqual(faulty({ mergeMethod: "rebase", queueBranchMergeMethod: "fast-forward" }), ["mergeMethod"])
    assert.deepStrictEqual(faulty({ mergeMethod: "merge", batchSize: 2, queueBranchMergeMethod: "fast-forward" }), [])
  })

  it("a template names fields that are known", () => {
    assert.deepStrictEqual(faulty({ commitMessageTemplate: "all is well" }), [])
    assert.deepStrictEqual(faulty({ commitMessageTemplate: "{{ nobody }}" }), ["commitMessageTemplate"])
  })
})

describe("the rules of a repository that is driven", () => {
  const levels = (name: string, ...settings: ReadonlyArray<Partial<QueueRule.Settings>>) => {
    const rules = QueueRule.prioritize(settings.map((each, index) => ({ name: `r${index}`, settings: { ...each } })))
    const rule = { kind: "other", name } as Preflight.BranchRule
    return DrivePreflight.check([rule], { requiredChecks: ["unit"], rules }).map(({ level }) => level)
  }
  const squash = { mergeMethod: "squash" } as const
  const pushed = { queueBranchMergeMethod: "fast-forward" } as const

  it("a required check is one that the queue waits for, and never that of the gate", () => {
    const level = (name: string) =>
      DrivePreflight.check([{ kind: "required_check", name, isOurs: true }], {
        requiredChecks: ["unit", EngineConfiguration.ownCheck],
        rules: []
      }).map((each) => each.level)
    assert.deepStrictEqual(
      [level("unit"), level("lint"), level(EngineConfiguration.ownCheck)],
      [["fine"], ["impossible"], ["impossible"]]
    )
  })

  it("a linear history is possible where every rule squashes", () => {
    assert.deepStrictEqual(levels("required_linear_history", squash), ["fine"])
    assert.deepStrictEqual(levels("required_linear_history", { mergeMethod: "merge" }), ["impossible"])
    assert.deepStrictEqual(levels("required_linear_history", { mergeMethod: "fast-forward" }), ["impossible"])
    assert.deepStrictEqual(levels("required_linear_history", squash, { mergeMethod: "merge" }), ["impossible"])
  })

  it("signatures are possible unless squashed commits are pushed", () => {
    assert.deepStrictEqual(levels("required_signatures", squash), ["fine"])
    assert.deepStrictEqual(levels("required_signatures", { ...squash, ...pushed }), ["impossible"])
    assert.deepStrictEqual(levels("required_signatures", { mergeMethod: "merge", ...pushed }), ["fine"])
    assert.deepStrictEqual(levels("required_signatures", { mergeMethod: "merge" }, { ...squash, ...pushed }), [
      "impossible"
    ])
  })

  it("a push needs a bypass for the rules about pull requests, and a merge does not", () => {
    for (const name of ["pull_request", "something_else"]) {
      assert.deepStrictEqual(levels(name, squash), ["fine"])
      assert.deepStrictEqual(levels(name, pushed), ["warning"])
      assert.deepStrictEqual(levels(name, { mergeMethod: "fast-forward" }), ["warning"])
      assert.deepStrictEqual(levels(name, squash, pushed), ["warning"])
    }
    assert.deepStrictEqual(levels("update", squash), ["warning"])
    assert.deepStrictEqual(levels("deletion", pushed), ["fine"])
  })
})

describe("the queue that is driven", () => {
  it("a driven queue forms no batch that it has no place for", () => {
    const trace = drive(0)
    const { machine } = trace
    appendEvents(machine, paused)
    const two = drive(2).machine.log.filter(({ event }) => event.kind === "queue_asked" || event.kind === "pull_seen")
    appendEvents(machine, ...two.map(({ event }) => event))
    assert.deepStrictEqual(machine.state.batches, [])
    const base = drive(2).machine.log.flatMap(({ event }) => (event.kind === "base_seen" ? [event] : []))
    appendEvents(machine, ...base, resumed)
    assert.deepStrictEqual(
      machine.state.batches.map(({ members }) => members.map(({ number }) => number)),
      [[1]]
    )
  })

  it("a driven queue makes a round again that passed other required checks, and opens one whose check turned red", () => {
    const voided = (change: (machine: Machine) => void) => {
      const trace = drive(2, { parallel: 2 })
      work(trace)
      check(trace, 2)
      assert.strictEqual(EngineState.batchOf(trace.machine.state, 2)?.phase, "green")
      change(trace.machine)
      appendEvents(trace.machine)
      return [
        eventsOf(trace.machine, "round_voided").map(({ reason }) => reason),
        eventsOf(trace.machine, "round_reopened").length
      ]
    }
    assert.deepStrictEqual(
      voided((machine) => {
        const configuration = { ...machine.configuration, requiredChecks: ["unit", "lint"] }
        Object.assign(machine, { configuration })
      }),
      [["configuration"], 0]
    )
    assert.deepStrictEqual(
      voided((machine) => {
        const sha = EngineState.batchOf(machine.state, 2)?.round?.sha ?? ""
        const checks = [{ name: "unit", state: "pending", attempt: 1 }] as const
        appendEvents(machine, { kind: "checks_seen", sha, version: 1e9, checks })
      }),
      [[], 1]
    )
  })

  it("a driven queue ends an incident with the first round that passes", () => {
    const trace = drive(1)
    work(trace)
    trace.machine.state = { ...trace.machine.state, incident: { at: 0, probedAt: 0, signature: "x" } }
    check(trace, 1)
    assert.deepStrictEqual(
      eventsOf(trace.machine, "incident_ended").map(({ cause }) => cause),
      ["passed"]
    )
  })

  it("the first round that passes makes the rounds again that were red in the incident, and no others", () => {
    const voided = (phase: Batch.Batch["phase"]) => {
      const trace = drive(2, { parallel: 2 })
      work(trace)
      const { state } = trace.machine
      const batches = state.batches.map((batch, index) => (index === 0 ? batch : { ...batch, phase }))
      trace.machine.state = { ...state, batches, incident: { at: 0, probedAt: 0, signature: "x" } }
      check(trace, 1)
      return eventsOf(trace.machine, "round_voided").map(({ reason }) => reason)
    }
    assert.deepStrictEqual([voided("red"), voided("testing")], [["incident"], []])
  })

  it("a landing closes its pull requests where they were squashed: the platform does not see them in the branch", () => {
    const closes = (mergeMethod: "squash" | "merge") => {
      const rules = QueueRule.prioritize([
        { name: "default", settings: { mergeMethod, queueBranchMergeMethod: "fast-forward" } }
      ])
      const trace = drive(1, {}, { rules })
      work(trace)
      check(trace, 1)
      work(trace)
      return trace.machine.log.flatMap(({ event }) =>
        event.kind === "issued" && event.command.kind === "land" ? [event.command.closes] : []
      )
    }
    assert.deepStrictEqual([closes("squash"), closes("merge")], [[true], [false]])
  })

  it("a driven queue tries its head again after each wait of an incident, and nothing before", () => {
    const trace = drive(2)
    const { machine } = trace
    const { longest, within } = machine.configuration.incident
    appendEvents(machine, paused)
    const waiting = { ...machine.state, batches: [], pause: null, incident: { at: 0, probedAt: 0, signature: "x" } }
    const at = (now: number) => {
      const { events, wakeAt } = EngineDecision.decide(waiting, machine.configuration, now)
      return [events.filter(({ kind }) => kind === "incident_probed" || kind === "incident_ended").length, wakeAt]
    }
    assert.isBelow(within, longest)
    assert.deepStrictEqual(at(within - 1), [0, within])
    assert.strictEqual(at(within)[0], 1)
  })

  it("a queue in the shadow forms the batches that it has places for", () => {
    const formed = (pulls: number, parallel: number) =>
      eventsOf(drive(pulls, { parallel }, { shadow: true }).machine, "batch_formed").map(({ members }) =>
        members.map(({ number }) => number)
      )
    assert.deepStrictEqual(formed(3, 2), [[1], [2]])
  })

  it("an engine that has decided decides nothing more, and wakes when its last look at the state says", () => {
    const decide: Decide = (before, configuration, now) => {
      const decision = EngineDecision.decide(before, configuration, now)
      const after = decision.events.reduce(
        (state, event) => EngineFold.step(state, { seq: state.seq + 1, at: now, event }),
        before
      )
      const { events, wakeAt } = EngineDecision.decide(after, configuration, now)
      assert.deepStrictEqual([events, wakeAt], [[], decision.wakeAt])
      return decision
    }
    fc.assert(
      fc.property(worlds, fc.array(fc.nat({ max: 1_000_000 }), { minLength: 10, maxLength: 40 }), (world, drawn) => {
        play(world, drawn, decide)
      }),
      { numRuns: 15 }
    )
  })

  it("a queue in the shadow wakes when the first of a batch has waited long enough", () => {
    const trace = drive(1, { batchSize: 2 }, { shadow: true })
    assert.deepStrictEqual([trace.machine.state.batches, trace.machine.wakeAt], [[], 31_000])
  })

  it("one that waits for a batch that is split says so", () => {
    const trace = drive(2, { parallel: 1 })
    const suspect = { on: "", left: null, base: null } as unknown as Batch.Suspect
    const { machine } = trace
    const open = (batch: Batch.Batch) => ({ ...batch, suspect })
    const split = { ...machine.state, batches: machine.state.batches.slice(0, 1).map(open) }
    assert.deepStrictEqual(WaitReason.of(split, 2, machine), { kind: "split", numbers: [1] })
    assert.strictEqual(WaitReason.of(machine.state, 2, machine)?.kind, "place")
  })

  it("its rounds begin for every member of their batch, once", () => {
    const trace = drive(2, { batchSize: 2 })
    work(trace)
    deliver(trace)
    const { log } = trace.machine
    const begun = EngineProjection.project(log, "main").flatMap((event) =>
      "kind" in event && event.kind === "checks_started" ? [event.pullRequest] : []
    )
    assert.deepStrictEqual(begun, [1, 2])
  })

  it("a driven queue is shown with its batches, and a gate is shown with its savings", () => {
    const driven = drive(1).machine
    work(drive(1))
    const shown = EngineView.of(driven.state, driven.configuration, driven.now)
    assert.deepStrictEqual([shown.batches.length, shown.queued.length, shown.savings], [1, 1, []])
    assert.strictEqual(shown.foresight, driven.state.foresight)
    const other = EngineView.of(driven.state, { ...driven.configuration, mode: "gate" }, driven.now)
    assert.deepStrictEqual([other.batches, other.queued, other.foresight], [[], [], null])
    assert.strictEqual(other.savings, driven.state.savings)
  })
})

describe("what a gate remembers", () => {
  it("the time of a pause does not count", () => {
    const machine = gate()
    appendEvents(machine, paused)
    machine.now += 70
    appendEvents(machine, resumed)
    appendEvents(machine, paused)
    machine.now += 7
    appendEvents(machine, resumed)
    assert.strictEqual(machine.state.pausedFor, 77)
  })

  it("the queue of the platform, as long as the mode is the same", () => {
    const read = (mode: "gate" | "mirror") => ({ kind: "config_read", digest: mode, mode, shadow: false }) as const
    const machine = gate()
    appendEvents(machine, read("gate"), queueSeen(1), read("gate"))
    assert.deepStrictEqual(machine.state.queue, [member(1)])
    appendEvents(machine, read("mirror"))
    assert.deepStrictEqual(machine.state.queue, [])
  })

  it("who was taken out by a person, until the pull request is queued again", () => {
    const machine = gate()
    appendEvents(machine, queueSeen(1, 2), { kind: "dequeue_asked", number: 1, by: "ada" })
    appendEvents(machine, queueSeen(1, 2))
    assert.lengthOf(machine.state.removals, 1)
    appendEvents(machine, queueSeen(2))
    assert.lengthOf(machine.state.removals, 1)
    appendEvents(machine, queueSeen(2, 1))
    assert.lengthOf(machine.state.removals, 0)
  })

  it("a pull request that was put back after a hold is healed when it is in the queue", () => {
    const machine = gate()
    appendEvents(machine, queueSeen(1, 2), group("g1", "main", 1), paused)
    appendEvents(machine, { kind: "evicted", member: member(1), cause: "checks_timeout" }, queueSeen(2))
    appendEvents(machine, resumed)
    assert.lengthOf(issued(machine, "enqueue"), 1)
    const healed = () => eventsOf(machine, "fate").map(({ number, outcome, reason }) => [outcome, reason, number])
    assert.deepStrictEqual(healed(), [])
    appendEvents(machine, queueSeen(2, 1))
    assert.deepStrictEqual(healed(), [["healed", "hold_over", 1]])
  })

  it("the reason of the last group is that of an eviction", () => {
    const machine = gate()
    appendEvents(machine, group("g1", "main", 1), group("g2", "main", 1))
    const because = { code: "missing_check", checks: ["e2e"] } as const
    const groups = machine.state.groups.map((each) => ({ ...each, reason: each.id === "g2" ? because : null }))
    const evicted: EngineState.EngineState["evicted"] = [
      { ...member(1), cause: "other", by: null, at: 0, since: 0 } as EngineState.EngineState["evicted"][number]
    ]
    const view = EngineView.of({ ...machine.state, evicted, groups }, machine.configuration, machine.now)
    assert.match(view.evicted[0]?.explanation ?? "", /e2e/u)
  })

  it("the savings of twelve weeks, in their order", () => {
    const fate = { outcome: "healed", isSaved: true, wasted: 5 } as unknown as Fate.Fate
    const weeks = [...Array.from({ length: 14 }, (_, index) => index + 1), 13]
    const kept = weeks.reduce(
      (known: ReadonlyArray<Savings.Savings>, week) => Savings.afterFate(known, fate, week * 7 * Instant.day),
      []
    )
    assert.lengthOf(kept, 12)
    assert.deepStrictEqual(
      kept.map(({ start }) => start),
      kept.map(({ start }) => start).toSorted((a, b) => a - b)
    )
    const [first] = [1, 1].reduce(
      (known: ReadonlyArray<Savings.Savings>, week) => Savings.afterFate(known, fate, week * 7 * Instant.day),
      []
    )
    assert.deepInclude(first, { saved: 2, wasted: 10, evictions: 0, reused: 0 })
  })
})

describe("the readiness of a repository", () => {
  it("a gate needs a delivery, a check and a rerun that were seen, and nothing else without a gate", () => {
    const needed = (sightings: Readiness.Seen["sightings"]) =>
      Readiness.steps({ gate: null, setup: Readiness.noSetup, sightings }).map(({ isNeeded, name, state }) => [
        name,
        state,
        isNeeded
      ])
    assert.deepStrictEqual(needed([]), [
      ["delivery", "missing", true],
      ["check", "unverified", true],
      ["rerun", "unverified", true]
    ])
    const seen = (["delivery", "check", "rerun"] as const).map((kind) => ({ kind, name: kind, detail: null, at: 5 }))
    assert.deepStrictEqual(
      needed(seen as unknown as Readiness.Seen["sightings"]).map(([name, state, isNeeded]) => [name, state, isNeeded]),
      [
        ["delivery", "ok", true],
        ["check", "ok", true],
        ["rerun", "ok", true]
      ]
    )
  })
})
