import { assert, describe, it } from "@effect/vitest"
import { Instant } from "@lazaret/domain"
import { EngineConfiguration, type EngineState, QueueRule } from "@lazaret/queue"
import * as Batch from "../../src/engine/Batch.ts"
import * as BatchPlan from "../../src/engine/BatchPlan.ts"
import * as Building from "../../src/engine/Building.ts"
import * as Departure from "../../src/engine/Departure.ts"
import type * as Entry from "../../src/engine/Entry.ts"
import * as Foresight from "../../src/engine/Foresight.ts"
import * as Landing from "../../src/engine/Landing.ts"
import * as Preempting from "../../src/engine/Preempting.ts"
import * as Round from "../../src/engine/Round.ts"
import * as Skipping from "../../src/engine/Skipping.ts"
import { member, state, tip } from "./support/Fold.ts"
import { decided, pull, ready } from "./support/Passes.ts"

const rules = (settings: Partial<QueueRule.QueueConfig>, name = "default") => QueueRule.prioritize([{ name, settings }])

const batch = (id: string, numbers: ReadonlyArray<number>, fields: Partial<Batch.Batch> = {}): Batch.Batch => ({
  ...Batch.make(id, "default", numbers.map(member)),
  phase: "testing",
  ...fields
})

const incident: EngineState.Incident = { at: 0, signature: "unit", probedAt: 0 }

describe("Preempting", () => {
  const urgent = ready(9, { priority: 5 })
  const entries = [ready(1), ready(2), urgent]
  const two = [batch("a", [1]), batch("b", [2])]

  const dissolved = (
    fields: Partial<EngineState.EngineState>,
    configuration: Partial<EngineConfiguration.EngineConfiguration> = {}
  ) =>
    decided(Preempting.pass, { entries, batches: two, ...fields }, { preempt: true, ...configuration }).events.map(
      (event) => (event.kind === "batch_dissolved" ? event.batch : event.kind)
    )

  it("batches of lower priority are given up for a pull request of higher priority, the last one first", () => {
    assert.deepStrictEqual(dissolved({}), ["b", "a"])
    assert.deepStrictEqual(dissolved({ entries: [ready(1, { priority: 5 }), ready(2), urgent] }), ["b"])
    assert.deepStrictEqual(dissolved({ entries: [ready(1, { priority: 6 }), ready(2), urgent] }), ["b"])
    assert.deepStrictEqual(dissolved({ entries: [ready(1, { priority: 5 }), ready(2, { priority: 5 }), urgent] }), [])
  })

  it("nothing is given up without the setting, in an incident, or for one that waits for something or is tested", () => {
    assert.deepStrictEqual(dissolved({}, { preempt: false }), [])
    assert.deepStrictEqual(dissolved({ incident }), [])
    assert.deepStrictEqual(dissolved({ entries: entries.slice(0, 2) }), [])
    assert.deepStrictEqual(dissolved({ entries: [...entries.slice(0, 2), { ...urgent, leaving: "ana" }] }), [])
    assert.deepStrictEqual(dissolved({ batches: [...two, batch("c", [9])] }), [])
  })

  it("a batch stays with all ahead of it when it passed, failed, is landed, was split or was overtaken too often", () => {
    for (const phase of ["green", "red", "landing"] as const) {
      assert.deepStrictEqual(dissolved({ batches: [batch("a", [1], { phase }), batch("b", [2])] }), ["b"], phase)
      assert.deepStrictEqual(dissolved({ batches: [batch("a", [1]), batch("b", [2], { phase })] }), [], phase)
    }
    for (const phase of ["planned", "building", "built", "publishing"] as const) {
      assert.deepStrictEqual(dissolved({ batches: [batch("a", [1], { phase })] }), ["a"], phase)
    }
    assert.deepStrictEqual(dissolved({ batches: [batch("a", [1], { splits: 1 }), batch("b", [2])] }), ["b"])
    const overtaken = (times: number) =>
      dissolved({ entries: [ready(1, { overtaken: times }), ready(2), urgent] }, { maxOvertakes: 3 })
    assert.deepStrictEqual([overtaken(2), overtaken(3)], [["b", "a"], ["b"]])
  })

  it("one member of the same priority, or that was overtaken too often, keeps its batch", () => {
    const both = [batch("a", [1, 2])]
    const of = (fields: Partial<Entry.Entry>) =>
      dissolved({ batches: both, entries: [ready(1), ready(2, fields), urgent] }, { maxOvertakes: 3 })
    assert.deepStrictEqual([of({}), of({ priority: 5 }), of({ overtaken: 3 })], [["a"], [], []])
  })
})

