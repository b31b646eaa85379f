import { assert, describe, it } from "@effect/vitest"
import { Instant } from "@lazaret/domain"
import {
  EngineConfiguration,
  type EngineEvent,
  EngineFold,
  type EngineState,
  EngineView,
  Savings
} from "@lazaret/queue"
import * as Batch from "../../src/engine/Batch.ts"
import * as DriveView from "../../src/engine/DriveView.ts"
import * as Entry from "../../src/engine/Entry.ts"
import * as Fates from "../../src/engine/Fates.ts"
import * as Healing from "../../src/engine/Healing.ts"
import * as Round from "../../src/engine/Round.ts"
import * as Shadow from "../../src/engine/Shadow.ts"
import * as Work from "../../src/engine/Work.ts"
import { batch, command, group as bare, member, state, tip } from "./support/Fold.ts"
import { decided, pull, ready } from "./support/Passes.ts"

const now = 10 * Instant.day

/** A group of which nothing was decided. */
const group = (id: string, fields: Readonly<Record<string, unknown>> = {}) =>
  bare(id, { failed: null, reason: null, ...fields })

const gate = { mode: "gate", requiredChecks: ["unit"] } as const

const redOf = (of: "flaky" | "real" | "infrastructure" | "unknown") =>
  ({ checks: ["unit"], failures: [{ check: "unit", test: "sorts", class: of, probability: null }], class: of }) as const

/** A round of a group in which checks ended. */
const roundOf = (checks: Readonly<Record<string, string>>, parts: Partial<Round.Round> = {}): Round.Round =>
  // A round has these checks once they were read.
  ({
    ...Round.begin("g", "t", 0),
    checks: Object.entries(checks).map(([name, said]) => ({
      name,
      state: said,
      attempt: 1,
      url: `https://ci.example/${name}`
    })),
    ...parts
  }) as Round.Round

/** The reports of a failure that is judged real. */
const reported: Partial<Round.Round> = { reports: redOf("real").failures, redAt: 0 }

const evicted = (fields: Partial<EngineState.Evicted> = {}): EngineState.Evicted => ({
  ...member(1),
  cause: "checks_failed",
  by: null,
  at: now,
  since: 0,
  ...fields
})

const fates = (
  fields: Partial<EngineState.EngineState>,
  { at = now, ...configuration }: Partial<EngineConfiguration.EngineConfiguration> & { readonly at?: number } = {}
) => {
  const { events, wakeAt } = decided(Fates.pass, fields, { ...gate, ...configuration }, at)
  return {
    fates: events.flatMap((event) => (event.kind === "fate" ? [event] : [])),
    isReported: events.some((event) => event.kind === "issued"),
    wakeAt
  }
}

