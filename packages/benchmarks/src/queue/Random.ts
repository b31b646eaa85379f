/** Random numbers from a seed: the same seed draws the same numbers on every machine. */

/** Draws numbers from 0 (inclusive) to 1 (exclusive). */
export type Random = () => number

/** The numbers of a seed (mulberry32). */
export const random = (seed: number): Random => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** A waiting time of a Poisson process with this mean, in whole milliseconds. */
export const exponential = (draw: Random, mean: number): number => Math.ceil(-Math.log(1 - draw()) * mean)

/** One of several outcomes with these probabilities; what is missing to 1 goes to the last. */
export const choose = <A>(draw: Random, outcomes: ReadonlyArray<readonly [A, number]>): A => {
  let left = draw()
  for (const [outcome, probability] of outcomes) {
    if (left < probability) return outcome
    left -= probability
  }
  const last = outcomes.at(-1)
  if (last === undefined) throw new Error("nothing to choose from")
  return last[0]
}

/** A normally distributed number with mean 0 and deviation 1 (Box and Muller). */
export const normal = (draw: Random): number => Math.sqrt(-2 * Math.log(1 - draw())) * Math.cos(2 * Math.PI * draw())
