import { Outage, TestSet } from "@lazaret/domain"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Arbitrary from "effect/Arbitrary"

const policy = Outage.defaults

const range = (from: number, until: number): ReadonlyArray<number> =>
  Array.from({ length: until - from }, (_, index) => from + index)

/** A run of the first `tests` tests, of which the first `failed` fail. */
const run = (at: number, commit: string, failed: number, tests = 10): Outage.Run => ({
  key: `run ${at}`,
  at,
  commit,
  failed: TestSet.of(range(0, failed)),
  passed: TestSet.of(range(failed, tests)),
  ownShare: 0
})

const judged = (...runs: ReadonlyArray<Outage.Run>) => Outage.judge(Outage.initial(), runs, policy)

const excused = (...runs: ReadonlyArray<Outage.Run>) => judged(...runs).map(({ judgement }) => judgement.excused)

const whole = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum }))

/** Runs of few commits that finish at few instants, in no order, in which many tests often fail. */
const runLists = Arbitrary.map(
  Arbitrary.array(
    Arbitrary.schema(
      Schema.Struct({
        at: whole(9),
        commit: Schema.Literals(["a", "b", "c", "d"]),
        failed: Schema.Literals([0, 0, 1, 3, 5, 6]),
        tests: Schema.Literals([6, 6, 6, 2, 0])
      })
    ),
    { maxLength: 16 }
  ),
  (draws) =>
    draws.map(({ at, commit, failed, tests }, index) => ({
      ...run(at, commit, Math.min(failed, tests), tests),
      key: `run ${index % 2 === 0 ? index : -index}`
    }))
)

describe("Outage.judge", () => {
  it("the failed tests of an outage, and those that are few, are one to a million", () => {
    const isValid = Schema.is(Outage.OutagePolicy)
    for (const name of ["failedTests", "fewTests"] as const) {
      assert.deepStrictEqual(
        [0, 1, 1_000_000, 1_000_001].map((count) => isValid({ ...policy, [name]: count })),
        [false, true, true, false],
        name
      )
    }
  })

  it("most failures with an error of their own exclude an outage", () => {
    const hit = (ownShare: number) => judged(run(1, "a", 0), { ...run(2, "b", 10), ownShare })[1]?.judgement.outage
    assert.deepStrictEqual([hit(0.5), hit(0.6)], [true, false])
    assert.deepStrictEqual(
      [0, 2, 3].map((ownFailed) => Outage.ownShareOf({ failed: 4, ownFailed })),
      [0, 0.5, 0.75]
    )
    assert.strictEqual(Outage.ownShareOf({ failed: 0, ownFailed: 0 }), 0)
  })

  it("3 tests that passed on the reference commit, and 5 % of them, are an outage", () => {
    const isOutage = (failed: number, tests: number) =>
      judged(run(1, "a", 0, tests), run(2, "b", failed, tests))[1]?.judgement.outage
    const found = [isOutage(2, 3), isOutage(3, 3), isOutage(3, 60), isOutage(3, 61), isOutage(50, 1000)]
    assert.deepStrictEqual(found, [false, true, true, false, true])
  })

  it("Outage.judge says how many of the tests that passed before fail", () => {
    const [, second] = judged(run(1, "a", 1, 30), run(2, "b", 27, 30))
    assert.deepStrictEqual(second?.judgement, { outage: true, excused: true, many: true, hit: 26, passedBefore: 29 })
  })

  it("the outages of two commits in a row are excused, and that of the third counts and is the next reference", () => {
    const runs = ["a", "b", "b", "c", "d", "e"].map((commit, index) => run(index, commit, index === 0 ? 0 : 5))
    assert.deepStrictEqual(excused(...runs), [false, true, true, true, false, false])
    assert.deepStrictEqual(
      judged(...runs).map(({ judgement }) => judgement.outage),
      [false, true, true, true, true, false]
    )
  })

  it("a run that is not an outage ends the row, unless few of the tests ran in it", () => {
    const row = (tests: number) =>
      excused(run(0, "a", 0), run(1, "b", 5), run(2, "c", 0, tests), run(3, "d", 5), run(4, "e", 5)).at(-1)
    assert.deepStrictEqual([row(10), row(5), row(4)], [true, true, false])
  })

  it("a commit is not compared with its own earlier run", () => {
    assert.deepStrictEqual(excused(run(0, "a", 0), run(1, "a", 5)), [false, false])
    assert.deepStrictEqual(excused(run(0, "a", 0), run(1, "b", 1), run(2, "a", 5)), [false, false, true])
  })

  it("few failures are fewer than 4, or less than 1 % of the tests that ran", () => {
    const isMany = (failed: number, tests: number) => judged(run(0, "a", failed, tests))[0]?.judgement.many
    assert.deepStrictEqual([isMany(3, 3), isMany(4, 400), isMany(4, 401), isMany(5, 500)], [false, true, false, true])
  })

  it.prop("the order in which the runs are given plays no part", [runLists], ([runs]) => {
    const say = (list: ReadonlyArray<Outage.Run>) =>
      judged(...list).map(({ judgement, run: { key } }) => [key, judgement] as const)
    assert.deepStrictEqual(say(runs.toReversed()), say(runs))
  })

  it.prop("judging any split is judging the whole", [runLists, runLists], ([runs, cut]) => {
    const all = judged(...runs)
    const place = Math.min(cut.length, runs.length)
    const sorted = runs.toSorted(Outage.order)
    const head = Outage.judge(Outage.initial(), sorted.slice(0, place), policy)
    const rest = Outage.judge(head.at(-1)?.state ?? Outage.initial(), sorted.slice(place), policy)
    assert.deepStrictEqual([...head, ...rest], all)
  })

  it.prop("an excused run is an outage, on one of two commits in a row at most", [runLists], ([runs]) => {
    for (const { judgement, state } of judged(...runs)) {
      assert.isTrue(!judgement.excused || judgement.outage)
      assert.isAtMost(state.row.length, policy.excusedCommits)
      assert.isAtMost(state.references.length, 2)
    }
  })
})

