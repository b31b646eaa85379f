/** How well predicted groups of tests agree with the groups that are known. */

/**
 * The agreement of two groupings of the same tests.
 *
 * **Details**
 *
 * - `together`: the share of the known pairs that are predicted to be together. `strangers`: the share of the predicted pairs that
 *   are no known ones. Null without such pairs.
 * - `rand`: the adjusted Rand index: 1 for equal groupings, 0 for what chance would reach.
 */
export interface ClusterFigures {
  readonly together: number | null
  readonly strangers: number | null
  readonly rand: number
}

/** The figures for the tests that are in `known`; a test without a predicted group is alone. */
export const figuresOf = (
  known: ReadonlyMap<string, string>,
  predicted: ReadonlyMap<string, string>
): ClusterFigures => {
  const cells = new Map<string, number>()
  const rows = new Map<string, number>()
  const columns = new Map<string, number>()
  for (const [test, group] of known) {
    const other = predicted.get(test) ?? `alone ${test}`
    add(cells, `${group}\0${other}`)
    add(rows, group)
    add(columns, other)
  }
  const both = pairsIn(cells)
  const truth = pairsIn(rows)
  const guessed = pairsIn(columns)
  const expected = (truth * guessed) / Math.max(1, (known.size * (known.size - 1)) / 2)
  const most = (truth + guessed) / 2
  return {
    together: truth === 0 ? null : both / truth,
    strangers: guessed === 0 ? null : 1 - both / guessed,
    rand: most === expected ? 1 : (both - expected) / (most - expected)
  }
}

const add = (counts: Map<string, number>, key: string): void => {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}

const pairsIn = (counts: ReadonlyMap<string, number>): number =>
  [...counts.values()].reduce((sum, count) => sum + (count * (count - 1)) / 2, 0)

/** How many pairs of tests are in one group. */
export const pairsOf = (groups: ReadonlyMap<string, string>): number => {
  const counts = new Map<string, number>()
  for (const group of groups.values()) add(counts, group)
  return pairsIn(counts)
}

/** How many pairs of tests are in one group of both groupings. */
export const commonPairs = (one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): number => {
  const counts = new Map<string, number>()
  for (const [test, group] of one) {
    const second = other.get(test)
    if (second !== undefined) add(counts, `${group}\0${second}`)
  }
  return pairsIn(counts)
}

/** The figures over the pairs of several known groupings, each with the predicted one; the index is the mean. */
export const pooled = (
  all: ReadonlyArray<readonly [known: ReadonlyMap<string, string>, predicted: ReadonlyMap<string, string>]>
): ClusterFigures => {
  let [truth, guessed, both, rand] = [0, 0, 0, 0]
  for (const [known, predicted] of all) {
    const shown = new Map([...known.keys()].map((test) => [test, predicted.get(test) ?? `alone ${test}`]))
    truth += pairsOf(known)
    guessed += pairsOf(shown)
    both += commonPairs(known, shown)
    rand += figuresOf(known, predicted).rand / all.length
  }
  return { together: truth === 0 ? null : both / truth, strangers: guessed === 0 ? null : 1 - both / guessed, rand }
}
