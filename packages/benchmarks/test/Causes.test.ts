import * as Figures from "../src/causes/ClusterFigures.ts"
import * as Rules from "../src/causes/ClusterRules.ts"
import * as Generated from "../src/causes/GeneratedCauses.ts"
import { assert, describe, it } from "@effect/vitest"

const groups = (entries: Readonly<Record<string, string>>) => new Map(Object.entries(entries))

describe("figures of groups", () => {
  it("equal groupings have an index of 1, whatever the groups are called", () => {
    const known = groups({ a: "1", b: "1", c: "2" })
    assert.deepStrictEqual(Figures.figuresOf(known, groups({ a: "x", b: "x", c: "y" })), {
      together: 1,
      strangers: 0,
      rand: 1
    })
  })

  it("a test without a predicted group is alone", () => {
    const known = groups({ a: "1", b: "1", c: "1", d: "2" })
    const { strangers, together } = Figures.figuresOf(known, groups({ a: "x", b: "x", d: "x" }))
    assert.deepStrictEqual([together, strangers], [1 / 3, 1 - 1 / 3])
  })
})

describe("generated causes", () => {
  it("pairs of one cause are together and strangers are not, better than by any simple rule", () => {
    const repositories = Generated.seeds.tune.slice(0, 12).map(Generated.generate)
    const of = (rule: Rules.ClusterRule) =>
      Figures.pooled(repositories.map((each) => [Generated.truthOf(each, 1), rule.groupsOf(each.runs)]))
    const found = of(Rules.causes)
    assert.isAtLeast(found.together ?? 0, 0.75)
    assert.isAtMost(found.strangers ?? 1, 0.05)
    for (const rule of Rules.all.slice(0, -1)) assert.isBelow(of(rule).rand, found.rand)
  })
})
