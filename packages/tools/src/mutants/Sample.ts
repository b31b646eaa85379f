/** Samples that a seed decides. */
import { createHash } from "node:crypto"
import type { Mutant } from "./Mutant.ts"

/**
 * The mutants in the order in which a seed draws them.
 *
 * **Details**
 *
 * The order of two mutants depends on their lines and changes alone, so that changes elsewhere hardly change a sample.
 */
export const order = (mutants: ReadonlyArray<Mutant>, seed: number): ReadonlyArray<Mutant> =>
  mutants
    .map((mutant) => ({ mutant, key: keyOf(mutant, seed) }))
    .toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ mutant }) => mutant)

const keyOf = ({ original, path, replacement, source }: Mutant, seed: number): string =>
  createHash("sha256").update([seed, path, source, original, replacement].join("\n")).digest("hex")
