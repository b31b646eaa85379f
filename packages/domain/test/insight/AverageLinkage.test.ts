import { AverageLinkage } from "@lazaret/domain"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"

/** Joins the two most similar groups until none are similar enough, from the averages of all pairs. */
const plain = (size: number, similarity: (a: number, b: number) => number, cut: number): ReadonlyArray<number> => {
  const groups = Array.from({ length: size }, (_, index) => [index])
  for (;;) {
    let best: readonly [number, number, number] = [-1, -1, -Infinity]
    for (let a = 0; a < groups.length; a++) {
      for (let b = 0; b < a; b++) {
        const pairs = (groups[a] ?? []).flatMap((x) => (groups[b] ?? []).map((y) => similarity(x, y)))
        const mean = pairs.reduce((sum, value) => sum + value, 0) / pairs.length
        if (mean > best[2]) best = [a, b, mean]
      }
    }
    const [from, into, mean] = best
    if (mean < cut) break
    groups[into]?.push(...(groups[from] ?? []))
    groups.splice(from, 1)
  }
  const labels = Array.from({ length: size }, () => 0)
  for (const group of groups) for (const index of group) labels[index] = Math.min(...group)
  return labels
}

const similarities = fc.integer({ min: 1, max: 12 }).chain((size) =>
  fc.record({
    size: fc.constant(size),
    values: fc.array(
      fc.integer({ min: 0, max: 1_000_000 }).map((value) => value / 1_000_000),
      {
        minLength: (size * (size - 1)) / 2,
        maxLength: (size * (size - 1)) / 2
      }
    )
  })
)

describe("AverageLinkage", () => {
  it("the groups are those of the plain method that joins the most similar pair again and again", () => {
    fc.assert(
      fc.property(similarities, ({ size, values }) => {
        fc.pre(new Set(values).size === values.length)
        const of = (a: number, b: number) => values[AverageLinkage.placeOf(a, b)] ?? 0
        const found = AverageLinkage.groups(
          { size, values: Float64Array.from(values), weights: Array.from({ length: size }, () => 1) },
          0.5
        )
        assert.deepStrictEqual(found, plain(size, of, 0.5))
      }),
      { numRuns: 300 }
    )
  })

  it("a thing that stands for three counts as three equal things", () => {
    // The average of 0 to {1, 1, 1, 2} is (0.6 × 3 + 0.1) / 4 = 0.475; of single things it would be 0.35.
    const values = () => Float64Array.of(0.6, 0.1, 0.9)
    assert.deepStrictEqual(AverageLinkage.groups({ size: 3, values: values(), weights: [1, 3, 1] }, 0.4), [0, 0, 0])
    assert.deepStrictEqual(AverageLinkage.groups({ size: 3, values: values(), weights: [1, 1, 1] }, 0.4), [0, 1, 1])
  })
})
