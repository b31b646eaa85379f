import { assert, describe, it } from "@effect/vitest"
import type { Observation } from "@lazaret/queue"
import * as Batch from "../../src/engine/Batch.ts"
import * as Bisection from "../../src/engine/Bisection.ts"
import * as Round from "../../src/engine/Round.ts"

const members = (...numbers: ReadonlyArray<number>): ReadonlyArray<Observation.Member> =>
  numbers.map((number) => ({ number, head: `h${number}` }))

const tip = (name: string): Observation.Tip => ({ sha: `sha-${name}`, tree: `tree-${name}`, version: 1 })

const numbersOf = (batches: ReadonlyArray<Batch.Batch>) =>
  batches.map((batch) => batch.members.map((each) => each.number))

const step = (number: number): Batch.Batch["steps"][number] => ({
  // The rules of batches read these fields alone.
  ...({} as Batch.Batch["steps"][number]),
  commit: `commit-${number}`,
  tree: `tree-${number}`
})

const foundation = (under: ReadonlyArray<number>, on: string): Batch.Foundation => ({
  under: members(...under),
  base: tip("main"),
  onto: `onto-${on}`,
  tree: on
})

/** A batch that is tested. */
const tested = (id: string, numbers: ReadonlyArray<number>, change: Partial<Batch.Batch> = {}): Batch.Batch => ({
  ...Batch.make(id, "default", members(...numbers)),
  phase: "testing",
  steps: numbers.map(step),
  foundation: foundation([], "tree-main"),
  round: Round.begin(`commit-${numbers.at(-1)}`, `tree-${numbers.at(-1)}`, 0),
  ...change
})

const failed: Batch.Failed = {
  outcome: "red",
  class: "unknown",
  probability: null,
  checks: ["unit"],
  failures: [],
  sha: "red",
  tree: "red",
  members: [1, 2],
  attempts: 1
}

const suspect = (change: Partial<Batch.Suspect> = {}): Batch.Suspect => ({
  failed,
  on: "tree-main",
  left: "left",
  base: null,
  ...change
})

