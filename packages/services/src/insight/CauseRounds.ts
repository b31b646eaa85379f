/** The computation of causes in the background: after reports with failures, at most every few minutes for one repository. */
import { CausePolicy, CauseRound, Instant } from "@lazaret/domain"
import { CauseStore, Slices } from "@lazaret/store"
import { Context, Effect, Layer } from "effect"
import * as RepositoryRounds from "../background/RepositoryRounds.ts"
import * as Rounds from "../background/Rounds.ts"
import { CommitNotice } from "../ports/CommitNotice.ts"

/** The pace of causes. */
export const CausePace = RepositoryRounds.pace("@lazaret/services/CausePace", 2 * Instant.minute)

const failure = "The causes of failures could not be computed"

/**
 * Computes causes.
 *
 * **Laws**
 *
 * Those of {@link RepositoryRounds.RepositoryRounds}, and:
 *
 * - *Equal everywhere.* The same stored failures and causes of before give the same causes in every process.
 */
export class CauseRounds extends Context.Service<CauseRounds, RepositoryRounds.RepositoryRounds>()(
  "@lazaret/services/CauseRounds"
) {
  /** The use case over the storage ports. */
  static readonly layer = Layer.effect(
    CauseRounds,
    Effect.gen(function* () {
      const store = yield* CauseStore
      const { changed } = yield* CommitNotice
      return yield* RepositoryRounds.make({
        store,
        pace: yield* CausePace,
        unrequested: "A computation of causes was not requested",
        failure,
        compute: Effect.fnUntraced(function* (ref, now) {
          const facts = yield* store.facts(ref)
          const before = yield* store.list(ref)
          const found = yield* Slices.steps(CauseRound.found({ facts, before, now }, CausePolicy.defaults))
          // Issues follow a cause that fails again; the notice comes first, so that it is not lost.
          if (CauseRound.reopens(found, before, now)) yield* changed(ref)
          return (leased, times) => store.replace(leased, times, (held) => CauseRound.of(found, held, now))
        })
      })
    })
  )

  /** Computes in rounds. */
  static readonly layerRounds = Rounds.layer(CauseRounds, CausePace, failure)
}
