import { Health, HealthPolicy, Instant, Quarantine, TestId } from "@lazaret/domain"
import { histories, names } from "@lazaret/domain/testing"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

const policy = Quarantine.defaults
const now = 100 * Instant.day
const created = { createdAt: now - 20 * Instant.day }

/** A test that failed 7 days ago and passed 10 times since: just recovered. */
const state: Health.State = {
  ...Health.initial,
  status: "healthy",
  cleanPasses: 10,
  failureAt: now - 7 * Instant.day
}

const identity = (changes: Partial<Health.State> = {}, rest: Partial<Quarantine.IdentityHealth> = {}) => ({
  state: { ...state, ...changes },
  lastAt: now,
  active: true,
  ...rest
})

const isRecovered = (...identities: ReadonlyArray<Quarantine.IdentityHealth>): boolean =>
  Quarantine.isRecovered(created, identities, now, policy)

const neverFailed = { failureAt: null }
const idle = { active: false }
const beforeCreation = { lastAt: created.createdAt - 1 }

describe("Quarantine.isRecovered", () => {
  const table: ReadonlyArray<readonly [rule: string, ReadonlyArray<Quarantine.IdentityHealth>, recovered: boolean]> = [
    ["10 clean passes and 7 days since the last failure", [identity()], true],
    ["9 clean passes are too few", [identity({ cleanPasses: 9 })], false],
    ["a millisecond less than 7 days is too early", [identity({ failureAt: now - 7 * Instant.day + 1 })], false],
    ["a flaky identity has not recovered", [identity({ status: "flaky" })], false],
    ["a broken identity has not recovered", [identity({ status: "broken" })], false],
    ["every active identity must be healthy", [identity(), identity({ status: "flaky" })], false],
    ["every active identity must have its clean passes", [identity(), identity({ cleanPasses: 9 })], false],
    ["every active identity must have its days", [identity(), identity({ failureAt: now })], false],
    ["all of them have", [identity(), identity()], true],
    ["an identity that has not run for 30 days is not asked", [identity(), identity({ status: "flaky" }, idle)], true],
    ["without an active identity nothing is known", [identity({}, idle)], false],
    ["without any identity nothing is known", [], false],
    ["without executions since creation nothing is known", [identity({}, beforeCreation)], false],
    ["an execution at the creation is one since", [identity({}, { lastAt: created.createdAt })], true],
    ["executions of one identity since creation suffice", [identity(), identity({}, beforeCreation)], true],
    ["executions of an idle identity do not", [identity({}, beforeCreation), identity({}, idle)], false],
    ["a test that never failed needs 10 clean passes", [identity({ ...neverFailed, cleanPasses: 9 })], false],
    ["and no days", [identity(neverFailed)], true],
    [
      "an identity that never failed does not hold up one that has recovered",
      [identity(), identity({ ...neverFailed, cleanPasses: 1 })],
      true
    ]
  ]
  for (const [rule, identities, recovered] of table) {
    it(`${rule}`, () => {
      assert.strictEqual(isRecovered(...identities), recovered)
      assert.strictEqual(isRecovered(...identities.toReversed()), recovered)
    })
  }

  it("the thresholds are those of the policy", () => {
    const strict = { ...policy, recoveredPasses: 11, recoveredDays: 8 }
    const recovered = (changes: Partial<Health.State>) =>
      Quarantine.isRecovered(created, [identity(changes)], now, strict)
    assert.isFalse(recovered({ cleanPasses: 10, failureAt: 0 }))
    assert.isFalse(recovered({ cleanPasses: 11 }))
    assert.isTrue(recovered({ cleanPasses: 11, failureAt: now - 8 * Instant.day }))
  })

  it.prop(
    "of one identity it is the definition, read off its executions",
    [histories({ failures: 15 })],
    ([history]) => {
      const folded = Health.fold(Health.initial, history, HealthPolicy.defaults)
      const last = history.at(-1)?.at ?? 0
      const counted = history.filter(Health.counts)
      const lastTrouble = counted.findLastIndex((e) => e.conclusion === "failed" || e.flaky)
      const passes = counted.slice(lastTrouble + 1).length
      for (const later of [0, 3 * Instant.day, 8 * Instant.day]) {
        const isOver = lastTrouble === -1 || last + later - (counted[lastTrouble]?.at ?? 0) >= 7 * Instant.day
        const found = Quarantine.isRecovered(
          { createdAt: 0 },
          [{ state: folded, lastAt: last, active: history.length > 0 }],
          last + later,
          policy
        )
        assert.strictEqual(found, folded.status === "healthy" && passes >= 10 && isOver)
      }
    }
  )
})

describe("Quarantine, keys", () => {
  const key = (testName: string, branch: string | null) => Quarantine.key({ testName, branch })

  it("the same test on another branch, or on every branch, is another record", () => {
    assert.strictEqual(new Set([key("a", null), key("a", "main"), key("a", "null"), key("b", null)]).size, 4)
  })

  it("a name cannot be read as another name and a branch", () => {
    assert.notStrictEqual(key("a", "b"), key("ab", null))
    assert.notStrictEqual(key("a", "bc"), key("ab", "c"))
  })

  it.prop(
    "keys are equal for the same test and branch only",
    [names, Schema.NullOr(Schema.Literals(["a", "main"])), names, Schema.NullOr(Schema.Literals(["a", "main"]))],
    ([name, branch, otherName, otherBranch]) => {
      assert.strictEqual(
        key(name, branch) === key(otherName, otherBranch),
        name === otherName && branch === otherBranch
      )
    }
  )

  it("the test id is that of the name, whatever the branch", () => {
    assert.strictEqual(Quarantine.testIdOf({ testName: "a" }), TestId.of("a"))
  })
})