describe("a batch", () => {
  it("a batch begins planned, with nothing built, tested, tried or split", () => {
    assert.deepStrictEqual(Batch.make("b", "hotfix", members(1, 2)), {
      id: "b",
      rule: "hotfix",
      members: members(1, 2),
      root: "b",
      splits: 0,
      phase: "planned",
      generation: 0,
      foundation: null,
      steps: [],
      conflicts: [],
      contained: [],
      round: null,
      failed: null,
      suspect: null,
      notBefore: 0,
      tries: 0,
      edits: 0
    })
    const built = tested("b", [1, 2], { conflicts: [1], contained: [2], generation: 3, tries: 2, failed, edits: 1 })
    const again = Batch.reset(built)
    assert.deepStrictEqual(again, { ...Batch.make("b", "default", built.members), generation: 3, tries: 2, edits: 1 })
  })

  it("a batch takes a place for checks from its build until its checks end", () => {
    const phases = ["planned", "building", "built", "publishing", "testing", "green", "red", "landing"] as const
    const running = phases.filter((phase) => Batch.isRunning(tested("b", [1], { phase })))
    assert.deepStrictEqual(running, ["building", "built", "publishing", "testing"])
  })

  it("a batch is built on all that is ahead, unless that is red, suspect, or runs again for an unknown failure", () => {
    const again = (of: Round.Red["class"]): Round.Round => ({
      ...Round.begin("s", "t", 0),
      reds: [
        { attempt: 1, checks: [], failures: [], class: of === "unknown" ? "flaky" : "unknown" },
        { attempt: 2, checks: [], failures: [], class: of }
      ]
    })
    const under = (change: Partial<Batch.Batch>) =>
      Batch.ahead([tested("a", [1]), tested("b", [2, 3], change), tested("c", [4])], 2).map(({ number }) => number)
    assert.deepStrictEqual(under({}), [1, 2, 3])
    assert.deepStrictEqual(under({ phase: "green" }), [1, 2, 3])
    assert.deepStrictEqual(under({ phase: "red" }), [1])
    assert.deepStrictEqual(under({ suspect: suspect() }), [1])
    assert.deepStrictEqual(under({ round: again("unknown") }), [1])
    assert.deepStrictEqual(under({ round: again("flaky") }), [1, 2, 3])
    assert.deepStrictEqual(under({ round: again("unknown"), phase: "green" }), [1, 2, 3])
    assert.deepStrictEqual(Batch.ahead([tested("a", [1]), tested("b", [2])], 0), [])
  })

  it("a batch is built on the last step of the batch beneath, over the base branch under that", () => {
    const base = tip("newer")
    const first = tested("a", [1, 2])
    const on = (...ahead: ReadonlyArray<Batch.Batch>) => Batch.beneath([...ahead, tested("z", [9])], ahead.length, base)
    assert.deepStrictEqual(on(), { under: [], base, onto: base.sha, tree: base.tree })
    const stacked = { under: members(1, 2), base: tip("main"), onto: "commit-2", tree: "tree-2" }
    assert.deepStrictEqual(on(first), stacked)
    assert.deepStrictEqual(on(first, tested("r", [3], { phase: "red" })), stacked)
    assert.isNull(on(first, tested("b", [3], { steps: [] })))
    assert.isNull(on(first, tested("b", [3], { foundation: null })))
  })

  it("two lists are the same when they name the same pull requests at the same commits in the same order", () => {
    assert.isTrue(Batch.isSame(members(1, 2), members(1, 2)))
    assert.isTrue(Batch.isSame([], []))
    for (const other of [
      members(1),
      members(1, 2, 3),
      members(2, 1),
      members(1, 3),
      [...members(1), { number: 2, head: "x" }]
    ]) {
      assert.isFalse(Batch.isSame(members(1, 2), other))
    }
  })
})

describe("a pull request that leaves its batch", () => {
  it("a pull request that leaves ends a batch of its own, and others are built again", () => {
    const before = [tested("a", [1]), tested("b", [2, 3]), tested("c", [4])]
    const [, second, third] = before
    assert.deepStrictEqual(Batch.withoutMember(before, 1), before.slice(1))
    const [first, again, last] = Batch.withoutMember(before, 3)
    assert.deepStrictEqual([first, last], [before[0], third])
    assert.deepStrictEqual(again, Batch.reset({ ...(second ?? assert.fail()), members: members(2) }))
    assert.deepStrictEqual(Batch.withoutMember(before, 9), before)
  })

  it("a pull request that leaves weakens the suspicion of a part, and of parts behind it, to a presumption", () => {
    const parts = [
      tested("x.1", [1, 2], { root: "x" }),
      tested("x.2", [3, 4], { root: "x", suspect: suspect({ left: "x.1", base: "known" }) }),
      tested("x.3", [5, 6], { root: "x", suspect: suspect({ left: "x.2", base: "known" }) }),
      tested("y.2", [7, 8], { root: "y", suspect: suspect({ left: "y.1", base: "known" }) })
    ]
    const basesWithout = (number: number) =>
      Batch.withoutMember(parts, number).map((batch) => [batch.suspect?.left, batch.suspect?.on, batch.suspect?.base])
    const none = [undefined, undefined, undefined]
    const strong = (left: string) => [left, "tree-main", "known"]
    const weak = (left: string) => [left, "", null]
    assert.deepStrictEqual(basesWithout(1), [none, weak("x.1"), weak("x.2"), strong("y.1")])
    assert.deepStrictEqual(basesWithout(4), [none, weak("x.1"), weak("x.2"), strong("y.1")])
    assert.deepStrictEqual(basesWithout(6), [none, strong("x.1"), weak("x.2"), strong("y.1")])
    assert.deepStrictEqual(basesWithout(8), [none, strong("x.1"), strong("x.2"), weak("y.1")])
  })

  it("a pull request that leaves ends the suspicion of the part that waited for its batch", () => {
    const parts = [
      tested("x.1", [1], { root: "x" }),
      tested("x.2", [3, 4], { root: "x", suspect: suspect({ left: "x.1" }) }),
      tested("y.2", [5], { root: "y", suspect: suspect({ left: null, base: "known" }) })
    ]
    const [part, other] = Batch.withoutMember(parts, 1)
    assert.isNull(part?.suspect ?? null)
    assert.deepStrictEqual([part?.phase, other?.suspect], ["testing", suspect({ left: null, base: "known" })])
  })
})

