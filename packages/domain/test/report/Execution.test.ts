import { Execution } from "@lazaret/domain"
import { histories, names } from "@lazaret/domain/testing"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Arbitrary from "effect/Arbitrary"

const fact: Execution.Execution = {
  id: "r.0",
  testName: "adds",
  at: 0,
  durationMs: 0.001,
  conclusion: "failed",
  flaky: false,
  reruns: 0,
  exception: { type: null, message: null, stacktrace: null },
  filepath: null,
  functionName: null
}

const isExecution = Schema.is(Execution.Execution)

const places = Arbitrary.all({ at: Arbitrary.schema(Schema.Literals([0, 1, 2])), id: names })

describe("Execution.order", () => {
  it("Execution.order is by finish, then by id in code points", () => {
    const sorted = [
      { at: 1, id: "b" },
      { at: 2, id: "A" },
      { at: 2, id: "a" },
      { at: 2, id: "\ufffd" },
      { at: 2, id: "\u{1f600}" },
      { at: 10, id: "a" }
    ]
    assert.deepStrictEqual(sorted.toReversed().toSorted(Execution.order), sorted)
  })

  it.prop("Execution.order is total: two places are equal only when finish and id are", [places, places], ([a, b]) => {
    assert.strictEqual(Execution.order(a, b) + Execution.order(b, a), 0)
    assert.strictEqual(Execution.order(a, b) === 0, a.at === b.at && a.id === b.id)
  })

  it.prop("the order of arrival plays no part", [histories(), Schema.Int], ([history, salt]) => {
    const arrived = history.toSorted((a, b) => spread(a.id, salt) - spread(b.id, salt))
    assert.deepStrictEqual(arrived.toSorted(Execution.order), history.toSorted(Execution.order))
  })
})

describe("Execution", () => {
  it("a conclusion is passed, failed or skipped", () => {
    assert.deepStrictEqual(Execution.Conclusion.literals, ["passed", "failed", "skipped"])
    assert.isFalse(isExecution({ ...fact, conclusion: "error" }))
  })

  it("Execution has a finite duration that is not negative, and whole reruns", () => {
    assert.isTrue(isExecution(fact))
    for (const durationMs of [-1, Number.NaN, Infinity]) assert.isFalse(isExecution({ ...fact, durationMs }))
    for (const reruns of [-1, 0.5]) assert.isFalse(isExecution({ ...fact, reruns }))
  })

  it("every text of it can be stored", () => {
    for (const text of ["a\0", "\ud800"]) {
      assert.isFalse(isExecution({ ...fact, testName: text }))
      assert.isFalse(isExecution({ ...fact, filepath: text }))
      assert.isFalse(isExecution({ ...fact, functionName: text }))
      assert.isFalse(isExecution({ ...fact, exception: { type: null, message: text, stacktrace: null } }))
    }
  })
})

const spread = (id: string, salt: number): number =>
  [...id].reduce((sum, char) => (sum * 31 + char.charCodeAt(0) + salt) % 1009, 7)