describe("Fates.pass, evictions", () => {
  const one = (
    of: Partial<EngineState.Evicted>,
    fields: Partial<EngineState.EngineState> = {},
    more: Parameters<typeof fates>[1] = {}
  ) => fates({ evicted: [evicted(of)], ...fields }, more).fates[0]

  it("an eviction is decided once, within the hour, and those of unknown cause after ten minutes", () => {
    assert.lengthOf(fates({ evicted: [evicted()], fates: [`evicted/1/${now}`] }).fates, 0)
    const late = (age: number) => fates({ evicted: [evicted()] }, { at: now + age }).fates.length
    assert.deepStrictEqual([late(Instant.hour), late(Instant.hour + 1)], [1, 0])
    const unknown = (age: number) => {
      const { fates: found, wakeAt } = fates({ evicted: [evicted({ cause: "unknown" })] }, { at: now + age })
      return [found.length, wakeAt]
    }
    assert.deepStrictEqual(unknown(Fates.reasonLag - 1), [0, now + Fates.reasonLag])
    assert.deepStrictEqual(unknown(Fates.reasonLag), [1, null])
  })

  it("the last group that held it is its group, with what failed there, the page of the check and the attempts", () => {
    const failed = roundOf({ unit: "failure" }, { ...reported, attempt: 2 })
    const groups = [
      group("old"),
      group("g", { members: [member(5), member(1)], seenAt: now - 60, round: failed }),
      group("other", { members: [member(7)] })
    ]
    const fate = one({}, { groups })
    assert.deepInclude(fate, {
      reason: "checks_failed",
      outcome: "evicted",
      group: "g",
      checks: ["unit"],
      attempts: 2,
      url: "https://ci.example/unit",
      by: null,
      isSaved: false,
      wasted: 60
    })
    assert.deepInclude(one({}), { group: null, checks: [], attempts: 1, url: null, wasted: 0 })
  })

  it("what the gate had decided about the group counts before its checks", () => {
    const reason = { code: "checks_failed", checks: ["e2e"], failures: [], class: "real" } as const
    const groups = [group("g", { round: roundOf({ unit: "failure" }), reason, failed: null })]
    assert.deepInclude(one({}, { groups }), { checks: ["e2e"], class: "real" })
    const missing = { ...reason, code: "missing_check" } as const
    assert.strictEqual(one({}, { groups: [group("g", { reason: missing, failed: null })] })?.reason, "missing_check")
    assert.strictEqual(
      one({ cause: "conflict" }, { groups: [group("g", { reason: missing, failed: null })] })?.reason,
      "conflict"
    )
    const reds = [redOf("flaky"), redOf("real")].map((red) => ({ ...red, attempt: 1 }))
    const round = roundOf({ unit: "pending" }, { reds: reds as unknown as Round.Round["reds"] })
    assert.deepInclude(one({}, { groups: [group("g", { round, reason: null, failed: null })] }), {
      checks: ["unit"],
      class: "real"
    })
  })

  it("the reason is that of the engine where it took the pull request out itself, and a person is named", () => {
    const removals = (reason: EngineState.Removal["reason"]) =>
      ({
        removals: [
          { number: 9, reason: { code: "closed" } },
          { number: 1, reason }
        ]
      }) as const
    const own = (cause: EngineState.Evicted["cause"], reason: EngineState.Removal["reason"]) => {
      const fate = one({ cause, by: "bot", at: now - Fates.reasonLag }, removals(reason))
      return [fate?.reason, fate?.by]
    }
    for (const cause of ["by_hand", "other", "unknown"] as const) {
      assert.deepStrictEqual(own(cause, { code: "conflict" }), ["conflict", null])
      assert.deepStrictEqual(own(cause, { code: "dequeued_by", who: "ana" }), ["by_hand", "ana"])
    }
    assert.deepStrictEqual(own("closed", { code: "conflict" }), ["closed", null])
    assert.deepStrictEqual(own("by_hand", { code: "closed" }), ["by_hand", "bot"])
    assert.deepStrictEqual(own("other", { code: "closed" }), ["other", null])
  })

  it("what a person asked for is not reported, and a conflict has no evidence of checks", () => {
    const groups = [group("g", { seenAt: now - 60, round: roundOf({ unit: "failure" }, reported) })]
    const of = (cause: EngineState.Evicted["cause"]) => {
      const { fates: found, isReported } = fates({ evicted: [evicted({ cause })], groups })
      return [found[0]?.checks, found[0]?.wasted, isReported]
    }
    assert.deepStrictEqual(of("checks_failed"), [["unit"], 60, true])
    assert.deepStrictEqual(of("conflict"), [[], 60, true])
    assert.deepStrictEqual(of("by_hand"), [[], 0, false])
    assert.deepStrictEqual(of("closed"), [[], 0, false])
    assert.isFalse(fates({ evicted: [evicted()], groups }, { comments: "off" }).isReported)
  })

  it("a group and those behind it are wasted for as long as they had been tested", () => {
    const seen = (id: string, seenAt: number, number: number) =>
      group(id, { members: [member(number)], seenAt, round: roundOf({ unit: "failure" }) })
    const groups = [
      seen("before", now - 900, 9),
      seen("g", now - 60, 1),
      seen("behind", now - 20, 3),
      seen("now", now, 4),
      seen("late", now + 5, 5)
    ]
    assert.strictEqual(one({}, { groups })?.wasted, 80)
  })
})

