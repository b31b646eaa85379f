import { assert, describe, it } from "@effect/vitest"
import { SettingsChange } from "@lazaret/domain"
import { String } from "effect"
import { policies } from "../app/pages/settings/Policies.ts"

describe("policies", () => {
  it("the settings form shows the policies and numbers of the domain with their defaults", () => {
    const shown = policies.map(({ fields, name }) => [
      String.snakeToCamel(name),
      Object.fromEntries(fields.map((field) => [String.snakeToCamel(field.name), field.fallback]))
    ])
    assert.deepStrictEqual(Object.fromEntries(shown), SettingsChange.policyDefaults)
  })
})
