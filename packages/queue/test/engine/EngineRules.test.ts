import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import {
  EngineConfiguration,
  EngineEvent,
  EngineFold,
  EngineLog,
  EngineState,
  EngineView,
  QueueRule
} from "@lazaret/queue"
import * as fc from "fast-check"
import { make } from "../../src/engine/Batch.ts"
import { isInferable } from "../../src/engine/Bisection.ts"
import { type Entry, order } from "../../src/engine/Entry.ts"
import * as RerunBudget from "../../src/engine/RerunBudget.ts"
import { begin } from "../../src/engine/Round.ts"

describe("the configuration without a file", () => {
  it("a repository that sets nothing has these defaults", () => {
    const { failures: _, ...own } = EngineConfiguration.defaults
    assert.deepStrictEqual(own, {
      mode: "mirror",
      shadow: false,
      comments: "outcomes",
      branch: "main",
      rules: [],
      maxParallelChecks: 1,
      requiredChecks: [],
      acceptSkipped: true,
      blockingLabels: [],
      rerun: { perRound: 2, perPullRequest: 4, shareOfRounds: 0.2 },
      inferCulprit: "judged_real",
      maxOvertakes: 50,
      skipIntermediate: false,
      preempt: false,
      freezes: [],
      incident: { rounds: 3, within: 1_800_000, longest: 7_200_000, action: "hold" },
      responseTimeout: 3_600_000,
      cancelReused: false
    })
  })
})

describe("the order of the queue", () => {
  const rules = [{ ...QueueRule.find([], "default"), name: "hotfix" }].map((rule) => ({
    ...rule,
    config: { ...rule.config, priority: 7 }
  }))
  const configuration = { ...EngineConfiguration.defaults, rules }
  const entry = (parts: Partial<Entry>): Entry => ({
    number: 1,
    head: "h",
    rule: "default",
    priority: 2000,
    queuedAt: 0,
    by: "ada",
    pull: null,
    readyAt: null,
    confirmed: null,
    overtaken: 0,
    reruns: 0,
    hold: null,
    leaving: null,
    ...parts
  })
  /** The keys of the order, the most important first; lower is earlier. */
  const keys = ({ number, overtaken, priority, queuedAt, rule }: Entry) => {
    const isStarved = overtaken >= configuration.maxOvertakes
    const urgency = isStarved ? [0, 0] : [-priority, rule === "hotfix" ? -7 : 0]
    return [isStarved ? 0 : 1, ...urgency, queuedAt, number]
  }

  it("starved entries come first, then those of higher priority, of the more urgent rule, queued earlier, of lower number", () => {
    const some = fc.record({
      number: fc.integer({ min: 1, max: 3 }),
      rule: fc.constantFrom("default", "hotfix", "gone"),
      priority: fc.constantFrom(1000, 2000),
      queuedAt: fc.integer({ min: 0, max: 2 }),
      overtaken: fc.constantFrom(0, 49, 50)
    })
    fc.assert(
      fc.property(some, some, (a, b) => {
        const [first, second] = [keys(entry(a)), keys(entry(b))]
        const at = first.findIndex((key, index) => key !== second[index])
        const expected = at < 0 ? 0 : Math.sign((first[at] ?? 0) - (second[at] ?? 0))
        assert.strictEqual(Math.sign(order(configuration)(entry(a), entry(b))), expected)
      }),
      { seed: 1, numRuns: 2000 }
    )
  })
})

describe("a part that counts as red without a run", () => {
  const failed = {
    outcome: "red",
    class: "real",
    probability: null,
    checks: ["unit"],
    failures: [],
    sha: "s",
    tree: "t",
    members: [1, 2],
    attempts: 1
  } as const
  const batch = { ...make("b1", "default", []), suspect: { failed, on: "o", left: null, base: "tree" } }
  const infer = (of: "never" | "judged_real" | "always") => ({ ...EngineConfiguration.defaults, inferCulprit: of })

  it("a suspect is inferred on the tree that failed, before it is built, by the setting and the class", () => {
    const is = (
      part: Parameters<typeof isInferable>[0],
      tree = "tree",
      of: Parameters<typeof infer>[0] = "judged_real"
    ) => isInferable(part, tree, infer(of))
    assert.isTrue(is(batch))
    assert.isFalse(is(make("b1", "default", [])))
    assert.isFalse(is({ ...batch, suspect: { ...batch.suspect, base: null } }))
    assert.isFalse(is(batch, "another tree"))
    assert.isFalse(is({ ...batch, phase: "building" }))
    assert.isFalse(is(batch, "tree", "never"))
    assert.isTrue(is(batch, "tree", "always"))
    const flaky = { ...batch, suspect: { ...batch.suspect, failed: { ...failed, class: "flaky" as const } } }
    assert.deepStrictEqual([is(flaky), is(flaky, "tree", "always")], [false, true])
    const timeout = { ...batch, suspect: { ...batch.suspect, failed: { ...failed, outcome: "timeout" as const } } }
    assert.deepStrictEqual([is(timeout), is(timeout, "tree", "always")], [false, false])
  })
})

