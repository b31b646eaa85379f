/**
 * Aliases: facts that say that several stored test names are one test. A renamed test has one, and so has a mask of names that
 * change with each run.
 *
 * Stored names stay as they are. What reads them asks {@link resolver} for the name that stands for all of them, so that
 * revoking an alias gives back what was there before.
 */
import type * as Instant from "../time/Instant.ts"
import * as Text from "../text/Text.ts"
import * as ChangingName from "./ChangingName.ts"

/**
 * One alias.
 *
 * **Details**
 *
 * - `kind`: `name` says that the test `from` is now called `to`. `mask` says that every name with the mask `from` is the test
 *   `to`, which is the mask itself unless a person gives it a name.
 * - `since`: when it was made; `revokedAt`: when it was taken back, null while it holds.
 */
export interface TestAlias {
  readonly id: string
  readonly kind: "name" | "mask"
  readonly from: string
  readonly to: string
  readonly since: Instant.Instant
  readonly revokedAt: Instant.Instant | null
}

/** Whether an alias holds at an instant: from `since` on, `revokedAt` excluded. */
export const holdsAt = ({ revokedAt, since }: TestAlias, at: Instant.Instant): boolean =>
  since <= at && (revokedAt === null || at < revokedAt)

/** The alias that folds the names of a change; a person accepts it. */
export const proposal = ({ mask }: ChangingName.Change): Pick<TestAlias, "kind" | "from" | "to"> => ({
  kind: "mask",
  from: mask,
  to: mask
})

/**
 * The name that stands for a stored name, by the aliases that hold at an instant.
 *
 * **Details**
 *
 * An alias of the whole name comes before one of its mask. A name with several aliases takes the latest (ties: the greatest id).
 * Aliases are followed to the end; those that lead in a circle stand for the least name of it, so that each of its
 * names still leads to one. The order of the aliases does not matter.
 */
export const resolver = (aliases: ReadonlyArray<TestAlias>, at: Instant.Instant): ((name: string) => string) => {
  const holding = aliases.filter((each) => holdsAt(each, at)).toSorted(order)
  const targets = (kind: TestAlias["kind"]): ReadonlyMap<string, string> =>
    new Map(holding.filter((each) => each.kind === kind).map(({ from, to }) => [from, to]))
  const [byName, byMask] = [targets("name"), targets("mask")]
  const step = (name: string): string | undefined => {
    const named = byName.get(name)
    if (named !== undefined || byMask.size === 0) return named
    const mask = ChangingName.mask(name)
    return mask === null ? undefined : byMask.get(mask)
  }
  return (name) => followed(name, step)
}

const followed = (name: string, step: (name: string) => string | undefined): string => {
  const path = [name]
  for (;;) {
    const next = step(path.at(-1) ?? name)
    if (next === undefined || next === path.at(-1)) return path.at(-1) ?? name
    const start = path.indexOf(next)
    if (start !== -1) return path.slice(start).toSorted(Text.compare)[0] ?? name
    path.push(next)
  }
}

const order = (a: TestAlias, b: TestAlias): number => a.since - b.since || Text.compare(a.id, b.id)
