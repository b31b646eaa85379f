import { assert, describe, it } from "@effect/vitest"
import { Instant } from "@lazaret/domain"
import { EngineView, type EngineEvent } from "@lazaret/queue"
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

const evicted = (
  number: number,
  cause: EngineEvent.Of<"evicted">["cause"],
  at?: number
): EngineEvent.Of<"evicted"> => ({
  kind: "evicted",
  member: member(number),
  cause,
  ...(at === undefined ? {} : { at })
})

const enqueued = (machine: Machine) => issued(machine, "enqueue").map((command) => command.member.number)

/** Answers what is under way until nothing is. */
const settle = (machine: Machine): void => {
  while (commandsOf(machine).length > 0) answer(machine)
}

const refuse = (machine: Machine, kind: string, detail = "403 Resource not accessible by integration"): void => {
  for (const { id, kind: each } of commandsOf(machine)) {
    if (each === kind) {
      appendEvents(machine, { kind: "refused", command: id, refusal: "not_possible", detail, base: null })
    }
  }
}

/** Nothing works for a group, from now on for some minutes. */
const idle = (machine: Machine, id: string, minutes: number): void => {
  appendEvents(machine, checks(id, {}, 1, false))
  machine.now += minutes * Instant.minute
  appendEvents(machine, checks(id, {}, 1, false))
}

describe("a run that the platform lost", () => {
  it("a group without a run is taken out and queued again when a later group has one, each head once", () => {
    const machine = gate()
    appendEvents(machine, { kind: "queue_seen", members: [member(1), member(2)] })
    appendEvents(machine, group("g1", "main", 1), group("g2", "g1", 2), checks("g2", { unit: "pending" }, 1, true))
    idle(machine, "g1", 4)
    assert.deepStrictEqual(issued(machine, "dequeue"), [])
    idle(machine, "g1", 2)
    assert.deepStrictEqual(
      issued(machine, "dequeue").map(({ number }) => number),
      [1]
    )
    assert.strictEqual(shown(machine, "g1"), "in_progress The platform started no run: it is queued again")
    settle(machine)
    assert.deepStrictEqual(enqueued(machine), [])
    appendEvents(machine, { kind: "group_gone", id: "g1", cause: "dequeued" }, evicted(1, "by_hand"))
    appendEvents(machine, { kind: "queue_seen", members: [member(2)] })
    assert.deepStrictEqual(enqueued(machine), [1])
    settle(machine)
    appendEvents(machine, { kind: "queue_seen", members: [member(2), member(1)] }, group("g3", "g2", 1))
    appendEvents(machine, group("g4", "g3", 4), checks("g4", green))
    idle(machine, "g3", 14)
    assert.deepStrictEqual([enqueued(machine), issued(machine, "dequeue").length], [[1], 1])
    assert.isNull(machine.state.incident)
    idle(machine, "g3", 2)
    assert.isNotNull(machine.state.incident)
  })

  it("a group is not queued again when no later group has a run, nor when its own works or has brought a check", () => {
    const machine = gate()
    appendEvents(machine, group("g1", "main", 1), group("g2", "g1", 2))
    idle(machine, "g1", 10)
    appendEvents(machine, checks("g2", { unit: "pending" }, 1, true), checks("g1", {}, 1, true))
    advance(machine, machine.now + Instant.hour)
    appendEvents(machine, checks("g1", { unit: "success" }, 1, false))
    idle(machine, "g2", 0)
    machine.now += 10 * Instant.minute
    appendEvents(machine, checks("g1", { unit: "success" }, 1, false))
    assert.deepStrictEqual(issued(machine, "dequeue"), [])
  })

  it("a run that comes after all decides, and the pull request stays in the queue", () => {
    for (const [states, sentence] of [
      [green, /^success/u],
      [red, /^failure/u]
    ] as const) {
      const machine = gate()
      appendEvents(machine, { kind: "queue_seen", members: [member(1), member(2)] })
      appendEvents(machine, group("g1", "main", 1), group("g2", "g1", 2), checks("g2", { unit: "pending" }, 1, true))
      idle(machine, "g1", 6)
      appendEvents(machine, checks("g1", states), reports("g1", "real"))
      assert.match(shown(machine, "g1"), sentence)
      const dequeues = commandsOf(machine).filter(({ kind }) => kind === "dequeue")
      assert.deepStrictEqual([dequeues, machine.state.parked], [[], []])
    }
  })

  it("a push or a request to leave ends the healing", () => {
    const happenings: ReadonlyArray<EngineEvent.EngineEvent> = [
      { kind: "dequeue_asked", number: 1, by: "ana" },
      {
        kind: "pull_seen",
        pull: {
          number: 1,
          state: "open",
          draft: false,
          head: "another",
          base: "main",
          mergeable: true,
          approved: true,
          blockedBy: null,
          version: 9
        }
      }
    ]
    for (const happening of happenings) {
      const machine = gate()
      appendEvents(machine, { kind: "queue_seen", members: [member(1), member(2)] })
      const pull = happenings[1]
      if (pull?.kind === "pull_seen") appendEvents(machine, { ...pull, pull: { ...pull.pull, head: "h1", version: 1 } })
      appendEvents(machine, group("g1", "main", 1), group("g2", "g1", 2), checks("g2", { unit: "pending" }, 1, true))
      idle(machine, "g1", 6)
      appendEvents(machine, happening)
      settle(machine)
      appendEvents(machine, { kind: "queue_seen", members: [member(2)] })
      assert.deepStrictEqual(enqueued(machine), [], happening.kind)
    }
  })
})

