import { assert, describe, it } from "@effect/vitest"
import * as Figures from "../../src/failures/Figures.ts"

const judged = (flaky: boolean, isFlake: boolean, probability: number | null = null, commit = "c"): Figures.Judged => ({
  commit,
  flaky,
  isFlake,
  probability
})

describe("Figures", () => {
  it("Figures.figuresOf counts what a rule finds, misses and excuses", () => {
    const figures = Figures.figuresOf([
      judged(true, true),
      judged(true, true),
      judged(true, false),
      judged(false, true),
      judged(false, false),
      judged(false, false)
    ])
    assert.closeTo(figures.precision, 2 / 3, 1e-12)
    assert.closeTo(figures.recall, 2 / 3, 1e-12)
    assert.closeTo(figures.excused, 1 / 3, 1e-12)
    assert.closeTo(figures.macroF1, 2 / 3, 1e-12)
    assert.isNull(figures.calibrationError)
  })

  it("the recall at 5 % is that of the best threshold, equal probabilities together", () => {
    const many = Array.from({ length: 40 }, (_, index) => judged(false, false, index === 0 ? 0.9 : 0.1))
    const figures = Figures.figuresOf([
      judged(true, true, 0.95),
      judged(true, true, 0.9),
      judged(true, true, 0.1),
      ...many
    ])
    assert.closeTo(figures.recallAt5 ?? 0, 2 / 3, 1e-12)
  })

  it("the interval holds the figure, is the same each time, and is a point for a single commit", () => {
    const list = Array.from({ length: 60 }, (_, index) =>
      judged(index % 3 !== 0, index % 2 === 0, null, `c${index % 12}`)
    )
    const [low, high] = Figures.intervals(list, ({ macroF1 }) => macroF1)
    const { macroF1 } = Figures.figuresOf(list)
    assert.isTrue(low <= macroF1 && macroF1 <= high && low < high)
    assert.deepStrictEqual(
      Figures.intervals(list, (figures) => figures.macroF1),
      [low, high]
    )
    const [one, other] = Figures.intervals(
      list.map((each) => ({ ...each, commit: "c" })),
      (figures) => figures.macroF1
    )
    assert.strictEqual(one, other)
  })
})
