import { Outage } from "@lazaret/domain"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Arbitrary from "effect/Arbitrary"
import * as fc from "fast-check"

const policy = Outage.defaults

const run = (at: number, commit: string, failed: number, passed = 0): Outage.RunTotals => ({
  key: `run ${at}`,
  at,
  commit,
  passed,
  failed
})

const outage = (at: number, commit: string) => run(at, commit, 50, 50)
const normal = (at: number, commit: string) => run(at, commit, 1, 99)

const excused = (...runs: ReadonlyArray<Outage.RunTotals>): ReadonlyArray<string> => [...Outage.excused(runs, policy)]

const whole = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum }))

/** Runs of few commits that finish at few instants, in no order, half of them outages. */
const runLists = Arbitrary.map(
  Arbitrary.array(
    Arbitrary.schema(
      Schema.Struct({
        at: whole(6),
        commit: Schema.Literals(["a", "b", "c"]),
        totals: Schema.Literals([0, 1, 2, 3])
      })
    ),
    { maxLength: 14 }
  ),
  (draws) =>
    draws.map(({ at, commit, totals }, index): Outage.RunTotals => {
      const [passed, failed] = [
        [100, 1],
        [50, 50],
        [0, 5],
        [0, 4]
      ][totals] ?? [0, 0]
      return { key: `run ${index % 2 === 0 ? index : -index}`, at, commit, passed: passed ?? 0, failed: failed ?? 0 }
    })
)

/** The definition, read aloud: the latest run before it on another commit was no outage. */
const isExcused = (one: Outage.RunTotals, runs: ReadonlyArray<Outage.RunTotals>): boolean => {
  const isBefore = (a: Outage.RunTotals, b: Outage.RunTotals) =>
    a.at !== b.at ? a.at < b.at : Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)) < 0
  const earlier = runs.filter((other) => other.commit !== one.commit && isBefore(other, one))
  const predecessor = earlier.find((other) => earlier.every((third) => third === other || isBefore(third, other)))
  return Outage.isOutage(one, policy) && (predecessor === undefined || !Outage.isOutage(predecessor, policy))
}

describe("Outage.isOutage", () => {
  it("20 failed tests that are a fifth of all, or all of 5, are an outage", () => {
    const table: ReadonlyArray<readonly [failed: number, passed: number, isOutage: boolean]> = [
      [20, 80, true],
      [20, 81, false],
      [19, 0, true],
      [19, 1, false],
      [200, 800, true],
      [200, 801, false],
      [5, 0, true],
      [4, 0, false],
      [5, 1, false],
      [0, 0, false],
      [0, 100, false]
    ]
    for (const [failed, passed, expected] of table) {
      assert.strictEqual(
        Outage.isOutage(run(0, "a", failed, passed), policy),
        expected,
        `${failed} of ${passed + failed}`
      )
    }
  })

  it("a share is met exactly, whatever percentage the policy names", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 100 }), fc.integer({ min: 1, max: 2000 }), (percent, scale) => {
        const strict = { failedTests: 1, failedShare: percent / 100, allFailed: 1_000_000 }
        const failed = percent * scale
        fc.pre(failed > 0)
        assert.isTrue(Outage.isOutage(run(0, "a", failed, 100 * scale - failed), strict))
        assert.isFalse(Outage.isOutage(run(0, "a", failed - 1, 100 * scale - failed + 1), strict))
      }),
      { numRuns: 1000 }
    )
  })
})

describe("Outage.excused", () => {
  it("of two outages in a row on different commits the first is excused and the second counts", () => {
    assert.deepStrictEqual(excused(outage(1, "a"), outage(2, "b")), ["run 1"])
    assert.deepStrictEqual(excused(outage(1, "a"), outage(2, "b"), outage(3, "c")), ["run 1"])
  })

  it("an outage after a normal run is excused again", () => {
    assert.deepStrictEqual(excused(outage(1, "a"), normal(2, "b"), outage(3, "c")), ["run 1", "run 3"])
  })

  it("reruns of one commit are skipped when the predecessor is looked for", () => {
    assert.deepStrictEqual(excused(outage(1, "a"), outage(2, "a")), ["run 1", "run 2"])
    assert.deepStrictEqual(excused(outage(1, "a"), outage(2, "b"), outage(3, "b")), ["run 1"])
    assert.deepStrictEqual(excused(outage(1, "a"), normal(2, "b"), outage(3, "b")), ["run 1"])
    assert.deepStrictEqual(excused(normal(1, "a"), normal(2, "b"), outage(3, "b")), ["run 3"])
  })

  it("runs that are no outage are never excused", () => {
    assert.deepStrictEqual(excused(normal(1, "a"), normal(2, "b")), [])
    assert.deepStrictEqual(excused(), [])
  })

  it.prop("is the naive definition", [runLists], ([runs]) => {
    const expected = runs.filter((one) => isExcused(one, runs)).map(({ key }) => key)
    assert.deepStrictEqual(Outage.excused(runs, policy), new Set(expected))
  })

  it.prop("the order of arrival plays no part", [runLists, Schema.Int], ([runs, salt]) => {
    const shuffled = runs.toSorted((a, b) => spread(a.key, salt) - spread(b.key, salt))
    assert.deepStrictEqual(Outage.excused(shuffled, policy), Outage.excused(runs, policy))
    assert.deepStrictEqual(Outage.excused(runs.toReversed(), policy), Outage.excused(runs, policy))
  })

  it.prop("a run depends on itself and its predecessor alone", [runLists], ([runs]) => {
    const sorted = runs.toSorted(Outage.order)
    sorted.forEach((one, index) => {
      const predecessor = sorted.slice(0, index).findLast((other) => other.commit !== one.commit)
      const alone = Outage.excused(predecessor === undefined ? [one] : [predecessor, one], policy)
      assert.strictEqual(Outage.excused(runs, policy).has(one.key), alone.has(one.key))
    })
  })
})

const spread = (key: string, salt: number): number =>
  [...key].reduce((sum, char) => (sum * 31 + char.charCodeAt(0) + salt) % 1009, 7)