describe("Skipping", () => {
  const step = (name: string) => ({ commit: name, tree: `tree-${name}` }) as Batch.Batch["steps"][number]
  const foundation = (...under: ReadonlyArray<number>): Batch.Foundation => ({
    under: under.map(member),
    base: tip("m", 1),
    onto: "m",
    tree: "tree-m"
  })
  const first = batch("a", [1], { steps: [step("a")], foundation: foundation() })
  const second = batch("b", [2], { steps: [step("b")], foundation: foundation(1) })
  const last = batch("c", [3], { phase: "green", steps: [step("c")], foundation: foundation(1, 2) })
  const suspect = {} as Batch.Suspect

  const joined = (
    batches: ReadonlyArray<Batch.Batch>,
    changes: Partial<EngineState.EngineState> = {},
    configuration: Partial<EngineConfiguration.EngineConfiguration> = {}
  ) =>
    decided(
      Skipping.pass,
      { batches, ...changes },
      { skipIntermediate: true, rules: rules({ queueBranchMergeMethod: "fast-forward" }), ...configuration }
    ).events.map((event) => (event.kind === "batches_joined" ? event.batch : event.kind))

  it("a batch that passed on top of all ahead of it lands with them", () => {
    assert.deepStrictEqual(joined([first, second, last]), ["c"])
    assert.deepStrictEqual(joined([first, { ...second, phase: "green" }, last]), ["b"])
  })

  it("nothing is joined without the setting, in an incident, or where merge commits are made at the landing", () => {
    assert.deepStrictEqual(joined([first, second, last], {}, { skipIntermediate: false }), [])
    assert.deepStrictEqual(joined([first, second, last], { incident }), [])
    assert.deepStrictEqual(joined([first, second, last], {}, { rules: rules({}) }), [])
    assert.deepStrictEqual(joined([{ ...first, phase: "green" }, { ...second, phase: "green" }, last]), [])
    assert.deepStrictEqual(joined([]), [])
  })

  it("a batch ahead that is suspected, of another rule, not built as a whole or not tested keeps those behind apart", () => {
    const changes: ReadonlyArray<Partial<Batch.Batch>> = [
      { suspect },
      { rule: "other" },
      { steps: [] },
      { phase: "red" },
      { phase: "building" }
    ]
    for (const change of changes) {
      assert.deepStrictEqual(joined([first, { ...second, ...change }, last]), [], JSON.stringify(change))
    }
    assert.deepStrictEqual(joined([first, second, { ...last, suspect }]), [])
    assert.deepStrictEqual(joined([first, second, { ...last, foundation: foundation(2) }]), [])
    assert.deepStrictEqual(joined([first, second, { ...last, foundation: null }]), [])
  })
})

