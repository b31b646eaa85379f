/** Lists of the hosting platform GitHub that have pages. */
import { Effect } from "effect"

/** The items of a page at most: the most that GitHub gives. */
export const size = 100

/** The most pages that are read of a list: GitHub keeps 1,000 check runs per suite. */
const most = 20

/** The items of all pages; a page that is not full is the last. */
export const all = Effect.fnUntraced(function* <A, E>(read: (page: number) => Effect.Effect<ReadonlyArray<A>, E>) {
  const found = [...(yield* read(1))]
  for (let page = 2; found.length === (page - 1) * size && page <= most; page += 1) found.push(...(yield* read(page)))
  return found
})
