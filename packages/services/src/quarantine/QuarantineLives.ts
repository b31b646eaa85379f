/** The background work of quarantines with a life: reminders before their end, and the end itself. */
import { Repository } from "@lazaret/domain"
import { QuarantineStore, type StoreError } from "@lazaret/store"
import { Clock, Context, Effect, Layer } from "effect"
import { CommitNotice } from "../ports/CommitNotice.ts"
import * as Rounds from "../background/Rounds.ts"

/**
 * Stores the ends and the reminders of quarantines that are due, with their events.
 *
 * **Laws**
 *
 * - No answer depends on it: a read judges an end by its own instant (`QuarantineStore`).
 * - Any number of processes may do it: an end and a reminder are one event each. One that fails is repeated by the next round.
 * - Verdicts on open pull requests are published again after an end.
 */
export class QuarantineLives extends Context.Service<
  QuarantineLives,
  {
    /** Stores what is due in every repository, and yields the number of repositories. */
    readonly round: Effect.Effect<number, StoreError>
  }
>()("@lazaret/services/QuarantineLives") {
  /** The use case over the storage port. */
  static readonly layer = Layer.effect(
    QuarantineLives,
    Effect.gen(function* () {
      const quarantines = yield* QuarantineStore
      const { changed } = yield* CommitNotice

      const elapse = Effect.fnUntraced(function* (ref: Repository.RepositoryRef, now: number) {
        // Notify before the write: if the process dies in between, the write is repeated and notifies again.
        yield* changed(ref)
        yield* quarantines.elapse(ref, now)
      })

      const safely = (ref: Repository.RepositoryRef, now: number) =>
        elapse(ref, now).pipe(
          Effect.catchCause((cause) => Effect.logWarning("The ends of quarantines could not be stored", cause)),
          Effect.annotateLogs({ repository: Repository.key(ref) })
        )

      const round = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const refs = yield* quarantines.elapsing(now)
        yield* Effect.forEach(refs, (ref) => safely(ref, now), { discard: true })
        return refs.length
      })

      return QuarantineLives.of({ round })
    })
  )

  /** Works in rounds, one each minute. */
  static readonly layerRounds = Layer.effectDiscard(
    Effect.flatMap(QuarantineLives, ({ round }) =>
      Rounds.fork({
        // A repository that fails stays due: the next attempt is a minute later.
        round: Effect.as(round, 0),
        every: 60_000,
        failure: "The ends of quarantines could not be stored"
      })
    )
  )
}