describe("a tree that passed before", () => {
  const again = (id: string, tree: string): EngineEvent.EngineEvent => ({
    kind: "group_seen",
    group: { id, tree, onto: "main", members: [member(1)] }
  })
  const own = { kind: "rules_seen", rules: [{ kind: "required_check", name: "lazaret/queue", isOurs: true }] } as const
  const more = {
    kind: "rules_seen",
    rules: [...own.rules, { kind: "required_check", name: "unit", isOurs: false }]
  } as const

  it("a group with the tree of a green one passes at once, also when that was green in a pause", () => {
    const machine = gate()
    appendEvents(machine, group("g1", "main", 1), paused, checks("g1", green), resumed)
    appendEvents(machine, { kind: "group_gone", id: "g1", cause: "invalidated" }, again("g2", "tree-g1"))
    assert.strictEqual(shown(machine, "g2"), "success The same tree passed as g1")
    appendEvents(machine, again("g3", "another"))
    assert.match(shown(machine, "g3"), /^in_progress/u)
    assert.deepStrictEqual(
      machine.state.savings.map(({ reused }) => reused),
      [1]
    )
  })

  it("a tree that failed since, other required checks, and a check that is red already make it wait", () => {
    const machine = gate()
    appendEvents(machine, group("g1", "main", 1), checks("g1", green))
    appendEvents(machine, again("g2", "tree-g1"), { kind: "group_gone", id: "g1", cause: "invalidated" })
    appendEvents(machine, checks("g2", red), reports("g2", "real"))
    assert.match(shown(machine, "g2"), /^success/u, "it had passed already")
    const other = gate()
    appendEvents(other, group("g1", "main", 1), checks("g1", green))
    Object.assign(other, { configuration: { ...configuration, requiredChecks: ["unit", "e2e", "lint"] } })
    appendEvents(other, again("g2", "tree-g1"))
    assert.match(shown(other, "g2"), /^in_progress/u)
    const failed = gate()
    appendEvents(failed, group("g1", "main", 1), checks("g1", red), reports("g1", "real"))
    appendEvents(failed, group("g0", "main", 2), checks("g0", green))
    appendEvents(failed, again("g2", "tree-g1"))
    assert.match(shown(failed, "g2"), /^in_progress/u)
  })

  it("a pause holds a group that passes by its tree", () => {
    const machine = gate()
    appendEvents(machine, group("g1", "main", 1), checks("g1", green), paused, again("g2", "tree-g1"))
    assert.match(shown(machine, "g2"), /^in_progress Paused/u)
    appendEvents(machine, resumed)
    assert.match(shown(machine, "g2"), /^success/u)
  })

  it("its runs are cancelled only where a setting allows it, and the check of the queue is the only required one", () => {
    for (const [cancelReused, rules, wanted] of [
      [true, own, [["g2", ["unit", "e2e"]]]],
      [true, more, []],
      [false, own, []]
    ] as const) {
      const machine = gate({ cancelReused })
      appendEvents(machine, rules, group("g1", "main", 1), checks("g1", green), again("g2", "tree-g1"))
      assert.deepStrictEqual(
        issued(machine, "cancel").map(({ checks: of, sha }) => [sha, of]),
        wanted as ReadonlyArray<unknown>
      )
    }
  })

  it("runs that have not started yet are asked for again, which the log does not mention", () => {
    const machine = gate({ cancelReused: true })
    appendEvents(machine, own, group("g1", "main", 1), checks("g1", green), again("g2", "tree-g1"))
    const [command] = issued(machine, "cancel")
    const refused = {
      kind: "refused",
      command: command?.id ?? "",
      refusal: "not_yet",
      detail: "none",
      base: null
    } as const
    appendEvents(machine, refused)
    assert.lengthOf(
      commandsOf(machine).filter(({ kind }) => kind === "cancel"),
      1
    )
  })
})

