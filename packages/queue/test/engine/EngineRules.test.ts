import { assert, describe, it } from "@effect/vitest"
import { EngineConfiguration, QueueRule } from "@lazaret/queue"
import * as fc from "fast-check"
import { make } from "../../src/engine/Batch.ts"
import { isInferable } from "../../src/engine/Bisection.ts"
import { type Entry, order } from "../../src/engine/Entry.ts"

describe("the configuration without a file", () => {
  it("the defaults are those that the guide names", () => {
    const { failures: _, ...own } = EngineConfiguration.defaults
    assert.deepStrictEqual(own, {
      mode: "mirror",
      shadow: false,
      branch: "main",
      rules: [],
      maxParallelChecks: 1,
      requiredChecks: [],
      acceptSkipped: true,
      rerun: { perRound: 2, perPullRequest: 4, shareOfRounds: 0.2 },
      inferCulprit: "judged_real",
      maxOvertakes: 50,
      freezes: [],
      incident: { rounds: 3, within: 1_800_000, longest: 7_200_000, action: "hold" },
      responseTimeout: 3_600_000
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
