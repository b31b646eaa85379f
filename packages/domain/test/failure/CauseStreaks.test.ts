import type { JobRecord } from "@lazaret/domain"
import { assert, describe, it } from "@effect/vitest"
import * as CauseStreaks from "../../src/failure/CauseStreaks.ts"

/** Commits in order, each with the tests that failed in its runs. */
const commits = (...failures: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<CauseStreaks.Commit> =>
  failures.map((names, index) => ({
    commit: `c${index}`,
    failures: new Map(names.map((name) => [name, 1])),
    runs: 1
  }))

const many = (count: number) => Array.from({ length: count }, (_, index) => `t${index}`)

const flakesOf = (of: ReadonlyArray<CauseStreaks.Commit>, tests = 100) => CauseStreaks.find(of, tests).flakes

describe("CauseStreaks.find", () => {
  it("a test that failed on one commit between others flaked, as surely as few failed with it", () => {
    assert.deepStrictEqual(flakesOf(commits([], ["a"], [])).get("a"), [{ commit: "c1", age: 1, sure: 0.9 }])
    const sure = (failed: number, tests: number) => flakesOf(commits([], many(failed), []), tests).get("t0")?.[0]?.sure
    assert.deepStrictEqual([sure(3, 100), sure(4, 100)], [0.9, 0.4])
    assert.deepStrictEqual([sure(5, 501), sure(5, 500)], [0.9, 0.4])
  })

  it("a test that failed and passed on one commit flaked there, less surely among many failures", () => {
    const twice = (failed: number): ReadonlyArray<CauseStreaks.Commit> =>
      commits([], many(failed), []).map((commit) => ({ ...commit, runs: 2 }))
    const sure = (failed: number) => flakesOf(twice(failed)).get("t0")
    assert.deepStrictEqual(sure(1), [{ commit: "c1", age: 1, sure: 1 }])
    assert.strictEqual(sure(8)?.[0]?.sure, 0.5)
  })

  it("what still fails at the end is open, with the tests that began to fail with it", () => {
    const { flakes, together } = CauseStreaks.find(commits(["a"], ["a", "b", "c"], ["a", "b", "c"]), 100)
    assert.strictEqual(flakes.size, 0)
    assert.deepStrictEqual([...together].sort(), [
      ["a", 1],
      ["b", 2],
      ["c", 2]
    ])
  })

  it("a row of several commits is a break, the more surely the fewer tests there are, and with others at once", () => {
    const breaks = (tests: number, ...failures: ReadonlyArray<ReadonlyArray<string>>) =>
      CauseStreaks.find(commits([], ...failures, []), tests).breaks
    const row = [["a"], ["a"]]
    // A flake has (0.02 / 5) ** 2, and a break 0.03 / 1000 * 0.75 ** 2.
    assert.closeTo(breaks(1000, ...row), 1 - 1.6e-5 / (1.6e-5 + 1.6875e-5), 1e-9)
    assert.isAbove(breaks(100, ...row), breaks(1000, ...row))
    const both = [
      ["a", "b"],
      ["a", "b"]
    ]
    const one = 1.6e-5 / (1.6e-5 + 1.6875e-4)
    assert.closeTo(breaks(1000, ...both), 1 - one ** 2, 1e-9)
    assert.closeTo(breaks(1000, ...row, [], ...row), 2 * (1 - (0.02 / 8) ** 2 / ((0.02 / 8) ** 2 + 1.6875e-5)), 1e-9)
  })

  it("a row of a test that flakes is rather a row of flakes", () => {
    const { breaks } = CauseStreaks.find(commits([], ["a"], [], ["a"], ["a"], []), 1000)
    const flaking = (1.02 / 7) ** 2
    assert.closeTo(breaks, 1 - flaking / (flaking + 1.6875e-5), 1e-9)
  })
})

describe("CauseStreaks.commitsOf", () => {
  it("runs of one commit are together, in the order of the first of them", () => {
    const run = (commit: string, at: number, failures: ReadonlyArray<string> | null): JobRecord.BaseRun => ({
      at,
      commit,
      passed: 9,
      failed: failures?.length ?? 60,
      isOutage: false,
      failures
    })
    const found = CauseStreaks.commitsOf([
      run("b", 2, null),
      run("a", 3, ["x"]),
      run("a", 1, ["x", "y"]),
      run("0", 2, [])
    ])
    assert.deepStrictEqual(
      found.map(({ commit, failures, runs }) => [commit, runs, Object.fromEntries(failures)]),
      [
        ["a", 2, { x: 2, y: 1 }],
        ["0", 1, {}],
        ["b", 1, {}]
      ]
    )
  })
})
