/** The computation of causes in the background: after reports with failures, at most every few minutes for one repository. */
import { CausePolicy, CauseRound, Instant, Repository, type Steps } from "@lazaret/domain"
import { CauseStore, type LeasedCauses, type StoreError } from "@lazaret/store"
import { Clock, Context, Effect, Layer } from "effect"
import * as Rounds from "../background/Rounds.ts"

/**
 * The pace of causes, in milliseconds.
 *
 * **Details**
 *
 * - `pause`: the time for which reports of one repository are collected.
 * - `rest`: how many times as long as a round took the next one waits, so that a large repository does not occupy the server.
 * - `every`: the time between two searches for repositories that are due.
 */
export const CausePace: Context.Reference<{ readonly pause: number; readonly rest: number; readonly every: number }> =
  Context.Reference<{ readonly pause: number; readonly rest: number; readonly every: number }>(
    "@lazaret/services/CausePace",
    { defaultValue: () => ({ pause: 2 * Instant.minute, rest: 60, every: 10 * Instant.second }) }
  )

/**
 * Computes causes.
 *
 * **Laws**
 *
 * - *One at a time.* At any time at most one process computes the causes of a repository.
 * - *Nothing is lost.* A round that fails is repeated; a request during a round leads to another one.
 * - *Equal everywhere.* The same stored failures and causes of before give the same causes in every process.
 */
export class CauseRounds extends Context.Service<
  CauseRounds,
  {
    /** Requests a round after a report with failures. Never fails. */
    readonly request: (ref: Repository.RepositoryRef) => Effect.Effect<void>
    /** Computes the causes of the repositories that are due, and yields how many it took on. */
    readonly round: Effect.Effect<number, StoreError>
  }
>()("@lazaret/services/CauseRounds") {
  /** The use case over the storage ports. */
  static readonly layer = Layer.effect(
    CauseRounds,
    Effect.gen(function* () {
      const store = yield* CauseStore
      const { pause, rest } = yield* CausePace

      const request = yield* Rounds.requests({
        pause,
        request: store.request,
        failure: "A computation of causes was not requested"
      })

      const compute = Effect.fnUntraced(function* (leased: LeasedCauses) {
        const start = yield* Clock.currentTimeMillis
        const facts = yield* store.facts(leased.ref)
        const known = yield* store.list(leased.ref)
        const question = { facts, before: known, now: start }
        const found = yield* inSteps(CauseRound.found(question, CausePolicy.defaults))
        const end = yield* Clock.currentTimeMillis
        const againAt = end + Math.max(pause, rest * (end - start))
        yield* store.replace(leased, { computedAt: start, againAt }, (before) => CauseRound.of(found, before, start))
      })

      const work = (leased: LeasedCauses) =>
        compute(leased).pipe(
          Effect.catch((error) =>
            Effect.gen(function* () {
              yield* Effect.logWarning("The causes of failures could not be computed", error)
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
        failure: "The causes of failures could not be computed",
        about: ({ ref }) => ({ repository: Repository.key(ref) })
      })

      return CauseRounds.of({ request, round })
    })
  )

  /** Computes in rounds. */
  static readonly layerRounds = Layer.effectDiscard(
    Effect.flatMap(Effect.all([CauseRounds, CausePace]), ([{ round }, { every }]) =>
      Rounds.fork({ round, every, failure: "The causes of failures could not be computed" })
    )
  )
}

/** The result of a computation, with other fibers between its steps. */
const inSteps = Effect.fnUntraced(function* <A>(steps: Steps.Steps<A>) {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
    yield* Effect.yieldNow
  }
})

/** A lease outlives the slowest round. */
const leaseTime = 15 * Instant.minute
