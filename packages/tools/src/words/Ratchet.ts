/** Counts that may only fall: a check for a fault that a code base still has and must not get more of. */

/** How often a fault occurs in each area. */
export type Counts = Readonly<Record<string, number>>

/** An area with more faults than allowed. */
export interface Excess {
  readonly area: string
  readonly allowed: number
  readonly found: number
}

/** Yields the areas with more faults than allowed; an area that `allowed` does not name must have no fault. */
export const exceeded = (allowed: Counts, found: Counts): ReadonlyArray<Excess> =>
  Object.entries(found)
    .map(([area, count]) => ({ area, allowed: allowed[area] ?? 0, found: count }))
    .filter((each) => each.found > each.allowed)

/** Yields what is allowed from now on: in each area the smaller of both counts, without the areas that reached zero. */
export const lowered = (allowed: Counts, found: Counts): Counts =>
  Object.fromEntries(
    Object.entries(allowed)
      .map(([area, count]) => [area, Math.min(count, found[area] ?? 0)] as const)
      .filter(([, count]) => count > 0)
  )
