import { HealthPolicy } from "@lazaret/domain"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

const isPolicy = Schema.is(HealthPolicy.HealthPolicy)

describe("HealthPolicy", () => {
  it.prop("every generated policy has whole counts and shares from 0 to 1", [HealthPolicy.HealthPolicy], ([policy]) => {
    const { brokenChance, cleanChance, impactHigh, impactMedium, leastRate, mostRate, ...counts } = policy
    const shares = [brokenChance, cleanChance, impactHigh, impactMedium, leastRate, mostRate]
    assert.isTrue(Object.values(counts).every((count) => Number.isSafeInteger(count) && count >= 0))
    assert.isTrue(shares.every((share) => share >= 0 && share <= 1))
  })

  it("numbers that would make a rule meaningless are refused", () => {
    const faults: ReadonlyArray<Partial<HealthPolicy.HealthPolicy>> = [
      { rememberedCommits: 0 },
      { rememberedCommits: 1.5 },
      { recoveryPasses: 0 },
      { recoveryCommits: 3 },
      { brokenCommits: 0 },
      { cleanPasses: 0 },
      { episodeDays: -1 },
      { cleanDays: Number.NaN },
      { impactMedium: -0.1 },
      { impactHigh: 1.1 },
      { activeDays: 0 }
    ]
    for (const fault of faults) assert.isFalse(isPolicy({ ...HealthPolicy.defaults, ...fault }), JSON.stringify(fault))
  })

  it("the policy has the published defaults, and each count its bounds", () => {
    const counts: ReadonlyArray<readonly [keyof HealthPolicy.HealthPolicy, number, number, number]> = [
      ["cleanPasses", 10, 1, 1000],
      ["cleanDays", 7, 0, 365],
      ["cleanDaysMost", 14, 0, 365],
      ["recoveryPasses", 3, 1, 1000],
      ["recoveryCommits", 2, 1, 2],
      ["brokenCommits", 5, 1, 64],
      ["brokenCommitsMost", 20, 1, 64],
      ["halfLifeDays", 14, 1, 365],
      ["episodeDays", 14, 0, 365],
      ["rememberedCommits", 16, 1, 64],
      ["otherBranchDays", 14, 0, 365],
      ["otherBranchFailureDays", 30, 0, 365],
      ["confidenceMedium", 10, 0, 1_000_000],
      ["confidenceHigh", 30, 0, 1_000_000],
      ["activeDays", 30, 1, 365]
    ]
    const shares = {
      cleanChance: 0.1,
      brokenChance: 0.005,
      leastRate: 0.004,
      mostRate: 0.95,
      impactMedium: 0.05,
      impactHigh: 0.2
    }
    const known = { ...Object.fromEntries(counts.map(([name, value]) => [name, value])), ...shares }
    assert.deepStrictEqual<Record<string, number>>(HealthPolicy.defaults, known)
    for (const [name, , least, most] of counts) {
      const fits = [least - 1, least, most, most + 1].map((value) =>
        isPolicy({ ...HealthPolicy.defaults, [name]: value })
      )
      assert.deepStrictEqual(fits, [false, true, true, false], name)
    }
  })
})
