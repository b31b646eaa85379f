/** The search for tests that did not run, in the background: after reports of the default branch, some minutes later. */
import { Instant, MissingFacts, MissingPolicy, MissingRound } from "@lazaret/domain"
import { MissingStore } from "@lazaret/store"
import { Context, Effect, Layer } from "effect"
import * as RepositoryRounds from "../background/RepositoryRounds.ts"
import * as Rounds from "../background/Rounds.ts"

/** The pace of the search: after the pause, further parts of a job run, and other jobs of its run, have reported. */
export const MissingPace = RepositoryRounds.pace(
  "@lazaret/services/MissingPace",
  MissingFacts.bounds.settled + Instant.minute
)

const failure = "Missing tests could not be searched for"

/**
 * Finds losses: tests and jobs that did not run although they were expected.
 *
 * **Laws**
 *
 * Those of {@link RepositoryRounds.RepositoryRounds}, and:
 *
 * - A job run that is too young to be judged leads to another round.
 * - *Once.* A loss is one event, however often it is found.
 */
export class MissingRounds extends Context.Service<MissingRounds, RepositoryRounds.RepositoryRounds>()(
  "@lazaret/services/MissingRounds"
) {
  /** The use case over the storage ports. */
  static readonly layer = Layer.effect(
    MissingRounds,
    Effect.gen(function* () {
      const store = yield* MissingStore
      const policy = MissingPolicy.defaults
      return yield* RepositoryRounds.make({
        store,
        pace: yield* MissingPace,
        least: Instant.minute,
        unrequested: "A search for missing tests was not requested",
        failure,
        compute: Effect.fnUntraced(function* (ref, now) {
          const groups = yield* store.histories(ref, { now, runs: null }, MissingRound.judge(policy, now))
          const found = MissingRound.found(groups, policy, now)
          return (leased, times) => store.replace(leased, times, (before) => MissingRound.of(found, before, now))
        })
      })
    })
  )

  /** Searches in rounds. */
  static readonly layerRounds = Rounds.layer(MissingRounds, MissingPace, failure)
}