describe("Building", () => {
  const ran = (
    fields: Partial<EngineState.EngineState>,
    configuration: Partial<EngineConfiguration.EngineConfiguration> = {},
    now = 0
  ) => {
    const { events, wakeAt } = decided(Building.pass, { base: tip("m", 1), ...fields }, configuration, now)
    return { kinds: events.map((event) => (event.kind === "issued" ? event.command.id : event.kind)), wakeAt }
  }

  const planned = (id: string, numbers: ReadonlyArray<number>, fields: Partial<Batch.Batch> = {}) =>
    batch(id, numbers, { phase: "planned", ...fields })

  it("as many rounds begin as there are places for checks", () => {
    const step = { commit: "x", tree: "tree-x" } as Batch.Batch["steps"][number]
    const ahead = batch("x", [8], {
      steps: [step],
      foundation: { under: [], base: tip("m", 1), onto: "m", tree: "tree-m" }
    })
    const formed = (maxParallelChecks: number) =>
      ran({ entries: [ready(1), ready(2)], batches: [ahead] }, { maxParallelChecks }).kinds
    assert.deepStrictEqual([formed(1), formed(2)], [[], ["batch_formed", "build/b1/1"]])
    assert.deepStrictEqual(ran({ batches: [planned("a", [1])] }).kinds, ["build/a/1"])
    assert.deepStrictEqual(ran({ batches: [batch("x", [8]), planned("a", [1])] }).kinds, [])
    assert.deepStrictEqual(ran({ batches: [planned("a", [1], { generation: 3 })] }).kinds, ["build/a/4"])
    assert.deepStrictEqual(ran({ batches: [planned("a", [1])], base: null }).kinds, [])
  })

  it("a batch that is kept back is built at its instant, and asks for it", () => {
    const late = { batches: [planned("a", [1], { notBefore: 50 })] }
    assert.deepStrictEqual(ran(late, {}, 49), { kinds: [], wakeAt: 50 })
    assert.deepStrictEqual(ran(late, {}, 50), { kinds: ["build/a/1"], wakeAt: null })
  })

  it("nobody is planned while it is open which part of a failed batch lands", () => {
    const of = (numbers: ReadonlyArray<number>) =>
      ran({ batches: [batch("a", numbers, { phase: "red" })], entries: [ready(5)] }, { maxParallelChecks: 3 }).kinds
    assert.notInclude(of([1, 2]), "batch_formed")
    assert.include(of([1]), "batch_formed")
  })

  it("in an incident one round begins after each wait, and the incident ends after its longest time", () => {
    const { longest, within } = EngineConfiguration.defaults.incident
    const of = (now: number, batches: ReadonlyArray<Batch.Batch> = [planned("a", [1]), planned("b", [2])]) =>
      ran({ incident, batches }, { maxParallelChecks: 4 }, now)
    assert.deepStrictEqual(of(within - 1), { kinds: [], wakeAt: within })
    assert.deepStrictEqual(of(within), { kinds: ["incident_probed", "build/a/1"], wakeAt: longest })
    assert.deepStrictEqual(of(within, [batch("x", [8]), planned("a", [1])]), { kinds: [], wakeAt: longest })
    assert.deepStrictEqual(of(longest - 1).kinds, ["incident_probed", "build/a/1"])
    assert.deepStrictEqual(of(longest).kinds.slice(0, 2), ["incident_ended", "build/a/1"])
    const red = batch("a", [1], { phase: "red" })
    assert.deepStrictEqual(of(within, [red]).kinds, ["round_voided", "incident_probed", "build/a/1"])
    assert.deepStrictEqual(of(within, []).kinds, ["incident_probed"])
  })

  it("a head is tested itself where it is alone, nothing is ahead of it, and landing makes the history of the rule", () => {
    const isInPlace = (
      settings: Partial<QueueRule.QueueConfig>,
      numbers: ReadonlyArray<number> = [1],
      ahead: ReadonlyArray<Batch.Batch> = []
    ) =>
      decided(
        Building.pass,
        { base: tip("m", 1), batches: [...ahead, planned("a", numbers)] },
        { maxParallelChecks: 4, rules: rules(settings) }
      ).events.some((event) => event.kind === "issued" && event.command.kind === "build" && event.command.inPlace)
    const allowed = { allowInplaceChecks: true } as const
    assert.isTrue(isInPlace(allowed))
    assert.isFalse(isInPlace({ allowInplaceChecks: false }))
    assert.isFalse(isInPlace(allowed, [1, 2]))
    const built = { commit: "x", tree: "tree-x" } as Batch.Batch["steps"][number]
    const onMain = { under: [], base: tip("m", 1), onto: "m", tree: "tree-m" }
    assert.isFalse(isInPlace(allowed, [1], [batch("x", [8], { steps: [built], foundation: onMain })]))
    assert.isFalse(isInPlace({ ...allowed, queueBranchMergeMethod: "fast-forward" }))
    assert.isTrue(isInPlace({ ...allowed, queueBranchMergeMethod: "fast-forward", mergeMethod: "fast-forward" }))
  })
})