describe("Fates.pass, the shadow", () => {
  const shadow = { shadow: true } as const
  const kept = (
    round: Round.Round,
    parts: Readonly<Record<string, unknown>> = {},
    fields: Partial<EngineState.EngineState> = {},
    cause: EngineState.Evicted["cause"] = "checks_failed"
  ) => {
    const groups = [group("g", { round, failed: null, reason: null, ...parts })]
    return fates({ evicted: [evicted({ cause })], groups, ...fields }, { ...shadow, at: now + Fates.evidenceLag })
      .fates[0]?.isSaved
  }

  it("a gate in the shadow would have kept what it had decided to run again, or to queue again", () => {
    const reds = [redOf("real")] as unknown as Round.Round["reds"]
    assert.isFalse(kept(roundOf({ unit: "failure" })))
    assert.isTrue(kept(roundOf({ unit: "failure" }, { reds })))
    assert.isFalse(kept(roundOf({ unit: "failure" }, { reds }), { concluded: "failure" }))
    for (const [of, isSaved] of [
      ["flaky", true],
      ["infrastructure", true],
      ["real", false],
      ["unknown", false]
    ] as const) {
      assert.strictEqual(kept(roundOf({ unit: "failure" }), { failed: redOf(of) }), isSaved, of)
    }
    assert.isFalse(kept(roundOf({ unit: "failure" }), { failed: redOf("flaky") }, {}, "conflict"))
    const healed = [
      { ...member(8), group: "x", checks: [] },
      { ...member(1), group: "g", checks: [] }
    ]
    assert.isTrue(kept(roundOf({}), {}, { healed }, "checks_timeout"))
    assert.isFalse(kept(roundOf({}), {}, { healed: healed.slice(0, 1) }, "checks_timeout"))
    assert.isFalse(kept(roundOf({}), {}, {}, "checks_timeout"))
  })

  it("without evidence it waits five minutes for the reports, unless the group is decided", () => {
    const of = (
      age: number,
      parts: Readonly<Record<string, unknown>> = {},
      cause: EngineState.Evicted["cause"] = "checks_failed"
    ) => {
      const groups = [
        group("first", { reason: { code: "conflict" } }),
        group("g", { members: [member(5), member(1)], failed: null, reason: null, ...parts })
      ]
      const { fates: found, wakeAt } = fates({ evicted: [evicted({ cause })], groups }, { ...shadow, at: now + age })
      return [found.length, wakeAt]
    }
    assert.deepStrictEqual(of(Fates.evidenceLag - 1), [0, now + Fates.evidenceLag])
    assert.deepStrictEqual(of(Fates.evidenceLag), [1, null])
    assert.deepStrictEqual(of(0, {}, "conflict"), [1, null])
    assert.deepStrictEqual(of(0, { reason: { code: "checks_failed", class: "real" } }), [1, null])
    assert.isFalse(
      Fates.isAwaited(state({ fates: [`evicted/1/${now}`], groups: [group("g", { reason: null })] }), evicted(), now)
    )
  })

  it("nothing is repaired in the shadow", () => {
    const reds = [redOf("flaky")] as unknown as Round.Round["reds"]
    const passed = group("g", {
      concluded: "success",
      concludedAt: now,
      round: roundOf({ unit: "success" }, { reds }),
      seenAt: 0,
      rerunAt: now
    })
    assert.lengthOf(fates({ groups: [passed] }, shadow).fates, 0)
    assert.lengthOf(fates({ groups: [passed] }).fates, 1)
  })
})

describe("Fates.pass, repairs", () => {
  const reds = [redOf("real"), redOf("flaky")] as unknown as Round.Round["reds"]
  const passed = (parts: Readonly<Record<string, unknown>> = {}, round: Partial<Round.Round> = {}) =>
    group("g", {
      concluded: "success",
      concludedAt: now,
      seenAt: now - 90,
      rerunAt: now - 40,
      members: [member(1), member(2)],
      round: roundOf({ unit: "success" }, { reds, attempt: 3, ...round }),
      ...parts
    })

  it("each member of a group that passed after failures was kept, with the last class and the time until the rerun", () => {
    const found = fates({ groups: [passed()], fates: ["passed/g/1"] }).fates
    assert.lengthOf(found, 1)
    assert.deepInclude(found[0], {
      number: 2,
      reason: "rerun_passed",
      class: "flaky",
      checks: ["unit"],
      attempts: 3,
      isSaved: true,
      wasted: 50,
      group: "g"
    })
    assert.lengthOf(fates({ groups: [passed({ concluded: "failure" })] }).fates, 0)
    assert.lengthOf(fates({ groups: [passed({}, { reds: [] })] }).fates, 0)
    const late = (age: number) => fates({ groups: [passed({ concludedAt: now - age })] }).fates.length
    assert.deepStrictEqual([late(Instant.hour), late(Instant.hour + 1)], [2, 0])
  })

  it("one that was queued again without a request is a repair once it is in the queue, within a day", () => {
    const returned = (fields: Partial<EngineState.Parked>, queue = [member(8), member(1)], at = now) => {
      const healed = [
        { number: 1, head: "old", group: "x", checks: ["e2e"] },
        { ...member(1), group: "g", checks: ["unit"] }
      ]
      const parked: EngineState.Parked = { ...member(1), cause: "hold", pausedAt: now, place: 0, ...fields }
      return fates({ lastReenqueue: [parked], queue, healed }, { at }).fates[0]
    }
    assert.deepInclude(returned({}), {
      reason: "hold_over",
      group: null,
      checks: [],
      attempts: 1,
      isSaved: true,
      wasted: 0,
      url: null
    })
    assert.deepInclude(returned({ cause: "lost" }), { reason: "no_run", group: "g", checks: ["unit"] })
    assert.isUndefined(returned({ cause: "asked" }))
    assert.isUndefined(returned({}, [member(8)]))
    assert.isDefined(returned({}, [member(1)], now + Instant.day))
    assert.isUndefined(returned({}, [member(1)], now + Instant.day + 1))
  })
})