describe("an entry that conflicts", () => {
  const conflict = (isConflict: boolean): EngineEvent.EngineEvent => ({
    kind: "conflict_seen",
    member: member(1),
    isConflict
  })

  it("two reads take it out, once, and one that shows no conflict begins again", () => {
    const machine = gate()
    appendEvents(machine, { kind: "queue_seen", members: [member(1)] }, conflict(true))
    appendEvents(machine, conflict(false), conflict(true))
    assert.deepStrictEqual(issued(machine, "dequeue"), [])
    appendEvents(machine, conflict(true))
    appendEvents(machine, conflict(true))
    assert.deepStrictEqual(
      issued(machine, "dequeue").map(({ number }) => number),
      [1]
    )
  })

  it("who is being taken out already is not taken out once more", () => {
    const machine = gate()
    const asked = { kind: "dequeue", id: "dequeue/1/asked", number: 1 } as const
    appendEvents(machine, { kind: "queue_seen", members: [member(1), member(2)] })
    const inflight = [{ command: asked, tries: 0, notBefore: 0, refusal: null }]
    machine.state = { ...machine.state, inflight }
    appendEvents(machine, conflict(true), conflict(true))
    assert.deepStrictEqual(issued(machine, "dequeue"), [])
  })

  it("nobody is taken out during a pause", () => {
    const machine = gate()
    appendEvents(machine, { kind: "queue_seen", members: [member(1)] }, paused, conflict(true), conflict(true))
    assert.deepStrictEqual(issued(machine, "dequeue"), [])
    appendEvents(machine, resumed)
    assert.lengthOf(issued(machine, "dequeue"), 1)
  })
})