describe("the log and the state", () => {
  const folded = (...events: ReadonlyArray<EngineEvent.EngineEvent>) =>
    EngineFold.fold(events.map((event, index) => ({ seq: index + 1, at: 1000 * (index + 1), event })))

  const group = { id: "g1", tree: "t", onto: "main", members: [{ number: 4, head: "h4" }] }

  it("the name of a command has 1 to 500 characters", () => {
    const is = Schema.is(EngineEvent.EngineEvent)
    const named = (length: number) => {
      const command = "x".repeat(length)
      return [
        is({ kind: "done", command, answer: { kind: "ok" } }),
        is({ kind: "unknown", command }),
        is({ kind: "refused", command, refusal: "gone", detail: "", base: null })
      ]
    }
    assert.deepStrictEqual([0, 1, 500, 501].map(named), [
      [false, false, false],
      [true, true, true],
      [true, true, true],
      [false, false, false]
    ])
  })

  it("a sentence names the members of a group that the log introduced, and the commit of another one", () => {
    const gone = { seq: 3, at: 3, event: { kind: "group_gone", id: "0123456789abcdef", cause: "merged" } } as const
    const known = EngineLog.names([
      { seq: 1, at: 1, event: { kind: "group_seen", group: { ...group, id: "0123456789abcdef" } } },
      { seq: 2, at: 2, event: { kind: "batch_formed", members: group.members, rule: "default", overtaken: [] } }
    ])
    assert.strictEqual(EngineLog.line(gone, known)?.sentence, "#4 was merged.")
    assert.strictEqual(EngineLog.line(gone, new Map())?.sentence, "Group 0123456789 was merged.")
    assert.deepStrictEqual(known.get("b2"), group.members)
  })

  it("a gate that has not run yet says so", () => {
    const configuration = { ...EngineConfiguration.defaults, mode: "gate" as const }
    const { explanation } = EngineView.of(EngineState.initial, configuration, 0)
    assert.strictEqual(explanation, "The gate has not read the queue of the platform yet.")
  })

  it("a queued pull request starts with nothing counted", () => {
    const asked = { kind: "queue_asked", number: 4, head: "h4", rule: "default", priority: 2000, by: "ada" } as const
    const [entry] = folded(asked).entries
    assert.deepStrictEqual([entry?.overtaken, entry?.reruns, entry?.queuedAt, entry?.hold], [0, 0, 1000, null])
  })

  it("a group that the shadow judged is watched, and undecided, when the gate acts", () => {
    const { groups, shown } = folded(
      { kind: "config_read", digest: "d", mode: "gate", shadow: true },
      { kind: "group_seen", group },
      { kind: "group_concluded", group: "g1", conclusion: "success", reason: null },
      { kind: "config_read", digest: "d", mode: "gate", shadow: false }
    )
    const [only] = groups
    assert.deepStrictEqual([only?.round.isWatched, only?.concluded, only?.concludedAt, shown], [true, null, 0, {}])
  })
})

describe("the budget of reruns", () => {
  const red = { class: "flaky", probability: 0.15, failures: [], checks: ["unit"] } as const
  const now = 10 * 86_400_000
  const question = { round: begin("g1", "t", 0), members: [{ number: 4, head: "h4" }], red, now }
  const decide = (state: Partial<EngineState.EngineState>, asked: Partial<typeof question> | object = {}, share = 1) =>
    RerunBudget.decide(
      { ...EngineState.initial, ...state },
      { ...question, ...asked },
      {
        ...EngineConfiguration.defaults,
        rerun: { perRound: 2, perPullRequest: 4, shareOfRounds: share }
      }
    )

  it("a flaky failure runs again from its threshold on, with one member and with several", () => {
    const at = (probability: number, count: number) =>
      decide(
        {},
        {
          red: { ...red, probability },
          members: Array.from({ length: count }, (_, index) => ({ number: index, head: `h${index}` }))
        }
      )
    const { rerunBatchFrom, rerunSingleFrom } = EngineConfiguration.defaults.failures
    assert.deepStrictEqual(
      [at(rerunSingleFrom, 1), at(rerunSingleFrom - 0.001, 1), at(rerunBatchFrom, 2), at(rerunBatchFrom - 0.001, 2)],
      ["charged", "none", "charged", "none"]
    )
  })

  it("rounds and reruns count within a day, without its first instant", () => {
    const day = 86_400_000
    const many = (count: number, at: number) => Array.from({ length: count }, () => at)
    assert.strictEqual(decide({ reruns: many(100, now - day + 1) }), "none")
    assert.strictEqual(decide({ reruns: many(100, now - day) }), "charged")
    assert.strictEqual(decide({ reruns: many(100, now), rounds: many(100, now - day + 1) }), "charged")
    assert.strictEqual(decide({ reruns: many(100, now), rounds: many(100, now - day) }), "none")
  })
})
