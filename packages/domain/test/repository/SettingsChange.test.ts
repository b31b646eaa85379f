import { assert, describe, it } from "@effect/vitest"
import { Repository, SettingsChange } from "@lazaret/domain"
import { Schema } from "effect"

describe("a change of settings", () => {
  const isSettings = Schema.is(Repository.RepositorySettings)

  it("a change of settings replaces what it names, in policies too, and leaves the rest", () => {
    const first = SettingsChange.apply(Repository.defaultSettings, {
      defaultBranch: "develop",
      health: { cleanPasses: 20, cleanDays: 1 }
    })
    const second = SettingsChange.apply(first, { autoRemoval: true, health: { cleanDays: 2 } })
    assert.deepStrictEqual(second, {
      ...Repository.defaultSettings,
      defaultBranch: "develop",
      autoRemoval: true,
      health: { cleanPasses: 20, cleanDays: 2 }
    })
    assert.isTrue(isSettings(second))
  })

  it("a change of settings brings defaults back with null, and a policy keeps no number that is its default", () => {
    const set = {
      ...Repository.defaultSettings,
      flakyDetection: false,
      health: { cleanPasses: 20 },
      outage: { failedTests: 2 }
    }
    const change = { flakyDetection: null, health: { cleanPasses: 10, cleanDays: null }, outage: null }
    assert.deepStrictEqual(SettingsChange.apply(set, change), Repository.defaultSettings)
  })

  it("made twice is made once, and one of nothing changes nothing", () => {
    const changes: ReadonlyArray<SettingsChange.SettingsChange> = [
      {},
      { health: null },
      { health: { cleanPasses: 3 }, autoQuarantine: "flaky" },
      { quarantine: { recoveredDays: null }, defaultBranch: null }
    ]
    for (const before of changes) {
      const settings = SettingsChange.apply(Repository.defaultSettings, before)
      assert.deepStrictEqual(SettingsChange.apply(settings, {}), settings)
      for (const change of changes) {
        const once = SettingsChange.apply(settings, change)
        assert.deepStrictEqual(SettingsChange.apply(once, change), once)
      }
    }
  })
})
