/** Long computations in steps, so that a caller can do other work in between. */

/** A computation that yields after each step; its steps are of a few ten thousand items. */
export type Steps<A> = Generator<undefined, A>

/** The result of a computation whose steps are taken at once. */
export const finish = <A>(steps: Steps<A>): A => {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

/** The size of a step: a step ends before the item that brings the weight of its items above `most`. */
export interface Size<A> {
  readonly most: number
  readonly weightOf: (item: A) => number
}

/** Steps of as many items. */
export const ofItems = (most: number): Size<unknown> => ({ most, weightOf: () => 1 })

/** Says of each item in turn whether a step ends before it. */
const endsOf = <A>({ most, weightOf }: Size<A>): ((item: A) => boolean) => {
  let total = 0
  return (item) => {
    total += weightOf(item)
    if (total <= most) return false
    total = 0
    return true
  }
}

/** The results of a function for each item, in steps. */
export function* map<A, B>(items: Iterable<A>, size: Size<A>, work: (item: A) => B): Steps<ReadonlyArray<B>> {
  const ends = endsOf(size)
  const results: Array<B> = []
  for (const item of items) {
    if (ends(item)) yield
    results.push(work(item))
  }
  return results
}

/** Like {@link map}, where the work on one item takes steps itself. */
export function* mapSteps<A, B>(
  items: Iterable<A>,
  size: Size<A>,
  work: (item: A) => Steps<B>
): Steps<ReadonlyArray<B>> {
  const ends = endsOf(size)
  const results: Array<B> = []
  for (const item of items) {
    if (ends(item)) yield
    results.push(yield* work(item))
  }
  return results
}

/** Items by a key, in the order of the first ones: `Map.groupBy` in steps. */
export function* groupBy<A>(items: Iterable<A>, keyOf: (item: A) => string): Steps<ReadonlyMap<string, Array<A>>> {
  const groups = new Map<string, Array<A>>()
  yield* map(items, single, (item) => {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [item])
    else group.push(item)
  })
  return groups
}

/**
 * The items in an order, in steps. Items that are equal in it stay in theirs.
 *
 * **Details**
 *
 * Parts are sorted and then merged, so that a step compares fifty thousand times at most.
 */
export function* sorted<A>(items: ReadonlyArray<A>, order: (a: A, b: A) => number): Steps<ReadonlyArray<A>> {
  let parts: Array<ReadonlyArray<A>> = []
  for (let start = 0; start < items.length; start += atOnce) {
    if (start > 0) yield
    parts.push(items.slice(start, start + atOnce).sort(order))
  }
  while (parts.length > 1) {
    const merged: Array<ReadonlyArray<A>> = []
    for (let index = 0; index < parts.length; index += 2) {
      merged.push(yield* mergedOf(parts[index] ?? [], parts[index + 1] ?? [], order))
    }
    parts = merged
  }
  return parts[0] ?? []
}

function* mergedOf<A>(
  first: ReadonlyArray<A>,
  second: ReadonlyArray<A>,
  order: (a: A, b: A) => number
): Steps<ReadonlyArray<A>> {
  const merged: Array<A> = []
  let [left, right] = [0, 0]
  while (left < first.length || right < second.length) {
    if (merged.length % atOnce === atOnce - 1) yield
    const [a, b] = [first[left], second[right]]
    const takesFirst = right >= second.length || (left < first.length && order(a as A, b as A) <= 0)
    // An index below the length of its part holds an item.
    merged.push((takesFirst ? a : b) as A)
    if (takesFirst) left += 1
    else right += 1
  }
  return merged
}

/** Items that are sorted, merged or grouped in one step. */
const atOnce = 4096

const single = ofItems(atOnce)

/** A computation that follows another one. */
export function* andThen<A, B>(first: Steps<A>, next: (result: A) => Steps<B>): Steps<B> {
  return yield* next(yield* first)
}
