import { Health, Rollup, TestDetails, type TestIdentity } from "@lazaret/domain"
import { assert, describe, it } from "@effect/vitest"

const identity: TestIdentity.TestIdentity = { testName: "sorts", pipelineName: "ci", jobName: "unit" }

const onset = (at: number) => ({ id: `e${at}`, at, commit: `c${at}` })

const record = (changes: Partial<TestDetails.IdentityRecord>): TestDetails.IdentityRecord => ({
  identity,
  state: Health.initial,
  recent: Rollup.empty,
  firstSeenAt: 1,
  lastAt: 9,
  lastId: "e9",
  lastConclusion: "passed",
  lastFailureAt: null,
  lastSuccessAt: null,
  framework: null,
  frameworkVersion: null,
  language: null,
  filepath: null,
  functionName: null,
  ...changes
})

const was = (at: number, status: "healthy" | "broken" = "healthy") =>
  record({ state: { ...Health.initial, status, onset: onset(at) }, lastFailureAt: at })

describe("TestDetails.of", () => {
  it("the latest failure and pass are those of any identity, also when some have none", () => {
    const records = [
      record({ lastFailureAt: 3, lastSuccessAt: null }),
      record({ lastFailureAt: null, lastSuccessAt: 7 }),
      record({ lastFailureAt: 5, lastSuccessAt: 6 })
    ] as const
    const details = TestDetails.of(records)
    assert.deepStrictEqual([details.lastFailureAt, details.lastSuccessAt], [5, 7])
    const [first] = records
    assert.deepStrictEqual(TestDetails.of([first]).lastSuccessAt, null)
    assert.deepStrictEqual(TestDetails.of([record({}), first]).lastFailureAt, 3)
  })

  it("the first failure is the earliest of the unhealthy identities", () => {
    assert.deepStrictEqual(TestDetails.of([was(2), was(6, "broken"), was(4, "broken")]).firstFailure, onset(4))
  })

  it("the first failure of a healthy test is that of its latest trouble", () => {
    assert.deepStrictEqual(TestDetails.of([was(2), was(6), was(4)]).firstFailure, onset(6))
  })

  it("a test whose only trouble was inside a job has no first failure", () => {
    const state = { ...Health.initial, onset: onset(6) }
    assert.isNull(TestDetails.of([record({ state })]).firstFailure)
    assert.isNull(TestDetails.of([record({ state, lastFailureAt: 5 })]).firstFailure)
    assert.deepStrictEqual(TestDetails.of([record({ state, lastFailureAt: 6 })]).firstFailure, onset(6))
  })

  it("a test has the conclusion of the identity that ran last, and of two at one instant that of the greater id", () => {
    const early = record({ lastAt: 5, lastId: "e7", lastConclusion: "failed" })
    const late = record({ lastAt: 9, lastId: "e1", lastConclusion: "passed" })
    const other = record({ lastAt: 9, lastId: "e2", lastConclusion: "failed" })
    const conclusion = (...records: Parameters<typeof TestDetails.of>[0]) => TestDetails.of(records).lastConclusion
    assert.deepStrictEqual([conclusion(early, late), conclusion(late, early)], ["passed", "passed"])
    assert.deepStrictEqual([conclusion(late, other), conclusion(other, late)], ["failed", "failed"])
  })

  it("a test is described by the first identity that says something", () => {
    const found = TestDetails.of([
      record({}),
      record({ framework: "vitest", filepath: "a.test.ts" }),
      record({ framework: "jest", language: "TypeScript" })
    ])
    assert.deepInclude(found, {
      framework: "vitest",
      filepath: "a.test.ts",
      language: "TypeScript",
      functionName: null
    })
  })
})
