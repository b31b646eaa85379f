import { Policy, SettingsChange } from "@lazaret/domain"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

const fields = {
  passes: Policy.count(10, [1, 1000], "Passes", "Nine are too few."),
  rate: Policy.share(0.5, "Rate", "A half.")
}

describe("Policy", () => {
  it("a policy takes whole counts within their bounds and shares from 0 to 1", () => {
    const isPolicy = Schema.is(Policy.schema(fields))
    assert.isTrue(isPolicy({ passes: 1, rate: 0 }))
    assert.isTrue(isPolicy({ passes: 1000, rate: 1 }))
    for (const passes of [0, 1001, 1.5, Number.NaN]) assert.isFalse(isPolicy({ passes, rate: 0 }))
    for (const rate of [-0.1, 1.1]) assert.isFalse(isPolicy({ passes: 1, rate }))
  })

  it("the schema of a number carries its title, its reason and its default", () => {
    const { $defs, properties } = documentOf(Policy.schema(fields))
    const passes = JSON.stringify([properties, $defs])
    assert.include(passes, `"title":"Passes"`)
    assert.include(passes, `"description":"Nine are too few."`)
    assert.include(passes, `"default":10`)
  })

  it("every default of every policy lies within its bounds and has a title and a reason", () => {
    for (const { fields: numbers } of Object.values(SettingsChange.policies)) {
      for (const each of Object.values<Policy.Field>(numbers)) {
        assert.isAtLeast(each.default, each.minimum)
        assert.isAtMost(each.default, each.maximum)
        assert.notStrictEqual(each.title, "")
        assert.match(each.reason, /\.$/)
      }
    }
  })
})

const documentOf = (schema: Schema.Top): { readonly properties: unknown; readonly $defs: unknown } => {
  const { definitions, schema: root } = Schema.toJsonSchemaDocument(schema)
  return { properties: root["properties"], $defs: definitions }
}