describe("BatchPlan.next", () => {
  const plan = (
    entries: ReadonlyArray<Entry.Entry>,
    settings: Partial<QueueRule.QueueConfig> = {},
    {
      clock = Instant.day,
      ...configuration
    }: Partial<EngineConfiguration.EngineConfiguration> & { clock?: number } = {}
  ) => {
    const all = [
      { name: "default", settings: { batchSize: 3, ...settings } },
      { name: "other", settings: {} }
    ]
    const next = BatchPlan.next(
      state({ entries }),
      { ...EngineConfiguration.defaults, rules: QueueRule.prioritize(all), ...configuration },
      clock
    )
    return next.kind === "form" ? [next.members.map(({ number }) => number), next.overtaken] : next
  }

  const wait = { batchMaxWaitTime: 30 } as const

  it("a batch that may still grow waits since its first member was ready, the end excluded", () => {
    const entries = [ready(1, { readyAt: 2000 }), ready(2, { readyAt: 5000 })]
    const until = 2000 + 30 * Instant.second
    assert.deepStrictEqual(plan(entries, wait, { clock: until - 1 }), { kind: "wait", until })
    assert.deepStrictEqual(plan(entries, wait, { clock: until }), [[1, 2], []])
  })

  it("a batch does not wait when it is full, or one of another rule or that may not be overtaken follows", () => {
    const full = [ready(1), ready(2), ready(3)]
    assert.deepStrictEqual(plan(full, wait, { clock: 0 }), [[1, 2, 3], []])
    assert.deepStrictEqual(plan([ready(1), ready(2, { rule: "other" })], wait, { clock: 0 }), [[1], []])
    const priority = [ready(1, { overtaken: 1 }), ready(5, { priority: 1 }), ready(6, { priority: 1 })]
    assert.deepStrictEqual(plan(priority, { ...wait, batchSize: 2 }, { clock: 0, maxOvertakes: 2 }), [[5], [1]])
  })

  it("the run of one rule at the front is taken, up to the size of the batch", () => {
    const entries = [
      ready(1, { priority: 2 }),
      ready(2, { priority: 2 }),
      ready(3, { rule: "other", priority: 1 }),
      ready(4)
    ]
    assert.deepStrictEqual(plan(entries), [[1, 2], []])
    assert.deepStrictEqual(plan([ready(1), ready(2), ready(3), ready(4)]), [[1, 2, 3], []])
    assert.deepStrictEqual(plan([]), { kind: "none" })
  })

  it("those who were queued before a member and are not among them are overtaken, each at most as often as is allowed", () => {
    const waiting = ready(3)
    const first = [ready(5, { priority: 1 }), ready(2, { priority: 1 })]
    assert.deepStrictEqual(plan([waiting, ready(4, { queuedAt: 5 }), ...first], { batchSize: 2 }), [[2, 5], [3]])
    const of = (maxOvertakes: number, overtaken: number) =>
      plan([{ ...waiting, overtaken }, ...first, ready(6, { priority: 1 })], {}, { maxOvertakes })
    assert.deepStrictEqual(of(9, 0), [[2, 5, 6], [3]])
    assert.deepStrictEqual(of(3, 0), [[2, 5, 6], [3]])
    assert.deepStrictEqual(of(3, 1), [[2, 5], [3]])
    assert.deepStrictEqual(of(3, 2), [[2], []])
  })
})

describe("Landing", () => {
  const round = Round.begin("r", "tree-r", 0)
  const head = batch("a", [1, 2], { phase: "green", round, notBefore: 40 })

  it("a freeze holds a batch from its start until before its end, unless all of it is urgent enough", () => {
    const freeze = { from: 10, to: 20, reason: "release", exceptPriority: 5 }
    const isHeld = (now: number, one: number, two: number, exceptPriority: number | null = 5) =>
      Landing.freezeOf(
        state({ entries: [ready(1, { priority: one }), ready(2, { priority: two })] }),
        head,
        { ...EngineConfiguration.defaults, freezes: [{ ...freeze, exceptPriority }] },
        now
      ) !== null
    assert.deepStrictEqual(
      [9, 10, 19, 20].map((now) => isHeld(now, 0, 0)),
      [false, true, true, false]
    )
    assert.deepStrictEqual([isHeld(15, 5, 5), isHeld(15, 5, 4), isHeld(15, 9, 4)], [false, true, true])
    assert.deepStrictEqual([isHeld(15, 9, 9, null), isHeld(25, 9, 9, null)], [true, false])
  })

  it("a landing waits until its instant, and before a freeze and after its end it is asked again", () => {
    const of = (now: number, freezes: ReadonlyArray<EngineConfiguration.Freeze> = []) => {
      const { events, wakeAt } = decided(
        Landing.pass,
        { base: tip("m", 1), batches: [head], entries: [ready(1), ready(2)] },
        { freezes },
        now
      )
      return [events.length, wakeAt]
    }
    assert.deepStrictEqual(
      [of(39), of(40)],
      [
        [0, 40],
        [1, null]
      ]
    )
    const freeze = { from: 30, to: 60, reason: "release", exceptPriority: null }
    assert.deepStrictEqual(
      [of(20, [freeze]), of(50, [freeze])],
      [
        [0, 30],
        [0, 60]
      ]
    )
  })

  it("a batch is read once more before it lands, until each member was read for its round", () => {
    const of = (one: string | null, two: string | null) =>
      decided(Landing.pass, {
        seq: 7,
        base: tip("m", 1),
        batches: [{ ...head, notBefore: 0 }],
        entries: [ready(1, { confirmed: one }), ready(2, { confirmed: two })]
      }).events.map((event) => (event.kind === "issued" ? event.command.id : event.kind))
    assert.deepStrictEqual(of("r", null), ["read/a/8"])
    assert.deepStrictEqual(of("old", "r"), ["read/a/8"])
    assert.notInclude(of("r", "r"), "read/a/8")
  })
})