describe("a batch that lands", () => {
  const base = tip("landed")

  it("a batch leaves the queue when all of it has landed, and what stands on it keeps its round", () => {
    const behind = tested("b", [3], { foundation: foundation([1, 2], "tree-2") })
    const [left, ...others] = Batch.land([tested("a", [1, 2], { phase: "landing" }), behind], "a", 2, base)
    assert.deepStrictEqual(others, [])
    assert.deepStrictEqual(left, { ...behind, foundation: { ...foundation([], "tree-2"), base, onto: "onto-tree-2" } })
    const apart = tested("c", [4], { foundation: foundation([2, 1], "tree-x") })
    assert.deepStrictEqual(Batch.land([tested("a", [1, 2]), apart], "a", 2, base), [apart])
    const unbuilt = tested("d", [5], { foundation: null })
    assert.deepStrictEqual(Batch.land([tested("a", [1, 2]), unbuilt], "a", 2, base), [unbuilt])
    assert.deepStrictEqual(Batch.land([behind], "gone", 1, base), [behind])
  })

  it("a batch keeps its other members green on the new tip when a part of it has landed", () => {
    const landing = tested("a", [1, 2, 3], { phase: "landing" })
    const behind = tested("b", [4], { foundation: foundation([1, 2, 3], "tree-3") })
    const [rest, stacked] = Batch.land([landing, behind], "a", 1, base)
    assert.deepStrictEqual(rest, {
      ...landing,
      phase: "green",
      members: members(2, 3),
      steps: [step(2), step(3)],
      foundation: { ...foundation([], "tree-main"), base }
    })
    assert.deepStrictEqual(stacked?.foundation, { ...foundation([2, 3], "tree-3"), base, onto: "onto-tree-3" })
    const [unfounded] = Batch.land([{ ...landing, foundation: null }], "a", 1, base)
    assert.isNull(unfounded?.foundation)
  })

  it("a batch that lands shows where the part behind it is the failed tree again, if it landed as it was tested", () => {
    const left = tested("x.1", [1], { root: "x", foundation: foundation([], "tree-main") })
    const right = tested("x.2", [2], { root: "x", foundation: null, suspect: suspect({ left: "x.1" }) })
    const landed = (part: Partial<Batch.Batch>, on = "tree-main", tree = "tree-1", of = "x.1") => {
      const after = Batch.land(
        [
          { ...left, ...part },
          { ...right, suspect: suspect({ left: of, on }) }
        ],
        "x.1",
        1,
        { ...base, tree }
      )
      return [after[0]?.suspect?.left, after[0]?.suspect?.base]
    }
    assert.deepStrictEqual(landed({}), [null, "tree-1"])
    assert.deepStrictEqual(landed({}, "elsewhere"), [null, null])
    assert.deepStrictEqual(landed({}, "tree-main", "other"), [null, null])
    assert.deepStrictEqual(landed({ round: null }), [null, null])
    assert.deepStrictEqual(landed({}, "tree-main", "tree-1", "y.1"), ["y.1", null])
    const part = Batch.land([tested("x.1", [1, 9], { root: "x" }), right], "x.1", 1, base)
    assert.strictEqual(part[1]?.suspect?.left, "x.1")
  })
})