describe("Shadow.pass", () => {
  const head = (
    number: number,
    said: string,
    parts: Partial<Round.Round> = {}
  ): EngineState.EngineState["heads"][number] => ({
    number,
    sha: `h${number}`,
    round: { ...roundOf({ unit: said }, parts), sha: `h${number}` }
  })
  const said = (heads: ReadonlyArray<EngineState.EngineState["heads"][number]>, reruns: ReadonlyArray<string> = []) => {
    const batches = [Batch.make("a", "default", [member(1), member(2)])]
    const foresight = { ...state().foresight, reruns }
    const { events } = decided(
      Shadow.pass,
      { batches, heads, foresight },
      { shadow: true, requiredChecks: ["unit"] },
      now
    )
    return events.map((event) =>
      event.kind === "batch_foreseen"
        ? `${event.outcome} ${event.members.map(({ number }) => number).join(" ")}`
        : event.kind
    )
  }
  const judged = (of: "real" | "flaky") => ({ reports: redOf(of).failures, redAt: 0 }) as Partial<Round.Round>

  it("a batch would have landed when the head of each member passed", () => {
    assert.deepStrictEqual(said([head(2, "success"), head(1, "success")]), ["landed 1 2"])
    assert.deepStrictEqual(said([head(1, "success")]), [])
    assert.deepStrictEqual(said([head(1, "success"), head(2, "pending")]), [])
    assert.deepStrictEqual(said([head(1, "success"), { ...head(2, "success"), sha: "old" }]), [])
  })

  it("a failure would have run again once, and the others of its batch are judged meanwhile", () => {
    const [first] = said([head(1, "success"), head(2, "failure", judged("flaky"))])
    assert.strictEqual(first, "rerun 2")
    assert.deepStrictEqual(said([head(1, "success"), head(2, "failure", judged("flaky"))], ["h2"]), [])
  })

  it("as many batches are planned as there are places, and one whose failure nobody runs again takes none", () => {
    const formed = (maxParallelChecks: number, reruns: ReadonlyArray<string> = []) =>
      decided(
        Shadow.pass,
        {
          batches: [Batch.make("x", "default", [member(8), member(9)])],
          entries: [ready(1), ready(2)],
          foresight: { ...state().foresight, reruns }
        },
        { shadow: true, maxParallelChecks },
        now
      ).events.length
    assert.deepStrictEqual([formed(1), formed(2), formed(3)], [0, 1, 2])
    assert.deepStrictEqual([formed(1, ["h9"]), formed(1, ["h1"])], [1, 0])
  })
})

