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
})
