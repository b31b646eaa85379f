/** The rule of a test with several identities: their rollups are added up bucket by bucket. */
import { Rollup } from "@lazaret/domain"

/** The rollups of all identities together; every list has the same buckets. */
export const merged = (lists: ReadonlyArray<ReadonlyArray<Rollup.Rollup>>): ReadonlyArray<Rollup.Rollup> => {
  const [first = [], ...others] = lists
  return first.map((rollup, index) => Rollup.combineAll([rollup, ...others.map((list) => list[index] ?? Rollup.empty)]))
}
