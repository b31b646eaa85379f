/** Logistic regression in bits, with weights that are never negative: each feature has one direction. */

/** One example: measures, whether it is a flake, and how much it counts. */
export interface Example {
  readonly measures: ReadonlyArray<number>
  readonly isFlake: boolean
  readonly weight: number
}

/** A fitted model. */
export interface Model {
  readonly prior: number
  readonly weights: ReadonlyArray<number>
}

/** The score of measures under a model, in bits. */
export const scoreOf = (model: Model, measures: ReadonlyArray<number>): number =>
  measures.reduce((sum, measure, index) => sum + measure * (model.weights[index] ?? 0), model.prior)

/**
 * The model that fits examples best: the least log-loss plus half the square of the weights times `ridge`.
 *
 * Accelerated projected gradient descent with a fixed number of steps, so that the same examples give the same numbers.
 */
export const fit = (examples: ReadonlyArray<Example>, ridge: number, steps = 1000): Model => {
  const size = examples[0]?.measures.length ?? 0
  const rows = examples.map(({ measures }) => [...measures, 1])
  const rate = 1 / (0.25 * largestCurvature(rows, examples, size + 1) * Math.LN2 * Math.LN2 + ridge)
  let current = Array.from({ length: size + 1 }, () => 0)
  let ahead = current
  let momentum = 1
  for (let step = 0; step < steps; step++) {
    const slope = gradient(rows, examples, ahead)
    const next = ahead.map((value, index) => {
      const isPrior = index === size
      const moved = value - rate * ((slope[index] ?? 0) + (isPrior ? 0 : ridge * value))
      return isPrior ? moved : Math.max(0, moved)
    })
    const following = (1 + Math.sqrt(1 + 4 * momentum * momentum)) / 2
    ahead = next.map((value, index) => value + ((momentum - 1) / following) * (value - (current[index] ?? 0)))
    current = next
    momentum = following
  }
  return { prior: current[size] ?? 0, weights: current.slice(0, size) }
}

const gradient = (
  rows: ReadonlyArray<ReadonlyArray<number>>,
  examples: ReadonlyArray<Example>,
  at: ReadonlyArray<number>
): ReadonlyArray<number> => {
  const sums = at.map(() => 0)
  for (const [index, { isFlake, weight }] of examples.entries()) {
    const row = rows[index] ?? []
    let score = 0
    for (let column = 0; column < row.length; column++) score += (row[column] ?? 0) * (at[column] ?? 0)
    const error = weight * (1 / (1 + 2 ** -score) - (isFlake ? 1 : 0)) * Math.LN2
    for (let column = 0; column < row.length; column++) sums[column] = (sums[column] ?? 0) + error * (row[column] ?? 0)
  }
  return sums
}

/** The largest eigenvalue of the weighted second moments, by power iteration, a little rounded up. */
const largestCurvature = (
  rows: ReadonlyArray<ReadonlyArray<number>>,
  examples: ReadonlyArray<Example>,
  size: number
): number => {
  let vector = Array.from({ length: size }, () => 1)
  let norm = 1
  for (let round = 0; round < 50; round++) {
    const next = Array.from({ length: size }, () => 0)
    rows.forEach((row, index) => {
      const product = row.reduce((sum, value, column) => sum + value * (vector[column] ?? 0), 0)
      const scaled = product * (examples[index]?.weight ?? 0)
      row.forEach((value, column) => {
        next[column] = (next[column] ?? 0) + scaled * value
      })
    })
    norm = Math.hypot(...next)
    if (norm === 0) return 1
    vector = next.map((value) => value / norm)
  }
  return norm * 1.01
}