describe("Healing", () => {
  const wait = EngineConfiguration.defaults.failures.missingAfter / 3
  const lost = group("lost", { members: [member(1), member(2)], round: Round.begin("lost", "t", 0) })
  const begun = group("begun", { members: [member(3)], round: { ...roundOf({ unit: "pending" }), sha: "begun" } })
  const heal = (fields: Partial<EngineState.EngineState> = {}, at = wait) => {
    const all: Partial<EngineState.EngineState> = { groups: [lost, begun], ...fields }
    let isHealing = false
    const { events, wakeAt } = decided((work) => void (isHealing = Healing.heal(work, lost)), all, gate, at)
    return [isHealing, events.map((event) => (event.kind === "issued" ? event.command.id : event.kind)), wakeAt]
  }

  it("a group without runs is built again after a third of the time, where a later one has its runs", () => {
    assert.deepStrictEqual(heal(), [true, ["group_healed", "dequeue/1/lost", "dequeue/2/lost"], null])
    assert.deepStrictEqual(heal({}, wait - 1), [false, [], wait])
    assert.deepStrictEqual(heal({ groups: [lost] }), [false, [], null])
    assert.deepStrictEqual(heal({ groups: [begun, lost] }), [false, [], null])
  })

  it("a group that is being built again stays so, and a pull request is put back for it once", () => {
    assert.deepStrictEqual(heal({ healed: [{ ...member(9), group: "lost", checks: [] }] }), [true, [], null])
    assert.deepStrictEqual(heal({ healed: [{ ...member(2), group: "x", checks: [] }] }), [false, [], null])
    const removed = (reason: EngineState.Removal["reason"]) => heal({ removals: [{ number: 2, reason }] })[0]
    assert.isFalse(removed({ code: "dequeued_by", who: "ana" }))
    assert.isTrue(removed({ code: "conflict" }))
    assert.strictEqual(heal({ healed: [{ number: 2, head: "old", group: "x", checks: [] }] })[0], true)
    assert.strictEqual(heal({ healed: [{ number: 7, head: "h2", group: "x", checks: [] }] })[0], true)
  })

  it("a conflict is taken out after two reads, once, and not in a pause", () => {
    const taken = (reads: number, fields: Partial<EngineState.EngineState> = {}) =>
      decided((work) => Healing.removeConflict(work, { ...member(1), at: 5, reads }), fields, gate).events.map(
        (event) => (event.kind === "issued" ? event.command.id : event.kind)
      )
    assert.deepStrictEqual(taken(2), ["entry_removed", "dequeue/1/conflict/5"])
    assert.deepStrictEqual([taken(1), taken(2, { pause: { at: 0, by: "ana", reason: "release" } })], [[], []])
    const sent = { command: { ...command("dequeue", { number: 1 }) }, tries: 0, notBefore: 0, refusal: null }
    assert.deepStrictEqual(taken(2, { inflight: [sent] }), [])
  })
})

