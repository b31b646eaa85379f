/** The computation of slower tests in the background: after reports of the default branch, some time later. */
import { Instant, SlowerKnown, SlowerPolicy } from "@lazaret/domain"
import { SlowerStore } from "@lazaret/store"
import { Context, Effect, Layer } from "effect"
import * as RepositoryRounds from "../background/RepositoryRounds.ts"
import * as Rounds from "../background/Rounds.ts"
import * as SlowerComputation from "./SlowerComputation.ts"

/** The pace of slower tests: a change is found after five measurements, so that an earlier round would seldom find more. */
export const SlowerPace = RepositoryRounds.pace("@lazaret/services/SlowerPace", 30 * Instant.minute)

const failure = "Slower tests could not be computed"

/**
 * Finds tests and jobs that became slower.
 *
 * **Laws**
 *
 * Those of {@link RepositoryRounds.RepositoryRounds}, and:
 *
 * - *Once.* A growth is reported once, however often it is found (`SlowerKnown.of`).
 */
export class SlowerRounds extends Context.Service<SlowerRounds, RepositoryRounds.RepositoryRounds>()(
  "@lazaret/services/SlowerRounds"
) {
  /** The use case over the storage ports. */
  static readonly layer = Layer.effect(
    SlowerRounds,
    Effect.gen(function* () {
      const store = yield* SlowerStore
      const find = yield* SlowerComputation.make
      return yield* RepositoryRounds.make({
        store,
        pace: yield* SlowerPace,
        unrequested: "A computation of slower tests was not requested",
        failure,
        compute: Effect.fnUntraced(function* (ref, now) {
          const found = yield* find(ref)
          return (leased, times) =>
            store.replace(leased, times, (before) => SlowerKnown.of(found, before, now, SlowerPolicy.defaults))
        })
      })
    })
  )

  /** Computes in rounds. */
  static readonly layerRounds = Rounds.layer(SlowerRounds, SlowerPace, failure)
}
