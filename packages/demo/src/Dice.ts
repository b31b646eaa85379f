/** Chance without a state: the same seed and keys roll the same number, in whatever order they are asked. */

/**
 * A number from 0 (included) to 1 (excluded) that looks random and depends on the seed and the keys alone.
 *
 * **Details**
 *
 * Seed and keys are whole numbers; only their lowest 32 bits count.
 */
export const roll = (seed: number, ...keys: ReadonlyArray<number>): number => {
  let hash = mix(0x9e37_79b9, seed)
  for (const key of keys) hash = mix(hash, key)
  return (hash >>> 0) / 2 ** 32
}

/** The element of a list that the seed and the keys choose. */
export const pick = <List extends readonly [unknown, ...ReadonlyArray<unknown>]>(
  from: List,
  seed: number,
  ...keys: ReadonlyArray<number>
): List[number] => from[Math.floor(roll(seed, ...keys) * from.length)] ?? from[0]

/** One round of MurmurHash3 and its finish. */
const mix = (hash: number, key: number): number => {
  let k = Math.imul(key | 0, 0xcc9e_2d51)
  k = Math.imul((k << 15) | (k >>> 17), 0x1b87_3593)
  let h = hash ^ k
  h = Math.imul((h << 13) | (h >>> 19), 5) + 0xe654_6b64
  h = Math.imul(h ^ (h >>> 16), 0x85eb_ca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2_ae35)
  return h ^ (h >>> 16)
}