describe("Departure", () => {
  const left = (entry: Partial<Entry.Entry>, fields: Partial<EngineState.EngineState> = {}, pass = Departure.pass) =>
    decided(pass, { entries: [ready(1, entry)], ...fields }).events.map((event) =>
      event.kind === "dequeued" ? event.reason.code : event.kind
    )

  it("what is merged or cannot be merged any more leaves, except while it is landed", () => {
    assert.deepStrictEqual(left({}), [])
    const merged = { pull: pull(1, { state: "merged" }) }
    assert.deepStrictEqual(left(merged), ["merged_elsewhere"])
    assert.deepStrictEqual(left(merged, { batches: [batch("a", [1], { phase: "landing" })] }), [])
    assert.deepStrictEqual(left(merged, { batches: [batch("a", [1])] }), ["merged_elsewhere"])
    assert.deepStrictEqual(left({ pull: pull(1, { state: "closed" }) }), ["closed"])
    assert.deepStrictEqual(left({ leaving: "ana" }), ["dequeued_by"])
  })

  it("a draft, a lost approval and a label end the stay of one that was ready, and keep another one waiting", () => {
    const table = [
      [{ draft: true }, "draft"],
      [{ approved: false }, "approval_lost"],
      [{ blockedBy: "wip" }, "blocked_by_label"]
    ] as const
    for (const [change, code] of table) {
      assert.deepStrictEqual(left({ pull: pull(1, change) }), [code])
      assert.deepStrictEqual(left({ pull: pull(1, change), readyAt: null }), [])
    }
  })

  it("when the queue is not driven any more everybody leaves, and what was merged is said to be", () => {
    assert.deepStrictEqual(left({}, {}, Departure.everybody), ["mode_changed"])
    assert.deepStrictEqual(left({ pull: pull(1, { state: "merged" }) }, {}, Departure.everybody), ["merged_elsewhere"])
  })
})

describe("Foresight", () => {
  const after = (outcome: "landed" | "left" | "rerun", numbers: ReadonlyArray<number>, from = Foresight.initial) =>
    Foresight.after(from, { outcome, members: numbers.map(member) })

  it("what would have landed is counted, with the heads that passed after a failure", () => {
    const failed = after("rerun", [1, 5])
    assert.deepStrictEqual(failed, { ...Foresight.initial, reruns: ["h1", "h5"] })
    assert.deepStrictEqual(after("landed", [1, 2, 3], failed), {
      ...Foresight.initial,
      batches: 1,
      pulls: 3,
      passed: 1,
      reruns: ["h5"]
    })
    assert.deepStrictEqual(after("landed", [4], after("landed", [5, 6])), {
      ...Foresight.initial,
      batches: 2,
      pulls: 3
    })
  })

  it("one who would have left and is merged at the same head was innocent, once", () => {
    const left = after("left", [1, 2])
    const merged = Foresight.merged(left, member(1))
    assert.deepStrictEqual(merged, { ...Foresight.initial, left: [member(2)], innocent: 1 })
    assert.strictEqual(Foresight.merged(merged, member(1)), merged)
    assert.strictEqual(Foresight.merged(merged, { number: 2, head: "pushed" }), merged)
    assert.strictEqual(Foresight.merged(merged, { number: 3, head: "h2" }), merged)
  })
})
