/** The search for tests that did not run, in the background: after reports of the default branch, some minutes later. */
import { Instant, MissingFacts, MissingPolicy, MissingRound, Repository } from "@lazaret/domain"
import { type LeasedMissing, MissingStore, type StoreError } from "@lazaret/store"
import { Clock, Context, Effect, Layer } from "effect"
import * as Rounds from "../background/Rounds.ts"

/**
 * The pace of the search, in milliseconds.
 *
 * **Details**
 *
 * - `pause`: the time after a report; further parts of its job run, and other jobs of its run, have reported then.
 * - `rest`: how many times as long as a round took the next one waits, so that a large repository does not occupy the server.
 * - `every`: the time between two searches for repositories that are due.
 */
export const MissingPace: Context.Reference<{ readonly pause: number; readonly rest: number; readonly every: number }> =
  Context.Reference<{ readonly pause: number; readonly rest: number; readonly every: number }>(
    "@lazaret/services/MissingPace",
    {
      defaultValue: () => ({
        pause: MissingFacts.bounds.settled + Instant.minute,
        rest: 60,
        every: 10 * Instant.second
      })
    }
  )

/**
 * Finds losses: tests and jobs that did not run although they were expected.
 *
 * **Laws**
 *
 * - *One at a time.* At any time at most one process searches in a repository.
 * - *Nothing is lost.* A round that fails is repeated; a request during a round leads to another one, and so does a job run that is too
 *   young to be judged.
 * - *Once.* A loss is one event, however often it is found.
 */
export class MissingRounds extends Context.Service<
  MissingRounds,
  {
    /** Requests a round after a report. Never fails. */
    readonly request: (ref: Repository.RepositoryRef) => Effect.Effect<void>
    /** Searches in the repositories that are due, and yields how many it took on. */
    readonly round: Effect.Effect<number, StoreError>
  }
>()("@lazaret/services/MissingRounds") {
  /** The use case over the storage ports. */
  static readonly layer = Layer.effect(
    MissingRounds,
    Effect.gen(function* () {
      const store = yield* MissingStore
      const { pause, rest } = yield* MissingPace

      const request = yield* Rounds.requests({
        pause,
        request: store.request,
        failure: "A search for missing tests was not requested"
      })

      const compute = Effect.fnUntraced(function* (leased: LeasedMissing) {
        const start = yield* Clock.currentTimeMillis
        const policy = MissingPolicy.defaults
        const groups = yield* store.histories(leased.ref, { now: start, runs: null }, MissingRound.judge(policy, start))
        const found = MissingRound.found(groups, policy, start)
        const end = yield* Clock.currentTimeMillis
        const againAt = end + Math.max(Instant.minute, rest * (end - start))
        yield* store.replace(leased, { computedAt: start, againAt }, (before) => MissingRound.of(found, before, start))
      })

      const work = (leased: LeasedMissing) =>
        compute(leased).pipe(
          Effect.catch((error) =>
            Effect.gen(function* () {
              yield* Effect.logWarning("Missing tests could not be searched for", error)
              const now = yield* Clock.currentTimeMillis
              yield* store.fail(leased, now + Math.max(Instant.minute, Rounds.pauseAfter(leased.attempts)))
            })
          )
        )

      const round = yield* Rounds.ofLeases({
        lease: store.lease,
        leaseTime,
        atOnce: 1,
        work,
        failure: "Missing tests could not be searched for",
        about: ({ ref }) => ({ repository: Repository.key(ref) })
      })

      return MissingRounds.of({ request, round })
    })
  )

  /** Searches in rounds. */
  static readonly layerRounds = Layer.effectDiscard(
    Effect.flatMap(Effect.all([MissingRounds, MissingPace]), ([{ round }, { every }]) =>
      Rounds.fork({ round, every, failure: "Missing tests could not be searched for" })
    )
  )
}

/** A lease outlives the slowest round. */
const leaseTime = 15 * Instant.minute
