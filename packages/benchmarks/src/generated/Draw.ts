/** Draws from the families that the generator uses: log-normal, log-uniform, and tables of observed values. */
import { choose, type Random } from "../queue/Random.ts"

/** A number from `low` to `high`, each as likely. */
export const between = (draw: Random, low: number, high: number): number => low + (high - low) * draw()

/** A number from `low` to `high`, each order of magnitude as likely. */
export const magnitude = (draw: Random, low: number, high: number): number =>
  Math.exp(between(draw, Math.log(low), Math.log(high)))

/** A number of a normal distribution with mean 0 and deviation 1. */
export const normal = (draw: Random): number => Math.sqrt(-2 * Math.log(1 - draw())) * Math.cos(2 * Math.PI * draw())

/** A number of a log-normal distribution. */
export const logNormal = (draw: Random, median: number, sigma: number): number =>
  median * Math.exp(sigma * normal(draw))

/** One of several values, each with a weight. */
export const weighted = <A>(draw: Random, values: ReadonlyArray<readonly [A, number]>): A => {
  const sum = values.reduce((total, [, weight]) => total + weight, 0)
  return choose(
    draw,
    values.map(([value, weight]) => [value, weight / sum] as const)
  )
}

/** One of several values; throws without any. */
export const pick = <A>(draw: Random, values: ReadonlyArray<A>): A => {
  const value = values[Math.floor(draw() * values.length)]
  if (value === undefined) throw new Error("nothing to choose from")
  return value
}

/** At most this many of some values, in a random order. */
export const sample = <A>(draw: Random, values: ReadonlyArray<A>, count: number): ReadonlyArray<A> => {
  const left = [...values]
  for (let index = 0; index < Math.min(count, left.length); index++) {
    const other = index + Math.floor(draw() * (left.length - index))
    const [a, b] = [left[index], left[other]]
    if (a !== undefined && b !== undefined) [left[index], left[other]] = [b, a]
  }
  return left.slice(0, count)
}

/** A share that lies around `middle` and never leaves 0 to 1: a normal number on the scale of log-odds. */
export const share = (draw: Random, middle: number, sigma: number): number =>
  1 / (1 + Math.exp(-(Math.log(middle / (1 - middle)) + sigma * normal(draw))))