describe("an absent check", () => {
  it("an absent check is awaited as long as a run of its commit works", () => {
    const machine = gate()
    appendEvents(machine, group("g1", "main", 1), checks("g1", { unit: "success" }, 1, true))
    advance(machine, machine.now + 5 * Instant.hour)
    appendEvents(machine, checks("g1", { unit: "success" }, 1, true))
    assert.strictEqual(shown(machine, "g1"), "in_progress Waiting for the required checks")
    appendEvents(machine, checks("g1", green))
    assert.match(shown(machine, "g1"), /^success/u)
  })

  it("an absent check is awaited for the whole time again after the last run has ended", () => {
    const machine = gate()
    appendEvents(machine, group("g1", "main", 1), checks("g1", { unit: "success" }, 1, true))
    advance(machine, machine.now + Instant.hour)
    const ended = machine.now
    appendEvents(machine, checks("g1", { unit: "success" }, 1, false))
    advance(machine, ended + 15 * Instant.minute - 1)
    appendEvents(machine, checks("g1", { unit: "success" }, 1, false))
    assert.strictEqual(shown(machine, "g1"), "in_progress Waiting for the required checks")
    advance(machine, ended + 15 * Instant.minute)
    appendEvents(machine, checks("g1", { unit: "success" }, 1, false))
    assert.strictEqual(shown(machine, "g1"), "in_progress Held: e2e never started")
  })

  it("an absent check is not missing before its runs were read, however much time has passed", () => {
    const machine = gate()
    appendEvents(machine, group("g1", "main", 1))
    advance(machine, machine.now + 5 * Instant.hour)
    assert.strictEqual(shown(machine, "g1"), "in_progress Waiting for the required checks")
  })

  const absent = () => {
    const machine = gate()
    const quiet = (sha: string) => checks(sha, { unit: "success" }, 1, false)
    appendEvents(machine, group("g1", "main", 1), group("g2", "g1", 2), quiet("g1"), quiet("g2"))
    advance(machine, machine.now + 15 * Instant.minute)
    appendEvents(machine, quiet("g1"), quiet("g2"))
    return machine
  }

  it("an absent check holds every group, and what the platform gives up on meanwhile is queued again", () => {
    const machine = absent()
    assert.deepStrictEqual(
      ["g1", "g2"].map((id) => shown(machine, id)),
      ["in_progress Held: e2e never started", "in_progress Held: e2e never started"]
    )
    advance(machine, machine.now + Instant.hour)
    appendEvents(machine, evicted(1, "checks_timeout"), evicted(2, "checks_timeout"))
    settle(machine)
    assert.deepStrictEqual(enqueued(machine), [])
    appendEvents(machine, group("g3", "main", 3), checks("g3", green))
    settle(machine)
    assert.deepStrictEqual(enqueued(machine), [1, 2])
  })

  it("an absent check that is not required any more ends the hold", () => {
    const machine = absent()
    Object.assign(machine, { configuration: { ...configuration, requiredChecks: ["unit"] } })
    appendEvents(machine)
    assert.isNull(machine.state.incident)
    assert.match(shown(machine, "g1"), /^success/u)
    assert.match(shown(machine, "g2"), /^success/u)
  })

  it("an absent check that starts elsewhere ends the hold: groups that were built without it are built again", () => {
    const machine = absent()
    appendEvents(machine, group("g3", "main", 3), checks("g3", green))
    settle(machine)
    assert.match(shown(machine, "g1"), /^failure/u)
    assert.deepInclude(reasonOf(machine, "g1"), { code: "missing_check", checks: ["e2e"] })
    appendEvents(machine, evicted(1, "checks_failed"), evicted(2, "checks_failed"))
    settle(machine)
    assert.deepStrictEqual(enqueued(machine), [1, 2])
  })

  it("an absent check is a failure when its hold takes too long, of the first group first", () => {
    const machine = absent()
    advance(machine, machine.now + configuration.incident.longest)
    assert.strictEqual(shown(machine, "g1"), "failure e2e never started")
    assert.strictEqual(shown(machine, "g2"), "in_progress e2e never started; waiting for the group ahead")
    assert.deepStrictEqual(machine.state.parked, [])
  })

  it("an absent check is waited for although another check failed, since a rerun repeats both", () => {
    const machine = gate()
    appendEvents(machine, group("g1", "main", 1), checks("g1", { unit: "failure" }, 1, true), reports("g1", "flaky"))
    assert.deepStrictEqual(issued(machine, "rerun"), [])
    appendEvents(machine, checks("g1", red))
    assert.deepStrictEqual(
      issued(machine, "rerun").map(({ checks: failed }) => failed),
      [["unit"]]
    )
  })
})

