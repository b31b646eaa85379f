/** The seam between the settings of a repository and everything that was computed with them. */
import { Context, type Effect, Layer } from "effect"
import type { Failure } from "../database/StoreFailure.ts"

/**
 * Makes a change of settings hold for the whole kept history at once (`RepositoryStore.set`).
 *
 * **Laws**
 *
 * `around` is called within a transaction. It takes the lock that appends to the repository take, before it runs the
 * change, and computes everything anew that depends on the settings, after it.
 */
export class Refold extends Context.Service<
  Refold,
  {
    readonly around: <A>(repositoryId: number, change: Effect.Effect<A, Failure>) => Effect.Effect<A, Failure>
  }
>()("@lazaret/store-postgres/Refold") {
  /** Computes nothing: for a database without executions. */
  static readonly layerNone = Layer.succeed(Refold, { around: (_, change) => change })
}
