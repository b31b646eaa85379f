import { assert, describe, it } from "@effect/vitest"
import { Instant } from "@lazaret/domain"
import { EngineFold, EngineLog, type EngineEvent, Fate, Savings } from "@lazaret/queue"
import { advance, commandsOf, type Machine, appendEvents } from "@lazaret/queue/testing"
import {
  answer,
  checks,
  gate,
  green,
  group,
  issued,
  member,
  paused,
  red,
  reports,
  resumed
} from "./support/GateStory.ts"

const fatesOf = ({ log }: Machine): ReadonlyArray<EngineEvent.Of<"fate">> =>
  log.flatMap(({ event }) => (event.kind === "fate" ? [event] : []))

const said = (machine: Machine) => fatesOf(machine).map((fate) => `${Fate.title(fate)} ${Fate.sentence(fate)}`)

const evicted = (number: number, cause: EngineEvent.Of<"evicted">["cause"], by?: string): EngineEvent.EngineEvent => ({
  kind: "evicted",
  member: member(number),
  cause,
  ...(by === undefined ? {} : { by })
})

const queue = (...numbers: ReadonlyArray<number>): EngineEvent.EngineEvent => ({
  kind: "queue_seen",
  members: numbers.map(member)
})

const gone = (id: string, cause: EngineEvent.Of<"group_gone">["cause"]): EngineEvent.EngineEvent => ({
  kind: "group_gone",
  id,
  cause
})

/** Answers what is under way until nothing is. */
const settle = (machine: Machine): void => {
  while (commandsOf(machine).length > 0) answer(machine)
}