describe("a write that the platform refuses", () => {
  it("a write that the platform refuses is repeated with growing pauses, and explained, until it is taken", () => {
    const machine = gate()
    appendEvents(machine, { kind: "config_read", digest: "d", mode: "gate", shadow: false }, group("g1", "main", 1))
    settle(machine)
    appendEvents(machine, checks("g1", green))
    for (const pause of [1, 2, 4, 8]) {
      refuse(machine, "set_check")
      const [inflight] = machine.state.inflight
      assert.strictEqual(inflight?.notBefore, machine.now + pause * Instant.second)
      advance(machine, inflight?.notBefore ?? 0)
    }
    const { groups } = EngineView.of(machine.state, configuration, 0)
    assert.strictEqual(
      groups[0]?.explanation,
      "It passed the gate. The platform has refused its check 4 times, and is asked again: 403 Resource not accessible by integration"
    )
    settle(machine)
    assert.strictEqual(EngineView.of(machine.state, configuration, 0).groups[0]?.explanation, "It passed the gate.")
  })

  it("a gate repeats a refused write every five minutes at least", () => {
    const machine = gate()
    appendEvents(machine, group("g1", "main", 1))
    for (let tries = 0; tries < 30; tries += 1) refuse(machine, "set_check")
    assert.strictEqual(machine.state.inflight[0]?.notBefore, machine.now + 5 * Instant.minute)
  })

  it("a write that the platform refuses is given up when its group is gone", () => {
    const machine = gate()
    appendEvents(machine, group("g1", "main", 1), checks("g1", green))
    refuse(machine, "set_check")
    appendEvents(machine, { kind: "group_gone", id: "g1", cause: "merged" })
    assert.deepStrictEqual(commandsOf(machine), [])
  })

  it("a refused rerun is tried four times, and then the failure counts", () => {
    const machine = gate()
    appendEvents(machine, group("g1", "main", 1), checks("g1", red), reports("g1", "flaky"))
    for (let tries = 0; tries < 3; tries += 1) refuse(machine, "rerun")
    assert.strictEqual(shown(machine, "g1"), "in_progress Running again")
    refuse(machine, "rerun")
    assert.strictEqual(shown(machine, "g1"), "failure unit failed")
    assert.lengthOf(issued(machine, "rerun"), 1)
  })

  it("a refused cancellation is given up after eight tries", () => {
    const machine = gate()
    appendEvents(machine, group("g1", "main", 1), { kind: "group_gone", id: "g1", cause: "invalidated" })
    for (let tries = 0; tries < 7; tries += 1) refuse(machine, "cancel")
    assert.deepStrictEqual(
      commandsOf(machine).map(({ kind }) => kind),
      ["cancel"]
    )
    refuse(machine, "cancel")
    assert.deepStrictEqual(commandsOf(machine), [])
  })

  const parked = () => {
    const machine = gate()
    appendEvents(machine, group("g1", "main", 1), group("g2", "g1", 2), paused)
    appendEvents(machine, evicted(1, "checks_timeout"), evicted(2, "checks_timeout"), resumed)
    refuse(machine, "enqueue")
    return machine
  }

  it("a refused return to the queue delays no other and is not lost", () => {
    const machine = parked()
    assert.deepStrictEqual(enqueued(machine), [1, 2])
    refuse(machine, "enqueue")
    const open = () => commandsOf(machine).flatMap((each) => (each.kind === "enqueue" ? [each.member.number] : []))
    assert.deepStrictEqual(open(), [1, 2])
    appendEvents(machine, { kind: "queue_seen", members: [member(2)] })
    assert.deepStrictEqual(open(), [1])
  })

  for (const [name, event] of [
    ["its pull request is closed", { state: "closed", head: "h1" }],
    ["its pull request has another head", { state: "open", head: "h1b" }]
  ] as const) {
    it(`a refused return to the queue is given up when ${name}`, () => {
      const machine = parked()
      const pull = {
        number: 1,
        draft: false,
        base: "main",
        mergeable: true,
        approved: true,
        blockedBy: null,
        version: 9
      }
      appendEvents(machine, { kind: "pull_seen", pull: { ...pull, ...event } })
      assert.isFalse(commandsOf(machine).some((each) => each.kind === "enqueue" && each.member.number === 1))
    })
  }

  it("a refused return to the queue ends when a person takes the pull request out", () => {
    const machine = parked()
    appendEvents(machine, { kind: "dequeue_asked", number: 1, by: "ana" })
    assert.isFalse(commandsOf(machine).some((each) => each.kind === "enqueue" && each.member.number === 1))
  })
})