describe("the reference of a job", () => {
  const referenceAfter = (...runs: ReadonlyArray<Outage.Run>) => {
    const last = judged(...runs).at(-1)
    return last?.state.references.map(({ commit }) => commit)
  }

  it("a commit without any test is not taken as a reference", () => {
    assert.deepStrictEqual(referenceAfter(run(1, "a", 0), run(2, "b", 0, 0), run(3, "c", 0)), ["a"])
    assert.deepStrictEqual(referenceAfter(run(1, "a", 0, 0), run(2, "b", 0)), [])
  })

  it("a commit with half of the tests of its reference is one, and one with fewer is not", () => {
    assert.deepStrictEqual(referenceAfter(run(1, "a", 0), run(2, "b", 0, 5), run(3, "c", 0)), ["b", "a"])
    assert.deepStrictEqual(referenceAfter(run(1, "a", 0), run(2, "b", 0, 4), run(3, "c", 0)), ["a"])
  })
})

describe("equal states of a job", () => {
  const tally = { run: "r", commit: "a", expected: 3, passed: TestSet.of([1]), ran: TestSet.of([1, 2]) }
  const state: Outage.State = { current: tally, references: [tally], row: ["x"] }

  it("two states are the same when nothing that they hold differs", () => {
    const copy = { current: { ...tally }, references: [{ ...tally }], row: ["x"] }
    assert.isTrue(Outage.isSame(state, copy))
    const others = [
      { run: "s" },
      { commit: "b" },
      { expected: 4 },
      { passed: TestSet.of([2]) },
      { ran: TestSet.of([1]) }
    ].map((part) => ({ ...tally, ...part }))
    for (const other of others) {
      assert.isFalse(Outage.isSame(state, { ...state, current: other }))
      assert.isFalse(Outage.isSame(state, { ...state, references: [other] }))
    }
    const differing = [
      { current: null },
      { references: [] },
      { references: [tally, tally] },
      { row: [] },
      { row: ["y"] },
      { row: ["x", "y"] }
    ]
    for (const part of differing) {
      assert.isFalse(Outage.isSame(state, { ...state, ...part }), JSON.stringify(part))
      assert.isFalse(Outage.isSame({ ...state, ...part }, state), JSON.stringify(part))
    }
  })

  it("a state names the runs of its tallies", () => {
    assert.deepStrictEqual(Outage.keysOf(state), ["r", "r"])
    assert.deepStrictEqual(Outage.keysOf({ ...state, current: null }), ["r"])
  })
})

describe("Outage.step, the runs of one commit", () => {
  it("a commit is compared by what passed in all of its runs", () => {
    const [, , third] = judged(run(1, "a", 0), run(2, "a", 0, 2), run(3, "b", 10))
    assert.deepInclude(third?.judgement, { outage: true, hit: 10, passedBefore: 10 })
  })

  it("two states are the same only when all that they remember is", () => {
    const stateOf = (...runs: ReadonlyArray<Outage.Run>) => judged(...runs).at(-1)?.state ?? assert.fail("no run")
    const runs = [run(1, "a", 0), run(2, "b", 0), run(3, "c", 0)]
    const state = stateOf(...runs)
    assert.isTrue(Outage.isSame(state, stateOf(...runs)))
    const [first, ...others] = state.references
    if (first === undefined) return assert.fail("no reference")
    assert.isAbove(others.length, 0)
    assert.isFalse(Outage.isSame(state, { ...state, references: [...others, first] }))
    assert.isFalse(Outage.isSame(state, { ...state, references: others }))
    assert.isFalse(Outage.isSame(state, { ...state, current: null }))
    const [one, two] = [
      { ...state, row: ["x", "y"] },
      { ...state, row: ["x", "z"] }
    ]
    assert.isFalse(Outage.isSame(one, two))
    assert.isFalse(Outage.isSame(one, { ...state, row: ["x"] }))
  })
})
