/** Computations in steps, with other fibers between them. */
import type { Steps } from "@lazaret/domain"
import { Effect } from "effect"

/** The result of a computation, with other fibers between its steps. */
export const run = Effect.fnUntraced(function* <A>(steps: Steps.Steps<A>) {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
    yield* Effect.yieldNow
  }
})
