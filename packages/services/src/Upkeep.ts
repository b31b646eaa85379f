/** The use cases of verifying and recomputing stored verdicts (beyond the interface). */
import type { Repository } from "@lazaret/domain"
import { type Difference, RepositoryStore, type StoreError, UpkeepStore } from "@lazaret/store"
import { Context, Effect, Layer } from "effect"
import * as Lookup from "./Lookup.ts"
import type { RepositoryNotFound } from "./ServiceError.ts"

/** The first differences, and the number of all. */
export interface Verification {
  readonly differences: ReadonlyArray<Difference>
  readonly total: number
}

/** The maximum number of differences that a verification lists. */
export const mostDifferences = 1000

/** Compares stored verdicts with the stored executions, and recomputes them. */
export class Upkeep extends Context.Service<
  Upkeep,
  {
    /** Recomputes every verdict of a repository while it stays in use. */
    readonly refold: (ref: Repository.RepositoryRef) => Effect.Effect<void, RepositoryNotFound | StoreError>
    /** Compares every verdict of a repository, and changes nothing. */
    readonly verify: (ref: Repository.RepositoryRef) => Effect.Effect<Verification, RepositoryNotFound | StoreError>
  }
>()("@lazaret/services/Upkeep") {
  /** The use cases over the storage ports. */
  static readonly layer = Layer.effect(
    Upkeep,
    Effect.gen(function* () {
      const upkeep = yield* UpkeepStore
      const repository = Lookup.repository(yield* RepositoryStore)

      const refold = Effect.fn("Upkeep.refold")(function* (ref: Repository.RepositoryRef) {
        yield* repository(ref)
        yield* upkeep.refold(ref)
        yield* Effect.logInfo(`${ref.owner}/${ref.repository} was recomputed`)
      })

      const verify = Effect.fn("Upkeep.verify")(function* (ref: Repository.RepositoryRef) {
        yield* repository(ref)
        const found = yield* upkeep.verify(ref)
        if (found.length > 0) yield* Effect.logWarning(sentence(ref, found))
        return { differences: found.slice(0, mostDifferences), total: found.length }
      })

      return Upkeep.of({ refold, verify })
    })
  )
}

const sentence = (ref: Repository.RepositoryRef, found: ReadonlyArray<Difference>): string => {
  const first = found.slice(0, 10).map(({ kind, place }) => `${kind} of ${place}`)
  const rest = found.length > first.length ? ", …" : ""
  return `${ref.owner}/${ref.repository} has stored verdicts that differ from the computed ones: ${first.join(", ")}${rest}`
}
