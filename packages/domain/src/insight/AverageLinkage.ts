/** Hierarchical clustering by average linkage: the average similarity of the members decides which groups are joined. */
import * as Steps from "./Steps.ts"

/**
 * Similarities of `size` things, each pair once.
 *
 * **Details**
 *
 * The value of the things `i > j` is at `i * (i - 1) / 2 + j`. `weights` says how many things each of them stands for.
 */
export interface Similarities {
  readonly size: number
  readonly values: Float64Array
  readonly weights: ReadonlyArray<number>
}

/** The place of the value of a pair of different things. */
export const placeOf = (a: number, b: number): number => (a > b ? (a * (a - 1)) / 2 + b : (b * (b - 1)) / 2 + a)

/**
 * The group of each thing: the smallest number of a thing in it.
 *
 * **Details**
 *
 * Joins the two most similar groups again and again while their average similarity is at least `cut`. Chains of nearest neighbours
 * find the same groups in quadratic time. Of equally similar groups the one with the smallest number is joined first.
 *
 * **Gotchas**
 *
 * Overwrites `values`: a copy of them would double the memory of the largest step.
 *
 * @example
 * ```ts
 * import { AverageLinkage } from "@lazaret/domain"
 *
 * // 0 and 1 are similar, 2 is not.
 * AverageLinkage.groups({ size: 3, values: Float64Array.of(0.9, 0.1, 0.2), weights: [1, 1, 1] }, 0.5) // => [0, 0, 2]
 * ```
 */
export const groups = (similarities: Similarities, cut: number): ReadonlyArray<number> =>
  Steps.finish(steps(similarities, cut))

/** {@link groups} in steps. */
export function* steps({ size, values, weights }: Similarities, cut: number): Steps.Steps<ReadonlyArray<number>> {
  const state: State = {
    values,
    weights: [...weights],
    isLeft: new Uint8Array(size).fill(1),
    parents: Array.from({ length: size }, (_, index) => index)
  }
  for (let start = 0; start < size; start++) {
    if (start % 100 === 99) yield
    follow(state, start, cut - tolerance)
  }
  return state.parents.map((_, index) => rootOf(state.parents, index))
}

/** Sums of the same numbers in another order differ by less. */
const tolerance = 1e-9

interface State {
  readonly values: Float64Array
  readonly weights: Array<number>
  readonly isLeft: Uint8Array
  readonly parents: Array<number>
}

/** Follows nearest neighbours from a group until two are nearest to each other, joins these, and goes on from there. */
const follow = (state: State, start: number, cut: number): void => {
  const chain: Array<number> = []
  for (;;) {
    const last = chain.at(-1) ?? start
    if (state.isLeft[last] === 0) return
    if (chain.length === 0) chain.push(last)
    const before = chain.at(-2) ?? -1
    const next = nearest(state, last, { before, cut })
    if (next === -1) {
      // No group is similar enough to this one, and none will be: an average is at most its largest part.
      return
    }
    if (next !== before) {
      chain.push(next)
      continue
    }
    join(state, Math.min(last, next), Math.max(last, next))
    chain.length -= 2
  }
}

/** The most similar group, the one before in the chain among equals; -1 when none reaches the cut. */
const nearest = (
  { isLeft, values }: State,
  from: number,
  { before, cut }: { readonly before: number; readonly cut: number }
): number => {
  let best = before
  let most = before === -1 ? cut : (values[placeOf(from, before)] ?? 0)
  for (let other = 0; other < isLeft.length; other++) {
    if (isLeft[other] === 0 || other === from) continue
    const value = values[placeOf(from, other)] ?? 0
    if (value > most || (best === -1 && value >= cut)) {
      most = value
      best = other
    }
  }
  return best
}

/** Puts the second group into the first. */
const join = ({ isLeft, parents, values, weights }: State, into: number, from: number): void => {
  const [a, b] = [weights[into] ?? 1, weights[from] ?? 1]
  for (let other = 0; other < isLeft.length; other++) {
    if (isLeft[other] === 0 || other === into || other === from) continue
    const place = placeOf(into, other)
    values[place] = ((values[place] ?? 0) * a + (values[placeOf(from, other)] ?? 0) * b) / (a + b)
  }
  weights[into] = a + b
  isLeft[from] = 0
  parents[from] = into
}

const rootOf = (parents: ReadonlyArray<number>, index: number): number => {
  let root = index
  while (parents[root] !== root) root = parents[root] ?? root
  return root
}
