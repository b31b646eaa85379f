import { assert, describe, it } from "@effect/vitest"
import { JsonReport } from "@lazaret/ingest"
import { Result, Schema } from "effect"
import * as JsonDepth from "../../src/json/JsonDepth.ts"

const nested = (levels: number): string => `${'{"a":['.repeat(levels / 2)}${"]}".repeat(levels / 2)}`

/** The levels of a value, counted on the value. */
const levelsOf = (value: unknown): number =>
  typeof value === "object" && value !== null
    ? 1 + Math.max(0, ...Object.values(value).map((each: unknown) => levelsOf(each)))
    : 0

describe("the nesting of a JSON text", () => {
  it("the nesting of a JSON text is refused when it is too deep, before the text is parsed", () => {
    assert.isFalse(JsonDepth.isTooDeep(nested(JsonDepth.mostLevels)))
    assert.isTrue(JsonDepth.isTooDeep(nested(JsonDepth.mostLevels + 2)))
    const refusal = JsonReport.parse("[".repeat(100_000))
    assert.match(Result.isFailure(refusal) ? refusal.failure.message : "", /nests deeper than 1000 levels/u)
  })

  it.prop(
    "the nesting of a JSON text is that of the value, whatever brackets, quotes and backslashes its texts hold",
    [Schema.Json, Schema.Array(Schema.Literals(["[", "{", '"', "\\", "]", "a"]))],
    ([value, text]) => {
      const inner = { [text.join("")]: [text.join(""), value] }
      const levels = levelsOf(inner)
      const around = JsonDepth.mostLevels - levels
      const json = JSON.stringify(inner)
      assert.isFalse(JsonDepth.isTooDeep("[".repeat(around) + json + "]".repeat(around)))
      assert.isTrue(JsonDepth.isTooDeep("[".repeat(around + 1) + json + "]".repeat(around + 1)))
    }
  )
})
