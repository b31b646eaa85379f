import { assert, describe, it } from "@effect/vitest"
import { Instant } from "@lazaret/domain"
import type { EngineEvent } from "@lazaret/queue"
import { advance, commandsOf, appendEvents } from "@lazaret/queue/testing"
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

describe("gate", () => {
  it("a group passes when every required check is green, and not before", () => {
    const machine = gate()
    appendEvents(machine, group("g1", "main", 1))
    assert.strictEqual(shown(machine, "g1"), "in_progress Waiting for the required checks")
    appendEvents(machine, checks("g1", { unit: "success", e2e: "pending" }))
    assert.strictEqual(shown(machine, "g1"), "in_progress Waiting for the required checks")
    appendEvents(machine, checks("g1", green))
    assert.strictEqual(shown(machine, "g1"), "success The required checks passed")
  })

  it("a pull request may enter when the required checks of its head are green", () => {
    const machine = gate()
    const pull = { number: 1, state: "open", draft: false, head: "h1", base: "main", mergeable: true } as const
    appendEvents(machine, { kind: "pull_seen", pull: { ...pull, approved: true, blockedBy: null, version: 1 } })
    assert.match(shown(machine, "h1"), /^in_progress/u)
    appendEvents(machine, checks("h1", green))
    assert.match(shown(machine, "h1"), /^success/u)
    appendEvents(machine, checks("h1", red), reports("h1", "real"))
    assert.strictEqual(shown(machine, "h1"), "failure unit failed")
  })

  it("(44) every check that was seen is green, and one that is required has not appeared: the group waits", () => {
    const machine = gate()
    appendEvents(machine, group("g1", "main", 1), checks("g1", { unit: "success", lint: "success" }))
    assert.match(shown(machine, "g1"), /^in_progress/u)
    appendEvents(machine, checks("g1", { ...green, lint: "failure" }))
    assert.match(shown(machine, "g1"), /^success/u)
  })

  it("(28) two pull requests with one head get one check, and each its own group", () => {
    const machine = gate()
    const pull = { state: "open", draft: false, head: "same", base: "main", mergeable: true } as const
    for (const number of [1, 2]) {
      appendEvents(machine, {
        kind: "pull_seen",
        pull: { ...pull, number, approved: true, blockedBy: null, version: number }
      })
    }
    appendEvents(machine, checks("same", green), group("g1", "main", 1), group("g2", "g1", 2), checks("g1", green))
    assert.deepStrictEqual(
      ["same", "g1", "g2"].map((sha) => shown(machine, sha).split(" ")[0]),
      ["success", "success", "in_progress"]
    )
  })

  it("without a required check nothing is ever green", () => {
    const machine = gate({ requiredChecks: [] })
    appendEvents(machine, group("g1", "main", 1), checks("g1", green))
    assert.match(shown(machine, "g1"), /^in_progress/u)
  })

  it("(9, 13) a failure waits for the group ahead, and a success does not change that", () => {
    const machine = gate()
    appendEvents(machine, group("g1", "main", 1), group("g2", "g1", 2))
    appendEvents(machine, checks("g2", red), reports("g2", "real"))
    assert.strictEqual(shown(machine, "g2"), "in_progress unit failed; waiting for the group ahead")
    appendEvents(machine, checks("g1", green))
    assert.strictEqual(shown(machine, "g2"), "failure unit failed")
    assert.deepInclude(reasonOf(machine, "g2"), { code: "checks_failed", class: "real", members: [2], tree: "tree-g2" })
  })

  it("(10) a failure behind a failed group is not held against its members", () => {
    const machine = gate()
    appendEvents(machine, group("g1", "main", 1), group("g2", "g1", 2))
    appendEvents(machine, checks("g2", red), reports("g2", "real"), checks("g1", red), reports("g1", "real"))
    assert.match(shown(machine, "g1"), /^failure/u)
    assert.match(shown(machine, "g2"), /^in_progress/u)
    appendEvents(machine, { kind: "group_gone", id: "g2", cause: "invalidated" })
    appendEvents(machine, group("g3", "main", 2), checks("g3", green))
    assert.match(shown(machine, "g3"), /^success/u)
  })

  it("(38) a landed tree that was not the tested one is recorded, and stops the gate", () => {
    const machine = gate()
    appendEvents(machine, group("g1", "main", 1), checks("g1", green))
    appendEvents(machine, { kind: "group_landed", id: "g1", sha: "m1", tree: "other" })
    const audits = machine.log.flatMap(({ event }) => (event.kind === "tree_audited" ? [event] : []))
    assert.deepStrictEqual(
      audits.map(({ landed, members, outcome, tested }) => ({ landed, members, outcome, tested })),
      [{ landed: "other", members: [member(1)], outcome: "mismatch", tested: "tree-g1" }]
    )
    assert.match(machine.state.pause?.reason ?? "", /^tree_mismatch/u)
    appendEvents(machine, group("g2", "m1", 2), checks("g2", green))
    assert.match(shown(machine, "g2"), /^in_progress Paused by lazaret/u)
  })

  it("(38) in mirror mode a mismatch is recorded, and pauses nothing", () => {
    const machine = gate({ mode: "mirror" })
    appendEvents(machine, group("g1", "main", 1), { kind: "group_landed", id: "g1", sha: "m1", tree: "other" })
    assert.strictEqual(machine.log.at(-1)?.event.kind, "tree_audited")
    assert.isNull(machine.state.pause)
    assert.deepStrictEqual(commandsOf(machine), [])
  })

  it("a group that lands as it was tested is audited once, and one that was never seen is untested", () => {
    const machine = gate({ mode: "mirror" })
    appendEvents(machine, group("g1", "main", 1), { kind: "group_landed", id: "g1", sha: "m1", tree: "tree-g1" })
    appendEvents(machine, { kind: "group_landed", id: "g9", sha: "m2", tree: "tree-g9" })
    appendEvents(machine)
    const outcomes = machine.log.flatMap(({ event }) => (event.kind === "tree_audited" ? [event.outcome] : []))
    assert.deepStrictEqual(outcomes, ["equal", "untested"])
  })

  it("(41) a required check that never appears fails the group as missing where no incident is held", () => {
    const machine = gate({ incident: { ...configuration.incident, action: "none" } })
    const quiet = () => checks("g1", { unit: "success" }, 1, false)
    appendEvents(machine, group("g1", "main", 1), quiet())
    assert.strictEqual(machine.wakeAt, machine.now + 15 * Instant.minute)
    advance(machine, machine.wakeAt ?? 0)
    assert.match(shown(machine, "g1"), /^in_progress/u)
    appendEvents(machine, quiet())
    assert.strictEqual(shown(machine, "g1"), "failure e2e never started")
    assert.deepInclude(reasonOf(machine, "g1"), { code: "missing_check", checks: ["e2e"] })
  })

  it("(42) skipped and neutral required checks count, unless the configuration refuses them", () => {
    const skipped = { unit: "skipped", e2e: "neutral" } as const
    const strict = gate({ acceptSkipped: false })
    appendEvents(strict, group("g1", "main", 1), checks("g1", skipped))
    assert.notMatch(shown(strict, "g1"), /^success/u)
    const lenient = gate()
    appendEvents(lenient, group("g1", "main", 1), checks("g1", skipped))
    assert.match(shown(lenient, "g1"), /^success/u)
  })

  it("(43) the gate's own check in the required set is ignored", () => {
    const machine = gate({ requiredChecks: ["unit", "e2e", "lazaret/queue"] })
    appendEvents(machine, group("g1", "main", 1), checks("g1", green))
    assert.match(shown(machine, "g1"), /^success/u)
  })

  it("(47) a run that was cancelled is infrastructure: it is run again without charge", () => {
    const machine = gate({ rerun: { perRound: 1, perPullRequest: 0, shareOfRounds: 0 } })
    appendEvents(machine, group("g1", "main", 1), checks("g1", { unit: "cancelled", e2e: "success" }))
    assert.deepInclude(issued(machine, "rerun")[0], { sha: "g1", attempt: 1, checks: ["unit"] })
    appendEvents(machine, checks("g1", { unit: "success", e2e: "success" }, 2))
    assert.match(shown(machine, "g1"), /^success/u)
  })

  it("(49) doubled and reordered snapshots change nothing", () => {
    const machine = gate()
    const pending = checks("g1", { unit: "pending", e2e: "pending" })
    const passed = checks("g1", green)
    appendEvents(machine, group("g1", "main", 1), passed, pending, passed, group("g1", "main", 1))
    assert.match(shown(machine, "g1"), /^success/u)
    assert.strictEqual(machine.state.groups.length, 1)
  })

  it("(59) nothing passes during a pause, and what was green passes when it ends", () => {
    const machine = gate()
    appendEvents(machine, group("g1", "main", 1), paused)
    appendEvents(machine, checks("g1", green))
    assert.strictEqual(shown(machine, "g1"), "in_progress Paused by ana: release")
    appendEvents(machine, resumed)
    assert.match(shown(machine, "g1"), /^success/u)
  })

  it("(60) what the platform gave up on during a pause is queued again on resume, in order, once", () => {
    const machine = gate()
    appendEvents(machine, group("g1", "main", 1), group("g2", "g1", 2), paused)
    const evicted = (number: number) => ({ kind: "evicted", member: member(number), cause: "checks_timeout" }) as const
    appendEvents(machine, evicted(2), evicted(1), evicted(1))
    assert.deepStrictEqual(issued(machine, "enqueue"), [])
    appendEvents(machine, resumed)
    for (let round = 0; round < 4; round++) answer(machine)
    assert.deepStrictEqual(
      issued(machine, "enqueue").map((command) => command.member),
      [member(1), member(2)]
    )
  })

  it("(60) a timeout outside a pause queues nothing again", () => {
    const machine = gate()
    appendEvents(machine, group("g1", "main", 1))
    appendEvents(machine, { kind: "evicted", member: member(1), cause: "checks_timeout" })
    assert.deepStrictEqual(issued(machine, "enqueue"), [])
  })

  it("(61) three unrelated groups that fail alike are held, and the first that passes ends it", () => {
    const machine = gate()
    for (const number of [1, 2, 3]) {
      appendEvents(machine, group(`g${number}`, "main", number))
      appendEvents(machine, checks(`g${number}`, red), reports(`g${number}`, "unknown"))
      appendEvents(machine, checks(`g${number}`, red, 2), reports(`g${number}`, "unknown", { attempt: 2 }))
    }
    assert.isNotNull(machine.state.incident)
    assert.strictEqual(shown(machine, "g3"), "in_progress Held: unrelated groups fail alike")
    appendEvents(machine, group("g4", "main", 4), checks("g4", green))
    assert.isNull(machine.state.incident)
    assert.strictEqual(shown(machine, "g3"), "in_progress Running again")
  })

  it("(62) a flaky failure is run again, and its first attempt stays known", () => {
    const machine = gate()
    appendEvents(machine, group("g1", "main", 1), checks("g1", red), reports("g1", "flaky"))
    assert.deepInclude(issued(machine, "rerun")[0], { sha: "g1", attempt: 1, checks: ["unit"] })
    appendEvents(machine, checks("g1", red))
    assert.strictEqual(shown(machine, "g1"), "in_progress Running again")
    appendEvents(machine, checks("g1", green, 2))
    assert.strictEqual(shown(machine, "g1"), "success The required checks passed after 2 attempts")
    assert.deepInclude(machine.state.groups[0]?.round.reds[0], { attempt: 1, checks: ["unit"], class: "flaky" })
  })

  it("(63) a third flaky failure finds the budget used up", () => {
    const machine = gate()
    appendEvents(machine, group("g1", "main", 1))
    for (const attempt of [1, 2, 3]) {
      appendEvents(machine, checks("g1", red, attempt), reports("g1", "flaky", { attempt }))
    }
    assert.strictEqual(issued(machine, "rerun").length, 2)
    assert.deepInclude(reasonOf(machine, "g1"), { code: "checks_failed", class: "flaky", attempts: 3 })
  })

  it("(64) a real failure, such as that of a new test, is not run again", () => {
    const machine = gate()
    appendEvents(machine, group("g1", "main", 1), checks("g1", red), reports("g1", "real"))
    assert.deepStrictEqual(issued(machine, "rerun"), [])
    assert.match(shown(machine, "g1"), /^failure/u)
  })

  it("(65) a real failure next to a flaky one is real", () => {
    const machine = gate()
    const flaky = { check: "unit", test: "a", class: "flaky", probability: 0.9 } as const
    const real = { check: "unit", test: "b", class: "real", probability: 0.1 } as const
    appendEvents(machine, group("g1", "main", 1), checks("g1", red))
    appendEvents(machine, { kind: "reports_seen", sha: "g1", attempt: 1, failures: [flaky, real] })
    assert.match(shown(machine, "g1"), /^failure/u)
  })

  it("an unknown failure runs again once, but not one in which a larger group with the pull request failed", () => {
    const machine = gate()
    const fails = (sha: string, test: string): ReadonlyArray<EngineEvent.EngineEvent> => [
      checks(sha, red),
      { kind: "reports_seen", sha, attempt: 1, failures: [{ check: "unit", test, class: "unknown", probability: 0.5 }] }
    ]
    appendEvents(machine, group("g1", "main", 1, 2), ...fails("g1", "logs in"))
    appendEvents(machine, { kind: "group_gone", id: "g1", cause: "dequeued" })
    appendEvents(machine, group("g2", "main", 1), ...fails("g2", "logs in"))
    assert.match(shown(machine, "g2"), /^failure/u)
    appendEvents(machine, { kind: "group_gone", id: "g2", cause: "dequeued" })
    appendEvents(machine, group("g3", "main", 2), ...fails("g3", "logs out"))
    assert.strictEqual(shown(machine, "g3"), "in_progress Running again")
    assert.deepStrictEqual(
      issued(machine, "rerun").map(({ sha }) => sha),
      ["g3"]
    )
  })

  it("(66) a retry after an eviction queues the same head once, not in a loop", () => {
    const machine = gate()
    const evicted = { kind: "evicted", member: member(1), cause: "checks_failed" } as const
    const retry = { kind: "retry_asked", number: 1, by: "ana" } as const
    appendEvents(machine, evicted)
    appendEvents(machine, retry)
    answer(machine)
    appendEvents(machine, retry)
    assert.deepStrictEqual(
      issued(machine, "enqueue").map((command) => command.member),
      [member(1)]
    )
    appendEvents(machine, evicted)
    assert.strictEqual(issued(machine, "enqueue").length, 1)
  })

  it("(68) members of a failed group that the platform keeps are taken out after five minutes", () => {
    const machine = gate()
    appendEvents(machine, group("g1", "main", 1, 2), checks("g1", red), reports("g1", "real"))
    assert.strictEqual(machine.wakeAt, machine.now + 5 * Instant.minute)
    advance(machine, machine.wakeAt ?? 0)
    answer(machine)
    advance(machine, machine.now + Instant.hour)
    assert.deepStrictEqual(
      issued(machine, "dequeue").map(({ number }) => number),
      [1, 2]
    )
  })

  it("(69) the runs of a group that the platform threw away are cancelled once", () => {
    const machine = gate()
    appendEvents(machine, group("g1", "main", 1), { kind: "group_gone", id: "g1", cause: "invalidated" })
    answer(machine)
    appendEvents(machine, checks("g1", green))
    assert.deepStrictEqual(
      issued(machine, "cancel").map(({ sha }) => sha),
      ["g1"]
    )
    assert.notMatch(shown(machine, "g1"), /^success/u)
  })

  it("a rerun that could not end before the platform gives up is not begun", () => {
    const machine = gate()
    appendEvents(machine, group("g1", "main", 1))
    advance(machine, machine.now + 40 * Instant.minute)
    appendEvents(machine, checks("g1", red), reports("g1", "flaky"))
    assert.deepStrictEqual(issued(machine, "rerun"), [])
    assert.match(shown(machine, "g1"), /^failure/u)
  })

  it("a failure without a report is judged after a minute", () => {
    const machine = gate({ rerun: { perRound: 0, perPullRequest: 0, shareOfRounds: 0 } })
    appendEvents(machine, group("g1", "main", 1), checks("g1", red))
    assert.match(shown(machine, "g1"), /^in_progress/u)
    assert.strictEqual(machine.wakeAt, machine.now + Instant.minute)
    advance(machine, machine.wakeAt ?? 0)
    assert.match(shown(machine, "g1"), /^failure/u)
  })
})
