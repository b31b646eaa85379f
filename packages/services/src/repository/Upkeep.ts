/** The use cases of verifying and recomputing stored verdicts (beyond the interface). */
import type { Repository } from "@lazaret/domain"
import { type Difference, RepositoryStore, type StoreError, UpkeepStore } from "@lazaret/store"
import { Context, Effect, Layer, Schedule } from "effect"
import * as Lookup from "../answer/Lookup.ts"
import type { RepositoryNotFound } from "../answer/ServiceError.ts"
import * as ServiceMetrics from "../background/ServiceMetrics.ts"

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
    /** Succeeds while the store takes writes. */
    readonly takesWrites: Effect.Effect<void, StoreError>
    /** Recomputes every verdict of a repository while it stays in use. */
    readonly refold: (ref: Repository.RepositoryRef) => Effect.Effect<void, RepositoryNotFound | StoreError>
    /**
     * Recomputes every repository of which something is stored as an older version computed it, one after another, while
     * they stay in use; yields how many are left because they failed. The log and `lazaret_outdated_repositories` show the
     * progress.
     */
    readonly renew: Effect.Effect<number, StoreError>
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

      const renew = Effect.fn("Upkeep.renew")(function* () {
        const outdated = yield* upkeep.outdated
        let left = outdated.length
        yield* ServiceMetrics.outdatedRepositories(left)
        for (const [index, ref] of outdated.entries()) {
          const place = `${ref.owner}/${ref.repository} (${index + 1} of ${outdated.length})`
          yield* Effect.logInfo(`Recomputing ${place} by the rules of this version; its answers stay available`)
          left -= (yield* safely(place, upkeep.refold(ref))) ? 1 : 0
          yield* ServiceMetrics.outdatedRepositories(left)
        }
        return left
      })

      return Upkeep.of({ takesWrites: upkeep.takesWrites, refold, verify, renew: renew() })
    })
  )

  /** Renews at the start, and every hour until nothing is left. A failure is logged, and the next round tries again. */
  static readonly layerRounds = Layer.effectDiscard(
    Effect.flatMap(Upkeep, ({ renew }) => {
      const round = Effect.catchCause(renew, (cause) =>
        Effect.as(Effect.logWarning("The recomputation of outdated repositories failed", cause), 1)
      )
      const rounds = Effect.repeat(round, { schedule: Schedule.spaced("1 hour"), while: (left) => left > 0 })
      return Effect.forkScoped(rounds)
    })
  )
}

/** Whether a recomputation succeeded; the log has the cause when it did not. */
const safely = (place: string, refold: Effect.Effect<boolean, StoreError>): Effect.Effect<boolean> =>
  refold.pipe(
    Effect.as(true),
    Effect.tap(Effect.logInfo(`Recomputed ${place}`)),
    Effect.catchCause((cause) => Effect.as(Effect.logWarning(`${place} could not be recomputed`, cause), false))
  )

const sentence = (ref: Repository.RepositoryRef, found: ReadonlyArray<Difference>): string => {
  const first = found.slice(0, 10).map(({ kind, place }) => `${kind} of ${place}`)
  const rest = found.length > first.length ? ", …" : ""
  return `${ref.owner}/${ref.repository} has stored verdicts that differ from the computed ones: ${first.join(", ")}${rest}`
}
