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

/** The results of a function for each item, with a step before an item that brings the weight of the last ones above `most`. */
export function* map<A, B>(
  items: Iterable<A>,
  { most, weightOf }: { readonly most: number; readonly weightOf: (item: A) => number },
  work: (item: A) => B
): Steps<ReadonlyArray<B>> {
  const results: Array<B> = []
  let total = 0
  for (const item of items) {
    total += weightOf(item)
    if (total > most) {
      yield
      total = 0
    }
    results.push(work(item))
  }
  return results
}

/** A computation that follows another one. */
export function* andThen<A, B>(first: Steps<A>, next: (result: A) => Steps<B>): Steps<B> {
  return yield* next(yield* first)
}