describe("a pause", () => {
  it("a pause takes the check of a green group back, and gives it again afterwards", () => {
    const machine = gate()
    appendEvents(machine, group("g1", "main", 1), checks("g1", green))
    assert.match(shown(machine, "g1"), /^success/u)
    appendEvents(machine, paused)
    assert.strictEqual(shown(machine, "g1"), "in_progress Paused by ana: release")
    appendEvents(machine, resumed)
    assert.match(shown(machine, "g1"), /^success/u)
  })

  it("a pause leaves a failed group failed", () => {
    const machine = gate()
    appendEvents(machine, group("g1", "main", 1), checks("g1", red), reports("g1", "real"))
    appendEvents(machine, paused)
    assert.match(shown(machine, "g1"), /^failure/u)
  })

  it("a group that turned red while its green check was taken back does not pass", () => {
    const machine = gate()
    appendEvents(machine, group("g1", "main", 1), checks("g1", green))
    appendEvents(machine, paused)
    appendEvents(machine, checks("g1", red, 2), reports("g1", "real", { attempt: 2 }), resumed)
    assert.notMatch(shown(machine, "g1"), /^success/u)
  })

  it("a pause counts by the platform's clock: an eviction in it that is read after it is queued again", () => {
    const machine = gate()
    appendEvents(machine, group("g1", "main", 1), paused)
    const at = machine.now + 10 * Instant.minute
    advance(machine, machine.now + 20 * Instant.minute)
    appendEvents(machine, resumed)
    advance(machine, machine.now + 30 * Instant.minute)
    appendEvents(machine, evicted(1, "checks_timeout", at))
    assert.deepStrictEqual(enqueued(machine), [1])
  })

  it("a pause counts by the platform's clock: an eviction before it that is read in it is not queued again", () => {
    const machine = gate()
    appendEvents(machine, group("g1", "main", 1))
    const at = machine.now
    advance(machine, machine.now + 10 * Instant.minute)
    appendEvents(machine, paused, evicted(1, "checks_timeout", at), resumed)
    assert.deepStrictEqual(enqueued(machine), [])
  })

  it("a pause allows the two clocks to differ by two minutes", () => {
    for (const lag of [2 * Instant.minute, 2 * Instant.minute + 1]) {
      const numbers = lag > 2 * Instant.minute ? [] : [1]
      const machine = gate()
      appendEvents(machine, group("g1", "main", 1), paused, evicted(1, "checks_timeout", machine.now - lag), resumed)
      assert.deepStrictEqual(enqueued(machine), numbers)
      const late = gate()
      appendEvents(late, group("g1", "main", 1), paused, resumed)
      const at = late.now + lag
      advance(late, late.now + Instant.hour)
      appendEvents(late, evicted(1, "checks_timeout", at))
      assert.deepStrictEqual(enqueued(late), numbers)
    }
  })

  it("a pause queues nobody again who was taken out by hand, or left for another reason", () => {
    const machine = gate()
    appendEvents(machine, group("g1", "main", 1), group("g2", "g1", 2), group("g3", "g2", 3), paused)
    appendEvents(machine, evicted(1, "by_hand"), evicted(2, "other"), evicted(3, "checks_failed"), resumed)
    assert.deepStrictEqual(enqueued(machine), [])
    assert.deepStrictEqual(
      machine.state.evicted.map(({ number }) => number),
      [1, 2, 3]
    )
  })

  it("a pause queues a pull request again once, also when the platform gives up on it twice in it", () => {
    const machine = gate()
    appendEvents(machine, group("g1", "main", 1), paused, evicted(1, "checks_timeout"), resumed)
    settle(machine)
    assert.deepStrictEqual(enqueued(machine), [1])
    appendEvents(machine, evicted(1, "checks_timeout"))
    settle(machine)
    assert.deepStrictEqual(enqueued(machine), [1])
  })

  it("a request to leave during it outlasts it", () => {
    const machine = gate()
    appendEvents(machine, group("g1", "main", 1), paused, evicted(1, "checks_timeout"))
    appendEvents(machine, { kind: "dequeue_asked", number: 1, by: "ana" }, resumed)
    assert.deepStrictEqual(enqueued(machine), [])
  })
})
