/** Chance that a seed decides: the same seed gives the same plan on every machine. */

export interface Chance {
  /** A whole number from 0 up to, and without, the limit. */
  readonly below: (limit: number) => number
  /** Whether something happens that happens so often (0 to 1). */
  readonly happens: (share: number) => boolean
}

/** Mulberry32: enough for a plan, and eight lines. */
export const make = (seed: number): Chance => {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  return { below: (limit) => Math.floor(next() * limit), happens: (share) => next() < share }
}
