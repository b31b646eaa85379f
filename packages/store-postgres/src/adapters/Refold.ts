/** The recomputation that a change of a repository's settings needs. */
import { Context, type Effect, Layer } from "effect"
import type { Failure } from "../database/StoreFailure.ts"

/**
 * Applies a change of settings (`RepositoryStore.set`) to the whole stored history, in the transaction of the change.
 *
 * **Laws**
 *
 * `around` must run inside a transaction. It takes the lock that appends to the repository take, runs the change, and
 * then recomputes everything that depends on the settings.
 */
export class Refold extends Context.Service<
  Refold,
  {
    readonly around: <A>(repositoryId: number, change: Effect.Effect<A, Failure>) => Effect.Effect<A, Failure>
  }
>()("@lazaret/store-postgres/Refold") {
  /** Recomputes nothing: for a database without executions. */
  static readonly layerNone = Layer.succeed(Refold, { around: (_, change) => change })
}
