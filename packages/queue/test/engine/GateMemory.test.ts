import { assert, describe, it } from "@effect/vitest"
import { Instant } from "@lazaret/domain"
import { EngineCommand, EngineLog, EngineView, MergeQueue, QueueRule } from "@lazaret/queue"
import { advance, appendEvents, type Machine } from "@lazaret/queue/testing"
import { initial, withRemoval } from "../../src/engine/EngineState.ts"
import { checks, configuration, gate, green, group, issued, member, red, reports } from "./support/GateStory.ts"

const sentences = ({ log }: Machine): ReadonlyArray<string> => {
  const known = EngineLog.names(log)
  return log.flatMap((logged) => EngineLog.line(logged, known)?.sentence ?? [])
}

const failed = (changes: Parameters<typeof gate>[0] = {}): Machine => {
  const machine = gate(changes)
  appendEvents(machine, group("g1", "main", 1), checks("g1", red), reports("g1", "real"))
  return machine
}

const explained = (machine: Machine, shadow: boolean) =>
  EngineView.of(
    { ...machine.state, configuration: { digest: "d", mode: "gate", shadow } },
    { ...configuration, shadow },
    machine.now
  ).groups.map(({ explanation }) => explanation)

describe("what a gate says about a group", () => {
  it("the log names the checks and tests that failed", () => {
    const [sentence] = sentences(failed()).filter((each) => each.includes("failed"))
    assert.match(sentence ?? "", /unit \(logs in\) failed/u)
    assert.notMatch(sentence ?? "", /a required check/u)
  })

  it("the log says that a mode is in the shadow where it could act", () => {
    const said = (["off", "mirror", "gate", "drive"] as const).flatMap((mode) =>
      [true, false].map((shadow) => {
        const event = { kind: "config_read", digest: "d", mode, shadow } as const
        return EngineLog.line({ seq: 1, at: 0, event }, EngineLog.names([]))?.sentence
      })
    )
    assert.deepStrictEqual(said, [
      "The mode is off.",
      "The mode is off.",
      "The mode is mirror.",
      "The mode is mirror.",
      "The mode is gate, in the shadow.",
      "The mode is gate.",
      "The mode is drive, in the shadow.",
      "The mode is drive."
    ])
  })

  it("a group that was decided says so, and in the shadow what would have been decided", () => {
    for (const shadow of [false, true]) {
      const machine = gate({ shadow })
      appendEvents(machine, group("g1", "main", 1), checks("g1", green))
      assert.deepStrictEqual(explained(machine, shadow), [shadow ? "It would pass the gate." : "It passed the gate."])
      const [explanation] = explained(failed({ shadow }), shadow)
      assert.match(explanation ?? "", shadow ? /^It would fail the gate\. unit/u : /^It failed the gate\. unit/u)
    }
  })

  it("a group that waits names the checks that are not over", () => {
    const machine = gate()
    appendEvents(machine, group("g1", "main", 1), checks("g1", { unit: "success", e2e: "pending" }))
    const [explanation] = explained(machine, false)
    assert.match(explanation ?? "", /: e2e\.$/u)
  })
})

describe("what a gate remembers", () => {
  it("reruns and rounds count for a day", () => {
    for (const [later, kept] of [
      [Instant.day - 1, 1],
      [Instant.day, 0]
    ] as const) {
      const machine = gate({ responseTimeout: 10 * Instant.day })
      appendEvents(machine, group("g1", "main", 1), checks("g1", red), reports("g1", "flaky"))
      assert.lengthOf(machine.state.reruns, 1)
      machine.now += later
      appendEvents(machine, group("g2", "g1", 2), checks("g2", red), reports("g2", "flaky"))
      assert.lengthOf(machine.state.reruns, kept + 1)
    }
  })

  it("a pull request that left is remembered once, with the time at which it was first seen to leave", () => {
    const machine = gate()
    const left = (number: number) => ({ kind: "evicted", member: member(number), cause: "other" }) as const
    const first = machine.now
    appendEvents(machine, left(1))
    advance(machine, first + 1000)
    appendEvents(machine, left(2))
    advance(machine, first + 2000)
    appendEvents(machine, left(1))
    const remembered = machine.state.evicted.map(({ at, number, since }) => [number, at - first, since - first])
    assert.deepStrictEqual(remembered, [
      [2, 1000, 1000],
      [1, 0, 0]
    ])
  })

  it("the last removal of a pull request counts, and those of others stay", () => {
    const removal = (number: number, who: string) => ({ number, reason: { code: "dequeued_by", who } as const })
    const removals = [removal(1, "ana"), removal(2, "bob")]
    const after = withRemoval({ ...initial, removals }, removal(1, "eve"))
    assert.deepStrictEqual(after, [removal(2, "bob"), removal(1, "eve")])
  })

  it("a run of the group ahead does not show that the platform lost the run of the group behind", () => {
    const machine = gate()
    appendEvents(machine, { kind: "queue_seen", members: [member(1), member(2)] })
    appendEvents(machine, group("g1", "main", 1), group("g2", "g1", 2), checks("g1", { unit: "pending" }, 1, true))
    appendEvents(machine, checks("g2", {}, 1, false))
    machine.now += 10 * Instant.minute
    appendEvents(machine, checks("g2", {}, 1, false))
    assert.deepStrictEqual(issued(machine, "dequeue"), [])
  })
})

describe("commands of an engine", () => {
  it("reads change nothing, and a gate gives no write that is answered", () => {
    // Only the kind of a command decides.
    const of = (kind: EngineCommand.EngineCommand["kind"]) => ({ kind }) as EngineCommand.EngineCommand
    const plain = ["discard", "rerun", "set_check", "cancel", "tell", "enqueue", "dequeue"] as const
    const answered = ["build", "publish", "land", "merge"] as const
    for (const kind of plain) assert.isTrue(EngineCommand.isPlainWrite(of(kind)), kind)
    for (const kind of answered) {
      assert.deepStrictEqual(
        [EngineCommand.isWrite(of(kind)), EngineCommand.isPlainWrite(of(kind))],
        [true, false],
        kind
      )
    }
    assert.deepStrictEqual([EngineCommand.isWrite(of("read")), EngineCommand.isPlainWrite(of("read"))], [false, false])
  })
})

describe("the queue that a feed reports", () => {
  it("an event before the last one is late, and the same one again a duplicate; both change nothing", () => {
    const queued = (id: string, at: number) => ({ kind: "queued", id, at, branch: "main", pullRequest: at }) as const
    const { queue } = MergeQueue.step(MergeQueue.empty, queued("e5", 5))
    for (const [event, reason] of [
      [queued("e4", 4), "late"],
      [queued("e5", 5), "duplicate"]
    ] as const) {
      const stepped = MergeQueue.step(queue, event)
      assert.strictEqual(stepped.queue, queue)
      assert.deepInclude(stepped.outcome, { reason })
    }
  })

  it("a rule that sets nothing merges pull requests one by one, in place, without a limit of time", () => {
    assert.deepStrictEqual(QueueRule.defaults, {
      batchSize: 1,
      batchMaxWaitTime: 30,
      batchMaxFailureResolutionAttempts: null,
      allowInplaceChecks: true,
      allowQueueBranchEdit: false,
      checksTimeout: null,
      commitMessageTemplate: null,
      draftBotAccount: null,
      mergeBotAccount: null,
      mergeMethod: "merge",
      queueBranchMergeMethod: null,
      queueBranchPrefix: "gh-readonly-queue/",
      updateBotAccount: null,
      updateMethod: "merge"
    })
  })
})