describe("EngineFold, the queue of the platform", () => {
  const step = (fields: Partial<EngineState.EngineState>, event: EngineEvent.EngineEvent, at = 50) =>
    EngineFold.step(state(fields), { seq: 1, at, event })
  const parkedOf = (number: number): EngineState.Parked => ({ ...member(number), cause: "hold", pausedAt: 0, place: 0 })

  it("one who is in the queue again is not evicted, entering or to be put back, and one who is not does not leave", () => {
    const fields: Partial<EngineState.EngineState> = {
      queue: [member(3)],
      evicted: [evicted(), evicted({ number: 9 })],
      parked: [parkedOf(1), parkedOf(3), parkedOf(9)],
      leaving: [1, 9].map((number) => ({ number, at: 0, by: "ana" })),
      removals: [1, 3, 9].map((number) => ({ number, reason: { code: "closed" } }))
    }
    const after = step(fields, { kind: "queue_seen", members: [member(2), member(1), member(3)] })
    const numbers = (list: ReadonlyArray<{ readonly number: number }>) => list.map(({ number }) => number)
    assert.deepStrictEqual([after.queue, after.evicted, after.parked, after.leaving, after.removals].map(numbers), [
      [2, 1, 3],
      [9],
      [3, 9],
      [1],
      [3, 9]
    ])
  })

  it("an eviction is remembered with the time since which its group was tested", () => {
    const groups = [
      group("old", { seenAt: 1 }),
      group("g", { members: [member(5), member(1)], seenAt: 7 }),
      group("x", { members: [member(9)], seenAt: 9 })
    ]
    const event: EngineEvent.EngineEvent = { kind: "evicted", member: member(1), cause: "closed" }
    assert.deepInclude(step({ groups }, event).evicted[0], { at: 50, since: 7 })
    assert.deepInclude(step({}, event).evicted[0], { at: 50, since: 50 })
    assert.deepInclude(step({ groups, evicted: [evicted({ at: 20, since: 3 })] }, event).evicted[0], {
      at: 20,
      since: 3,
      cause: "closed"
    })
  })

  it("reads of a conflict add up at one head, and end with a read without one", () => {
    const seen = (head: string, isConflict = true): EngineEvent.EngineEvent => ({
      kind: "conflict_seen",
      member: { number: 1, head },
      isConflict
    })
    const before = { ...member(1), at: 5, reads: 3 }
    const other = { ...member(2), at: 5, reads: 1 }
    const reads = (event: EngineEvent.EngineEvent) =>
      step({ conflicting: [other, before] }, event).conflicting.map((each) => [each.number, each.reads])
    assert.deepStrictEqual(reads(seen("h1")), [
      [2, 1],
      [1, 4]
    ])
    assert.deepStrictEqual(reads(seen("pushed")), [
      [2, 1],
      [1, 1]
    ])
    assert.deepStrictEqual(reads(seen("h1", false)), [[2, 1]])
  })

  it("one who is asked to leave is taken out of the queue of the platform once, and is not put into it", () => {
    const enqueue = (number: number) => ({
      command: { ...command("enqueue", { member: member(number) }), id: `e${number}` },
      tries: 0,
      notBefore: 0,
      refusal: null
    })
    const asked: EngineEvent.EngineEvent = { kind: "dequeue_asked", number: 1, by: "ana" }
    const leaving = (fields: Partial<EngineState.EngineState>) => {
      const after = step(fields, asked)
      return [
        after.leaving.map(({ by, number }) => `${number} ${by}`),
        after.removals.length,
        after.inflight.map((each) => each.command.id),
        after.parked.length
      ]
    }
    assert.deepStrictEqual(leaving({ queue: [member(2), member(1)], parked: [parkedOf(1), parkedOf(2)] }), [
      ["1 ana"],
      1,
      [],
      1
    ])
    assert.deepStrictEqual(leaving({ inflight: [enqueue(2), enqueue(1)] }), [["1 ana"], 1, ["e2"], 0])
    assert.deepStrictEqual(leaving({ queue: [member(2)], inflight: [enqueue(2)] }), [[], 0, ["e2"], 0])
    const twice = [
      { number: 2, at: 0, by: "bo" },
      { number: 1, at: 0, by: "bo" }
    ]
    assert.deepStrictEqual(leaving({ queue: [member(1)], leaving: twice }), [["2 bo", "1 bo"], 1, [], 0])
  })

  it("a retry puts the open head of one outside of the queue back, and does nothing where it is on its way", () => {
    const asked: EngineEvent.EngineEvent = { kind: "retry_asked", number: 1, by: "ana" }
    const head = { number: 1, sha: "now", round: Round.begin("now", "t", 0) }
    const twoLeave = [1, 2].map((number) => ({ number, at: 0, by: "ana" }))
    const parked = (fields: Partial<EngineState.EngineState>) => {
      const after = step(fields, asked)
      return [
        after.parked.map((each) => `${each.number} ${each.head} ${each.cause} ${each.place}`),
        after.evicted.length,
        after.leaving.length
      ]
    }
    assert.deepStrictEqual(
      parked({ heads: [head], evicted: [evicted(), evicted({ number: 2 })], leaving: twoLeave, groups: [group("g")] }),
      [["1 now asked 1"], 1, 1]
    )
    assert.deepStrictEqual(parked({ evicted: [evicted()] }), [["1 h1 asked 0"], 0, 0])
    assert.deepStrictEqual(parked({}), [[], 0, 0])
    assert.deepStrictEqual(parked({ heads: [head], queue: [member(1)] })[0], [])
    assert.deepStrictEqual(parked({ heads: [head], parked: [parkedOf(1)] })[0], ["1 h1 hold 0"])
    const sent = { command: command("enqueue", { member: member(1) }), tries: 0, notBefore: 0, refusal: null }
    assert.deepStrictEqual(parked({ heads: [head], inflight: [sent] })[0], [])
  })

  it("a gate whose shadow ends decides its open groups again, without those that it would have put back", () => {
    const configuration = { digest: "d", mode: "gate", shadow: true } as const
    const healed = [
      { ...member(3), group: "x", checks: [] },
      { ...member(2), group: "x", checks: [] }
    ]
    const decidedOnes = { concluded: "failure", concludedAt: 9, reason: { code: "conflict" } }
    const fields: Partial<EngineState.EngineState> = {
      configuration,
      healed,
      parked: [parkedOf(1), parkedOf(2)],
      groups: [group("g", decidedOnes), group("old", { ...decidedOnes, gone: "merged" })]
    }
    const read = (shadow: boolean): EngineEvent.EngineEvent => ({
      kind: "config_read",
      digest: "n",
      mode: "gate",
      shadow
    })
    const after = step(fields, read(false))
    assert.deepStrictEqual(
      after.parked.map(({ number }) => number),
      [1]
    )
    assert.deepInclude(after.groups[0], { concluded: null, reason: null })
    assert.deepInclude(after.groups[1], { concluded: "failure" })
    assert.isTrue(after.hasActed)
    assert.isFalse(step(fields, read(true)).hasActed)
    assert.isTrue(step({ hasActed: true }, read(true)).hasActed)
  })

  it("one who is landed is not queued again at another head, and a pause that ends counts for its length", () => {
    const asked: EngineEvent.EngineEvent = {
      kind: "queue_asked",
      number: 1,
      head: "new",
      rule: "default",
      priority: 0,
      by: "ana"
    }
    const headOf = (phase: Batch.Batch["phase"]) =>
      step({ entries: [ready(1)], batches: [batch("b", { phase })] }, asked).entries.map((each) => each.head)
    assert.deepStrictEqual([headOf("landing"), headOf("testing")], [["h1"], ["new"]])
    const ended: EngineEvent.EngineEvent = { kind: "pause_cleared", by: "ana" }
    const pause = { at: 20, by: "ana", reason: "release" }
    assert.strictEqual(step({ pause, pausedFor: 5 }, ended, 50).pausedFor, 35)
    assert.strictEqual(step({ pause, pausedFor: 5 }, ended, 10).pausedFor, 5)
  })

  it("a read of an open pull request begins a round of its head, once, and keeps those of others", () => {
    const head = (number: number, sha = `h${number}`) => ({
      number,
      sha,
      round: { ...Round.begin(sha, sha, 0), attempt: 4 }
    })
    const parked = [parkedOf(1), { ...parkedOf(1), head: "old" }, parkedOf(2)]
    const seen = (fields: Parameters<typeof pull>[1]) => {
      const after = step(
        { heads: [head(2), head(1)], parked, foresight: { ...state().foresight, left: [member(1)] } },
        { kind: "pull_seen", pull: pull(1, fields) }
      )
      return [
        after.heads.map((each) => `${each.number} ${each.sha} ${each.round.attempt}`),
        after.parked.map((each) => each.head),
        after.foresight.innocent
      ]
    }
    assert.deepStrictEqual(seen({}), [["2 h2 4", "1 h1 4"], ["h1", "old", "h2"], 0])
    assert.deepStrictEqual(seen({ head: "old" }), [["2 h2 4", "1 old 1"], ["old", "h2"], 0])
    assert.deepStrictEqual(seen({ state: "closed" }), [["2 h2 4"], ["h2"], 0])
    assert.deepStrictEqual(seen({ state: "merged" }), [["2 h2 4"], ["h2"], 1])
  })

  it("the tip of the base branch is that of its latest version, and a landing that it shows is done", () => {
    const seen = (version: number): EngineEvent.EngineEvent => ({
      kind: "base_seen",
      tip: tip("n", version),
      rewritten: true
    })
    const base = (version: number) => {
      const after = step({ base: tip("m", 3) }, seen(version))
      return [after.base?.sha, after.isRewritten]
    }
    assert.deepStrictEqual(
      [base(3), base(4)],
      [
        ["m", false],
        ["n", true]
      ]
    )
    const land = {
      command: command("land", { to: "n", members: [member(1)], batch: "b" }),
      tries: 0,
      notBefore: 0,
      refusal: null
    }
    const landed = step(
      { base: tip("m", 3), inflight: [land], entries: [ready(1)], batches: [batch("b", { phase: "landing" })] },
      seen(4)
    )
    assert.deepStrictEqual([landed.inflight.length, landed.entries.length, landed.isRewritten], [0, 0, false])
  })
})

