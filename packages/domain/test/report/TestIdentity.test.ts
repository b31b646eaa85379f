import { TestIdentity, Text } from "@lazaret/domain"
import { names } from "@lazaret/domain/testing"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Arbitrary from "effect/Arbitrary"

const identities = Arbitrary.all({ testName: names, pipelineName: names, jobName: names })

const parts = ({ testName, pipelineName, jobName }: TestIdentity.TestIdentity) => [testName, pipelineName, jobName]

describe("TestIdentity", () => {
  it("the same test in another job or pipeline is another identity", () => {
    const identity = { testName: "adds", pipelineName: "CI", jobName: "unit" }
    const keys = [identity, { ...identity, jobName: "e2e" }, { ...identity, pipelineName: "nightly" }]
    assert.strictEqual(new Set(keys.map(TestIdentity.key)).size, 3)
  })

  it("a text cannot move from one name into the next", () => {
    const one = { testName: "ab", pipelineName: "c", jobName: "d" }
    assert.notStrictEqual(TestIdentity.key(one), TestIdentity.key({ ...one, testName: "a", pipelineName: "bc" }))
  })

  it("names are 1 to 10,000 characters without NUL", () => {
    const isName = Schema.is(TestIdentity.Name)
    assert.isTrue(isName("\u{1f600}".repeat(10_000)))
    assert.deepStrictEqual(["", "a\0", "a".repeat(10_001)].map(isName), [false, false, false])
  })

  it.prop("keys are equal for equal identities only, and are ordered alike", [identities, identities], ([a, b]) => {
    const isEqual = parts(a).every((part, index) => part === parts(b)[index])
    assert.strictEqual(TestIdentity.key(a) === TestIdentity.key(b), isEqual)
    assert.strictEqual(TestIdentity.IdentityOrder(a, b), Text.compare(TestIdentity.key(a), TestIdentity.key(b)))
  })

  it("TestIdentity is ordered by test name, then pipeline, then job", () => {
    const identity = (testName: string, pipelineName: string, jobName: string) => ({ testName, pipelineName, jobName })
    const sorted = [
      identity("a", "a", "b"),
      identity("a", "b", "a"),
      identity("a\u0001", "a", "a"),
      identity("b", "a", "a"),
      identity("\ufffd", "a", "a"),
      identity("\u{1f600}", "a", "a")
    ]
    assert.deepStrictEqual(sorted.toReversed().toSorted(TestIdentity.IdentityOrder), sorted)
  })
})