describe("fates", () => {
  it("an eviction has its reason, the checks, the tests with their verdicts and the attempts, once", () => {
    const machine = gate()
    appendEvents(machine, queue(1), group("g1", "main", 1), checks("g1", red), reports("g1", "real"))
    appendEvents(machine, gone("g1", "dequeued"), evicted(1, "checks_failed"), queue())
    advance(machine, machine.now + Instant.hour)
    const [fate, ...others] = fatesOf(machine)
    assert.deepStrictEqual(others, [])
    assert.deepInclude(fate, { outcome: "evicted", reason: "checks_failed", checks: ["unit"], class: "real" })
    assert.deepStrictEqual(
      fate?.failures.map(({ class: of, test }) => `${test} ${of}`),
      ["logs in real"]
    )
    assert.deepStrictEqual(said(machine), [
      "#1 left the merge queue. unit (logs in) failed. The failure is judged to be caused by this change."
    ])
    assert.deepStrictEqual(
      issued(machine, "tell").map(({ number, text }) => [number, text.split("\n")[1]]),
      [[1, "- unit: logs in, judged real"]]
    )
  })

  it("a failure that passes when it runs again is a repair with the failure and the attempts", () => {
    const machine = gate()
    appendEvents(machine, queue(1, 2), group("g1", "main", 1), group("g2", "g1", 2))
    machine.now += 10 * Instant.minute
    appendEvents(machine, checks("g1", red), reports("g1", "flaky"))
    appendEvents(machine, checks("g1", green, 2))
    const [fate] = fatesOf(machine)
    assert.deepInclude(fate, { outcome: "healed", reason: "rerun_passed", attempts: 2, isSaved: true, number: 1 })
    assert.strictEqual(fate?.wasted, 20 * Instant.minute, "its group and the one behind it")
    assert.deepStrictEqual(
      machine.state.savings.map(({ evictions, saved, wasted }) => [evictions, saved, wasted]),
      [[0, 1, 20 * Instant.minute]]
    )
  })

  it("a repair is reported up to an hour after its group has passed", () => {
    const countAfter = (wait: number) => {
      const machine = gate()
      appendEvents(machine, queue(1), group("g1", "main", 1), checks("g1", red), reports("g1", "flaky"))
      const passed = { kind: "group_concluded", group: "g1", conclusion: "success", reason: null } as const
      // The fold alone: the engine decides when the wait is over.
      machine.state = EngineFold.step(machine.state, { seq: machine.state.seq + 1, at: machine.now, event: passed })
      const reds = [{ attempt: 1, checks: ["unit"], failures: [], class: "flaky" as const }]
      const groups = machine.state.groups.map((each) => ({ ...each, round: { ...each.round, reds } }))
      machine.state = { ...machine.state, groups }
      advance(machine, machine.now + wait)
      return fatesOf(machine).length
    }
    assert.deepStrictEqual([0, Instant.hour, Instant.hour + 1].map(countAfter), [1, 1, 0])
  })

  it("who comes back after a pause is a repair, and who comes back on request is not", () => {
    const machine = gate()
    appendEvents(machine, queue(1), group("g1", "main", 1), paused)
    machine.now += 2 * Instant.hour
    appendEvents(machine, gone("g1", "dequeued"), evicted(1, "checks_timeout"), queue())
    appendEvents(machine, resumed)
    settle(machine)
    appendEvents(machine, queue(1))
    assert.deepStrictEqual(said(machine), [
      "#1 was put back into the merge queue. The platform had taken it out in a pause or an incident: it was queued again."
    ])
    appendEvents(machine, evicted(1, "other"), queue())
    appendEvents(machine, { kind: "retry_asked", number: 1, by: "ana" })
    settle(machine)
    appendEvents(machine, queue(1))
    assert.deepStrictEqual(
      fatesOf(machine).map(({ reason }) => reason),
      ["hold_over", "other"]
    )
  })

  it("a lost run is a repair, and the removal for it does not count as an eviction", () => {
    const machine = gate()
    appendEvents(machine, queue(1, 2), group("g1", "main", 1), group("g2", "g1", 2))
    appendEvents(machine, checks("g2", { unit: "pending" }), checks("g1", {}, 1, false))
    machine.now += 6 * Instant.minute
    appendEvents(machine, checks("g1", {}, 1, false))
    settle(machine)
    appendEvents(machine, gone("g1", "dequeued"), evicted(1, "by_hand", "lazaret[bot]"), queue(2))
    settle(machine)
    appendEvents(machine, queue(2, 1))
    assert.deepStrictEqual(
      fatesOf(machine).map(({ checks: of, outcome, reason }) => [outcome, reason, of]),
      [["healed", "no_run", ["unit", "e2e"]]]
    )
  })

  it("a person who takes a pull request out is named, and gets no comment", () => {
    const machine = gate()
    appendEvents(machine, queue(1, 2), group("g1", "main", 1), { kind: "dequeue_asked", number: 1, by: "ana" })
    settle(machine)
    appendEvents(machine, gone("g1", "dequeued"), evicted(1, "by_hand", "lazaret[bot]"), queue(2))
    appendEvents(machine, evicted(2, "by_hand", "ben"), queue())
    assert.deepStrictEqual(said(machine), [
      "#1 left the merge queue. ana took it out of the queue.",
      "#2 left the merge queue. ben took it out of the queue."
    ])
    assert.deepStrictEqual([issued(machine, "tell"), machine.state.savings.map((week) => week.evictions)], [[], [0]])
  })

  it("a pull request that was closed is in the log alone", () => {
    const machine = gate()
    appendEvents(machine, queue(1), evicted(1, "closed"), queue())
    assert.deepStrictEqual(said(machine), ["#1 left the merge queue. It was closed."])
    assert.deepStrictEqual([issued(machine, "tell"), machine.state.savings.map((week) => week.evictions)], [[], [0]])
  })

  it("a reason that the platform says late is waited for, and one that it never says is another one", () => {
    const machine = gate()
    appendEvents(machine, queue(1, 2), evicted(1, "unknown"), evicted(2, "unknown"), queue())
    assert.deepStrictEqual(said(machine), [])
    machine.now += 5 * Instant.minute
    appendEvents(machine, evicted(1, "conflict"))
    advance(machine, machine.now + 5 * Instant.minute)
    assert.deepStrictEqual(
      fatesOf(machine).map(({ number, reason }) => [number, reason]),
      [
        [1, "conflict"],
        [2, "other"]
      ]
    )
  })

  it("a gate in the shadow counts the evictions that it would have prevented, and writes nothing", () => {
    const machine = gate({ shadow: true })
    appendEvents(machine, queue(1, 2, 3), group("g1", "main", 1), group("g2", "g1", 2), group("g3", "g2", 3))
    machine.now += 10 * Instant.minute
    appendEvents(machine, gone("g1", "dequeued"), evicted(1, "checks_failed"), gone("g2", "invalidated"), queue(2, 3))
    assert.deepStrictEqual(said(machine), [], "the reports are waited for")
    appendEvents(machine, checks("g1", red), reports("g1", "flaky"))
    assert.deepStrictEqual(said(machine), [
      "#1 left the merge queue. unit (logs in) failed. A gate that acts would have kept it in the queue."
    ])
    appendEvents(machine, gone("g3", "dequeued"), evicted(3, "checks_failed"), queue(2))
    appendEvents(machine, checks("g3", red), reports("g3", "real"))
    const [week] = machine.state.savings
    assert.deepInclude(week, { evictions: 2, saved: 1, wasted: 30 * Instant.minute })
    assert.deepStrictEqual(commandsOf(machine), [])
    if (week !== undefined)
      assert.match(Savings.sentence(week, true), /2 evictions; the gate would have kept 1 .* 0\.5 hours/u)
  })

  it("comments that are off are not written, and the log has the sentence", () => {
    const machine = gate({ comments: "off" })
    appendEvents(machine, queue(1), group("g1", "main", 1), checks("g1", red), reports("g1", "real"))
    appendEvents(machine, gone("g1", "dequeued"), evicted(1, "checks_failed"), queue())
    assert.deepStrictEqual(issued(machine, "tell"), [])
    const names = EngineLog.names(machine.log)
    const lines = machine.log.flatMap((logged) => EngineLog.line(logged, names)?.sentence ?? [])
    assert.match(lines.join(), /#1 failed the gate/u)
  })

  it("a newer comment replaces one that is not written yet", () => {
    const machine = gate()
    for (const id of ["g1", "g2"]) {
      appendEvents(machine, queue(1), group(id, "main", 1), checks(id, red), reports(id, "real"))
      appendEvents(machine, gone(id, "dequeued"), evicted(1, "checks_failed"), queue())
      machine.now += Instant.minute
    }
    assert.lengthOf(issued(machine, "tell"), 2)
    assert.lengthOf(
      commandsOf(machine).filter(({ kind }) => kind === "tell"),
      1
    )
  })
})
