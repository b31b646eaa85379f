/** Mutants that a person has reviewed: they change nothing that a test could notice. */
import { readFileSync } from "node:fs"
import type { Mutant } from "./Mutant.ts"

/**
 * A reviewed mutant, found by the text of its line, so that a change of that line needs another review. `nth`: which one of the
 * equal changes of the line, counted from 0; absent where there is one.
 */
interface Reviewed {
  readonly path: string
  readonly line: string
  readonly original: string
  readonly replacement: string
  readonly nth?: number
  readonly reason: string
}

/** The reviews of all mutants: whether a mutant was reviewed, and the reviews that no mutant has any more. */
export const of = (mutants: ReadonlyArray<Mutant>) => {
  // The file is written by people; what is wrong in it matches nothing.
  const reviewed = JSON.parse(
    readFileSync(new URL("equivalents.json", import.meta.url), "utf8")
  ) as ReadonlyArray<Reviewed>
  const isOf = (mutant: Mutant) => (each: Reviewed) =>
    each.path === mutant.path &&
    each.line === mutant.source &&
    each.original === mutant.original &&
    each.replacement === mutant.replacement &&
    (each.nth ?? 0) === nthOf(mutant, mutants)
  const paths = new Set(mutants.map(({ path }) => path))
  return {
    matches: (mutant: Mutant): boolean => reviewed.some(isOf(mutant)),
    stale: reviewed.filter((each) => paths.has(each.path) && !mutants.some((mutant) => isOf(mutant)(each)))
  }
}

const nthOf = ({ from, line, original, path, replacement }: Mutant, mutants: ReadonlyArray<Mutant>): number =>
  mutants.filter(
    (other) =>
      other.path === path &&
      other.line === line &&
      other.original === original &&
      other.replacement === replacement &&
      other.from < from
  ).length
