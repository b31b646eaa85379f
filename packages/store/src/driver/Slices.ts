/** Long work in slices, so that other fibers and requests run in between. */
import type { Steps } from "@lazaret/domain"
import { Effect } from "effect"

/** The items in their order, in slices of at most `most` in weight; a heavier item is a slice of its own. */
export function* byWeight<A>(
  items: Iterable<A>,
  weightOf: (item: A) => number,
  most: number
): Generator<ReadonlyArray<A>> {
  let slice: Array<A> = []
  let total = 0
  for (const item of items) {
    const weight = weightOf(item)
    if (slice.length > 0 && total + weight > most) {
      yield slice
      slice = []
      total = 0
    }
    slice.push(item)
    total += weight
  }
  if (slice.length > 0) yield slice
}

/** Visits the items in their order, and yields to other fibers before every further slice of `most` items. */
export const visit = Effect.fnUntraced(function* <A>(items: Iterable<A>, most: number, work: (item: A) => void) {
  let count = 0
  for (const item of items) {
    if (count === most) {
      count = 0
      yield* Effect.yieldNow
    }
    count += 1
    work(item)
  }
})

/** Whether a condition holds for every item; yields to other fibers like {@link visit}. */
export const every = Effect.fnUntraced(function* <A>(
  items: ReadonlyArray<A>,
  most: number,
  isValid: (item: A) => boolean
) {
  for (let start = 0; start < items.length; start += most) {
    if (start > 0) yield* Effect.yieldNow
    if (!items.slice(start, start + most).every(isValid)) return false
  }
  return true
})

/** The result of a computation in steps; yields to other fibers after each. */
export const steps = Effect.fnUntraced(function* <A>(computation: Steps.Steps<A>) {
  for (;;) {
    const step = computation.next()
    if (step.done === true) return step.value
    yield* Effect.yieldNow
  }
})
