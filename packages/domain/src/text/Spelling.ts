/** Spelling: the known word that a mistyped one most likely means. */

/**
 * The candidate that lies closest to a word, or null where none is close: at most a third of its letters differ.
 *
 * **Details**
 *
 * Distance is the number of letters to insert, remove or replace. Of equally close candidates the first wins. Words
 * longer than 64 characters have no candidate.
 *
 * @example
 * ```ts
 * import { Spelling } from "@lazaret/domain"
 *
 * Spelling.closest("batchsize", ["name", "batch_size"]) // => "batch_size"
 * Spelling.closest("colour", ["name", "batch_size"]) // => null
 * ```
 */
export const closest = (word: string, candidates: ReadonlyArray<string>): string | null => {
  if (word.length > 64) return null
  let best: { readonly candidate: string; readonly distance: number } | null = null
  for (const candidate of candidates) {
    const distance = distanceOf(word.toLowerCase(), candidate.toLowerCase())
    const isClose = distance * 3 <= candidate.length
    if (isClose && (best === null || distance < best.distance)) best = { candidate, distance }
  }
  return best === null ? null : best.candidate
}

/** Levenshtein's distance, one row of the table at a time. */
const distanceOf = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1]
    for (let j = 0; j < b.length; j++) {
      const replaced = (row[j] ?? 0) + (a[i] === b[j] ? 0 : 1)
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
