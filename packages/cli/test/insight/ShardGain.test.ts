import { assert, describe, it } from "@effect/vitest"
import * as ShardGain from "../../src/insight/ShardGain.ts"

const share = {
  names: ["a.B"],
  seconds: 2,
  is_new: true,
  known: 0,
  gain: { by_count: 2, by_time: 2, mean: 2, longest: { name: "a.B", seconds: 2 } }
}

describe("ShardGain", () => {
  it("a plan without known durations names the pieces in the plural, and one piece in the singular", () => {
    const ofClasses = ShardGain.lines(share, { by: "class", index: 1, total: 2, names: ["a.B", "a.C"] })
    assert.match(
      ofClasses.join(),
      /^shard 1 of 2: 1 of 2 classes, split .* check that the names are the names of classes\.$/
    )
    const ofTest = ShardGain.lines(share, { by: "test", index: 1, total: 1, names: ["a.B"] })
    assert.match(ofTest.join(), /^shard 1 of 1: 1 of 1 test, split .* the names of tests\.$/)
  })
})
