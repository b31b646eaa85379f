import { ChangeInterval, type ChangeRuns } from "@lazaret/domain"
import { anyChange, type Change, changeRuns, randomOf } from "@lazaret/domain/testing"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"

const placeOf = (commit: string | null): number => (commit === null ? -1 : Number(commit.slice(1)))

const contains = ({ after, last }: ChangeInterval.Interval, change: number): boolean =>
  change > placeOf(after) && change <= placeOf(last)

const plain: Change = { commits: 100, jobs: 1, rate: 1, base: 0, gap: 0, change: 60, mended: 100 }

const medianWidth = (parts: Partial<Change>): number => {
  const random = randomOf(7)
  const widths = Array.from({ length: 31 }, () => ChangeInterval.of(changeRuns({ ...plain, ...parts }, random))).map(
    ({ intervals }) => intervals[1]?.commits ?? plain.commits
  )
  return widths.toSorted((a, b) => a - b)[15] ?? 0
}

describe("ChangeInterval.of", () => {
  it("a test that fails in every run from a commit on blames this commit alone", () => {
    const found = ChangeInterval.of(changeRuns(plain, randomOf(1)))
    assert.deepStrictEqual(found.firstFailure, { commit: "c60", at: 60 })
    assert.deepStrictEqual([found.runs, found.failures, found.missingRuns], [100, 40, 0])
    assert.deepStrictEqual(
      found.intervals.map(({ after, commits, last }) => [after, last, commits]),
      [
        ["c59", "c60", 1],
        ["c59", "c60", 1],
        ["c59", "c60", 1]
      ]
    )
  })

  it("one failure of a rare flake does not blame its commit: the interval reaches far before it", () => {
    const runs = changeRuns({ ...plain, rate: 0 }, randomOf(1)).map((run) => ({ ...run, failed: run.at === 60 }))
    const { intervals } = ChangeInterval.of(runs)
    const [, likely] = intervals
    assert.isAbove(likely?.commits ?? 0, 20)
    assert.isBelow(placeOf(likely?.after ?? null), 40)
  })

  it("a test that was always as flaky may be older than all runs that are known", () => {
    const { intervals } = ChangeInterval.of(changeRuns({ ...plain, rate: 0.3, change: 0 }, randomOf(3)))
    assert.strictEqual(intervals.at(-1)?.after, null)
  })

  it("too few runs say how many are missing, and name no commit", () => {
    const runs = changeRuns({ ...plain, commits: 7, change: 3 }, randomOf(1))
    const found = ChangeInterval.of(runs)
    assert.deepStrictEqual([found.missingRuns, found.intervals, found.failures], [3, [], 4])
    assert.strictEqual(ChangeInterval.of([]).missingRuns, 10)
    assert.strictEqual(ChangeInterval.of(changeRuns({ ...plain, rate: 0 }, randomOf(1))).missingRuns, 1)
  })

  it("a mended change is found as well", () => {
    const { intervals } = ChangeInterval.of(changeRuns({ ...plain, change: 20, mended: 30 }, randomOf(1)))
    assert.deepStrictEqual([intervals[1]?.after, intervals[1]?.last], ["c19", "c20"])
  })

  it("the latest 2,000 commits are evaluated", () => {
    const { intervals, runs } = ChangeInterval.of(
      changeRuns({ ...plain, commits: 5000, change: 100, mended: 5000 }, randomOf(1))
    )
    assert.deepStrictEqual([runs, intervals[0]?.after, intervals[0]?.last], [2000, null, "c3000"])
  })
})

describe("laws of ChangeInterval.of", () => {
  const histories = fc.record({ seed: fc.nat(), rate: fc.constantFrom(0.01, 0.1, 0.5, 1) })
  const runsOf = ({ rate, seed }: { readonly rate: number; readonly seed: number }): ReadonlyArray<ChangeRuns.Run> => {
    const random = randomOf(seed)
    return changeRuns(anyChange(rate, random), random)
  }

  it("the order of the runs, and a run that is given twice, change nothing", () => {
    fc.assert(
      fc.property(histories, (history) => {
        const runs = runsOf(history)
        assert.deepStrictEqual(ChangeInterval.of([...runs.toReversed(), ...runs.slice(3)]), ChangeInterval.of(runs))
      }),
      { numRuns: 30 }
    )
  })

  it("the intervals are nested, and each has the probability of its level", () => {
    fc.assert(
      fc.property(histories, (history) => {
        let [after, last] = [Infinity, -1]
        for (const each of ChangeInterval.of(runsOf(history)).intervals) {
          assert.isAtLeast(each.probability, each.level - 1e-9)
          assert.isAtMost(placeOf(each.after), after)
          assert.isAtLeast(placeOf(each.last), last)
          after = placeOf(each.after)
          last = placeOf(each.last)
        }
      }),
      { numRuns: 30 }
    )
  })

  it("more runs of each commit narrow the interval", () => {
    for (const rate of [0.1, 0.3]) {
      const widths = [1, 3, 9].map((jobs) => medianWidth({ rate, jobs }))
      assert.deepStrictEqual(
        widths,
        widths.toSorted((a, b) => b - a)
      )
      assert.isBelow((widths[2] ?? 0) * 2, widths[0] ?? 0)
    }
  })

  it("intervals contain the change as often as they say, over flakes of 1 to 100 per cent", () => {
    const random = randomOf(2026)
    const sums = ChangeInterval.levels.map(() => ({ hits: 0, said: 0 }))
    let streams = 0
    for (let index = 0; index < 420; index++) {
      const change = anyChange([0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1][index % 7] ?? 1, random)
      const { intervals } = ChangeInterval.of(changeRuns(change, random))
      if (intervals.length === 0) continue
      streams += 1
      for (const [place, each] of intervals.entries()) {
        const sum = sums[place]
        if (sum === undefined) continue
        sum.hits += contains(each, change.change) ? 1 : 0
        sum.said += each.probability
      }
    }
    for (const [place, { hits, said }] of sums.entries()) {
      assert.isAtLeast(hits / streams, (ChangeInterval.levels[place] ?? 1) - 0.03)
      assert.closeTo(hits / streams, said / streams, 0.06)
    }
  })
})
