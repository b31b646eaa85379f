/** The problem documents of the services' errors: here, and nowhere below, an error gets its status. */
import { Problem } from "@lazaret/api"
import type { Conflict, Denied, Invalid, NotFound, StoreError } from "@lazaret/services"
import { Effect } from "effect"

/** What a use case can fail with. */
export type ServiceError = NotFound | Conflict | Denied | Invalid | StoreError

/** The problem that each error of the services is. A store that failed is nobody's fault but ours: it stays a defect. */
interface ProblemOf {
  readonly NotFound: Problem.NotFound
  readonly Conflict: Problem.Conflict
  readonly Denied: Problem.Forbidden
  readonly Invalid: Problem.Unprocessable
  readonly StoreError: Problem.Unavailable | Problem.Unprocessable
}

/** Turns the failures of a use case into problem documents. */
export const toProblem = <A, E extends ServiceError, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, ProblemOf[E["_tag"]], R> =>
  effect.pipe(Effect.catch((error: E): Effect.Effect<never, ProblemOf[E["_tag"]]> => problemOf(error)))

// The result is indexed by the tag of the error, which is what each case of the switch tests.
function problemOf<E extends ServiceError>(error: E): Effect.Effect<never, ProblemOf[E["_tag"]]>
function problemOf(error: ServiceError): Effect.Effect<never, ProblemOf[keyof ProblemOf]> {
  switch (error._tag) {
    case "NotFound":
      return Effect.fail(new Problem.NotFound({ detail: error.message }))
    case "Conflict":
      return Effect.fail(new Problem.Conflict({ detail: error.message }))
    case "Denied":
      return Effect.fail(new Problem.Forbidden({ detail: error.message }))
    case "Invalid":
      return Effect.fail(Problem.unprocessable(error.faults))
    case "StoreError":
      return storeProblem(error)
  }
}

const storeProblem = (error: StoreError): Effect.Effect<never, Problem.Unavailable | Problem.Unprocessable> => {
  switch (error.reason) {
    case "unavailable":
      return Effect.andThen(Effect.logWarning("The store cannot be reached", error), Effect.fail(Problem.unavailable))
    case "invalid":
      return Effect.fail(
        Problem.unprocessable([
          { location: "body", message: "The request holds text that cannot be stored: send valid Unicode." }
        ])
      )
    case "failed":
      return Effect.die(error)
  }
}
