/**
 * What an operator does who wants to know whether what is stored is right, and to make it so (our routes, beyond the
 * interface).
 */
import type { Repository } from "@lazaret/domain"
import { type Difference, RepositoryStore, type StoreError, UpkeepStore } from "@lazaret/store"
import { Context, Effect, Layer } from "effect"
import * as Known from "./Known.ts"
import type { NotFound } from "./ServiceError.ts"

/** The first differences that were found, and how many there are. */
export interface Verification {
  readonly differences: ReadonlyArray<Difference>
  readonly total: number
}

/** The most differences that a verification names: nobody reads on after so many. */
export const mostDifferences = 1000

/** Compares what is stored with what the kept executions say, and computes it anew. */
export class Upkeep extends Context.Service<
  Upkeep,
  {
    /** Computes everything of a repository anew, while it stays in use. */
    readonly refold: (ref: Repository.RepositoryRef) => Effect.Effect<void, NotFound | StoreError>
    /** Compares everything of a repository, and changes nothing. */
    readonly verify: (ref: Repository.RepositoryRef) => Effect.Effect<Verification, NotFound | StoreError>
  }
>()("@lazaret/services/Upkeep") {
  /** The use cases over the storage ports. */
  static readonly layer = Layer.effect(
    Upkeep,
    Effect.gen(function* () {
      const upkeep = yield* UpkeepStore
      const repository = Known.repository(yield* RepositoryStore)

      const refold = Effect.fn("Upkeep.refold")(function* (ref: Repository.RepositoryRef) {
        yield* repository(ref)
        yield* upkeep.refold(ref)
        yield* Effect.logInfo(`${ref.owner}/${ref.repository} was computed anew`)
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
  return `${ref.owner}/${ref.repository} is stored otherwise than computed: ${first.join(", ")}${rest}`
}