describe("Entry and Work", () => {
  it("entries are ordered by starvation, priority, the priority of the rule, the time and the number", () => {
    const configuration = { ...EngineConfiguration.defaults, maxOvertakes: 3 }
    const sorted = (...entries: ReadonlyArray<Entry.Entry>) =>
      entries.toSorted(Entry.order(configuration)).map(({ number }) => number)
    const starving = { overtaken: 3, queuedAt: 9 }
    assert.deepStrictEqual(
      sorted(ready(1, { priority: 5 }), ready(2, starving), ready(3, { ...starving, queuedAt: 8 })),
      [3, 2, 1]
    )
    assert.deepStrictEqual(
      sorted(ready(2, { queuedAt: 4 }), ready(1, { queuedAt: 4 }), ready(3, { queuedAt: 4, priority: 1 })),
      [3, 1, 2]
    )
    assert.deepStrictEqual(sorted(ready(1, { overtaken: 2 }), ready(2, { priority: 1 })), [2, 1])
  })

  it("a snapshot of a pull request replaces an older one, and the first ready one sets the time", () => {
    const at = { clock: 40, base: "main" }
    const before = ready(1, { pull: pull(1, { version: 3, approved: false }), readyAt: null })
    assert.strictEqual(Entry.see(before, pull(1, { version: 3 }), at), before)
    assert.strictEqual(Entry.see(before, pull(1, { version: 2 }), at), before)
    assert.strictEqual(Entry.see(before, pull(1, { version: 4 }), at).readyAt, 40)
    assert.isNull(Entry.see(before, pull(1, { version: 4, draft: true }), at).readyAt)
    assert.strictEqual(Entry.see({ ...before, readyAt: 7 }, pull(1, { version: 4 }), at).readyAt, 7)
  })

  it("the earliest instant after now is asked for, in active time after the pauses, and not during one", () => {
    const woken = (fields: Partial<EngineState.EngineState>, pass: Work.Pass) => decided(pass, fields, {}, 10).wakeAt
    const wakes = (...instants: ReadonlyArray<number>) =>
      woken({}, (work) => instants.forEach((at) => Work.wake(work, at)))
    assert.deepStrictEqual([wakes(10), wakes(9), wakes(11), wakes(30, 20), wakes(20, 30)], [null, null, 11, 20, 20])
    const clock = (fields: Partial<EngineState.EngineState>) =>
      woken({ pausedFor: 5, ...fields }, (work) => Work.wakeAtClock(work, 20))
    assert.deepStrictEqual([clock({}), clock({ pause: { at: 0, by: "ana", reason: "release" } })], [25, null])
  })

  it("a planned batch in the shadow is judged by its heads, and one that is driven waits for its place", () => {
    const explained = (shadow: boolean, batches: ReadonlyArray<Batch.Batch>) =>
      DriveView.queued(state({ entries: [ready(1)], batches }), {
        configuration: { ...EngineConfiguration.defaults, mode: "drive", shadow },
        now
      })[0]?.explanation
    const planned = [batch("b")]
    assert.strictEqual(explained(true, planned), "It would be tested now: the checks of its head decide.")
    assert.notStrictEqual(explained(false, planned), explained(true, planned))
    assert.notStrictEqual(explained(true, []), explained(true, planned))
    const steps = [{ commit: "x" }, { commit: "y" }] as unknown as Batch.Batch["steps"]
    assert.deepStrictEqual(
      DriveView.batches(state({ batches: [batch("b", { steps })] })).map((each) => each.commit),
      ["y"]
    )
  })

  it("the explanation of a group is that of its check, with the checks that are open", () => {
    const of = (shown: string) => {
      const groups = [group("g", { round: roundOf({ unit: "pending", lint: "success", e2e: "pending" }) })]
      return EngineView.of(
        state({ groups, shown: { g: shown } }),
        { ...EngineConfiguration.defaults, mode: "gate" },
        now
      ).groups[0]?.explanation
    }
    assert.strictEqual(of("in_progress Running again"), "Running again: unit, e2e.")
  })

  it("one who was evicted has the reason of the last group that held it", () => {
    const groups = [
      group("a", { reason: { code: "conflict" } }),
      group("b", { members: [member(5), member(1)], reason: null }),
      group("c", { members: [member(9)], reason: { code: "closed" } })
    ]
    const view = (of: ReadonlyArray<EngineState.NativeGroup>) =>
      EngineView.of(state({ groups: of, evicted: [evicted()] }), { ...EngineConfiguration.defaults, mode: "gate" }, now)
        .evicted[0]?.explanation
    assert.strictEqual(view(groups), "The platform took it out of its queue.")
    assert.notStrictEqual(view(groups.slice(0, 1)), view(groups))
    assert.strictEqual(view([]), view(groups))
  })
})

describe("Savings.sentence", () => {
  it("one and several have words of their own, and a week is named by its day", () => {
    const week = { start: Date.UTC(2027, 0, 4), evictions: 2, saved: 1, wasted: Instant.hour, reused: 1 }
    const one = Savings.sentence(week, false)
    const more = Savings.sentence({ ...week, saved: 3, reused: 2 }, false)
    assert.match(one, /^Week of 2027-01-04: .*1 other pull request, .*One group passed by a tree/u)
    assert.match(more, /^Week of 2027-01-04: .*3 other pull requests, .*2 groups passed by a tree/u)
    assert.notInclude(Savings.sentence({ ...week, reused: 0 }, false), "tree")
  })
})
