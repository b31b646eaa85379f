/** Samples that a seed decides. */

/** Up to `count` different items, drawn by a seed: equal arguments give equal samples. */
export const draw = <A>(items: ReadonlyArray<A>, seed: number, count: number): ReadonlyArray<A> => {
  const next = random(seed)
  const rest = [...items]
  const drawn: Array<A> = []
  while (drawn.length < count && rest.length > 0) drawn.push(...rest.splice(Math.floor(next() * rest.length), 1))
  return drawn
}

/** Numbers from 0 up to 1 (mulberry32). */
const random = (seed: number): (() => number) => {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
