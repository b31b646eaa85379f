import { assert, describe, it } from "@effect/vitest"
import { SettingsChange } from "@lazaret/domain"
import { String as Text } from "effect"
import * as Draft from "../app/pages/repository/settings/Draft.ts"
import { isShare, policies } from "../app/pages/repository/settings/Policies.ts"

describe("policies", () => {
  it("the settings form shows the policies and numbers of the domain with their defaults", () => {
    const shown = policies.map(({ fields, name }) => [
      Text.snakeToCamel(name),
      Object.fromEntries(fields.map((field) => [Text.snakeToCamel(field.name), field.fallback]))
    ])
    assert.deepStrictEqual(Object.fromEntries(shown), SettingsChange.policyDefaults)
  })

  it("a share is edited in per cent and sent as a fraction, without the digits of binary fractions", () => {
    for (const policy of policies) {
      for (const field of policy.fields.filter(isShare)) {
        for (const value of [0.07, 0.29, 0.005, 1]) {
          const path = `${policy.name}.${field.name}`
          const text = String(Number((value * 100).toPrecision(12)))
          assert.deepStrictEqual(Draft.changeOf({ [path]: "" }, { [path]: text }), {
            [policy.name]: { [field.name]: value }
          })
        }
      }
    }
  })
})