describe("a red batch that is split", () => {
  it("a red batch becomes two halves, the left one not smaller, and the right one suspect", () => {
    const red = tested("r", [1, 2, 3, 4, 5], { phase: "red", failed, root: "root", splits: 1, rule: "hotfix" })
    const sibling = tested("s", [6], { root: "root", splits: 1, suspect: suspect({ left: "r" }) })
    const other = tested("t", [7], { splits: 4, suspect: suspect({ left: "q" }) })
    const split = Bisection.split([red, sibling, other], "r")
    assert.deepStrictEqual(numbersOf(split), [[1, 2, 3], [4, 5], [6], [7]])
    assert.deepStrictEqual(
      split.map(({ id, phase, root, rule, splits }) => [id, root, rule, splits, phase]),
      [
        ["r.1", "root", "hotfix", 2, "planned"],
        ["r.2", "root", "hotfix", 2, "planned"],
        ["s", "root", "default", 2, "testing"],
        ["t", "t", "default", 4, "testing"]
      ]
    )
    assert.deepStrictEqual(
      split.map((batch) => batch.suspect),
      [null, suspect({ left: "r.1" }), suspect({ left: "r.2" }), suspect({ left: "q" })]
    )
  })

  it("a red batch was tested on its foundation, or on where its own suspicion says", () => {
    const on = (change: Partial<Batch.Batch>) =>
      Bisection.split([tested("r", [1, 2], { phase: "red", failed, ...change })], "r")[1]?.suspect?.on
    assert.strictEqual(on({}), "tree-main")
    assert.strictEqual(on({ foundation: null, suspect: suspect({ base: "known" }) }), "known")
    assert.strictEqual(on({ foundation: null }), "")
    const whole = [tested("r", [1, 2])]
    assert.strictEqual(Bisection.split(whole, "r"), whole)
    assert.strictEqual(Bisection.split(whole, "gone"), whole)
  })

  it("a root is joined again at the place of its first part, and other batches stay", () => {
    const parts = [
      tested("a", [9]),
      tested("r.1", [1], { root: "r", splits: 3, rule: "hotfix" }),
      tested("b", [8]),
      tested("r.2", [2, 3], { root: "r", splits: 3 })
    ]
    const joined = Bisection.join(parts, "r", "new")
    assert.deepStrictEqual(numbersOf(joined), [[9], [1, 2, 3], [8]])
    assert.deepStrictEqual(joined[1], { ...Batch.make("new", "hotfix", members(1, 2, 3)), root: "r", splits: 3 })
    assert.deepStrictEqual([joined[0], joined[2]], [parts[0], parts[2]])
    assert.strictEqual(Bisection.join(parts, "gone", "new"), parts)
  })

  it("a part is red without a run where all before it landed as tested, and the failure allows it", () => {
    const of = (
      inferCulprit: "never" | "judged_real" | "always",
      change: Partial<Batch.Batch> = {},
      base = "here",
      outcome: Batch.Failed["outcome"] = "red",
      judged: Batch.Failed["class"] = "real"
    ) =>
      Bisection.isInferable(
        {
          ...tested("x", [1], { phase: "planned" }),
          suspect: suspect({ base: "here", failed: { ...failed, outcome, class: judged } }),
          ...change
        },
        base,
        // The rule reads this setting alone.
        { inferCulprit } as Parameters<typeof Bisection.isInferable>[2]
      )
    assert.deepStrictEqual(
      (["never", "judged_real", "always"] as const).map((each) => of(each)),
      [false, true, true]
    )
    assert.deepStrictEqual(
      [of("judged_real", {}, "here", "red", "unknown"), of("always", {}, "here", "red", "unknown")],
      [false, true]
    )
    assert.isFalse(of("always", {}, "elsewhere"))
    assert.isFalse(of("always", {}, "here", "timeout"))
    assert.isFalse(of("always", { phase: "testing" }))
    assert.isFalse(of("always", { suspect: null }))
    assert.isFalse(of("always", { suspect: suspect({ base: null }) }))
  })
})
