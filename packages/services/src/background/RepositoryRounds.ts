/** Rounds of repositories: work about a whole repository, in the background, some time after its reports. */
import { Instant, Repository } from "@lazaret/domain"
import type { LeasedRepository, RepositoryRounds as Port, RoundTimes, StoreError } from "@lazaret/store"
import { Clock, Context, Effect } from "effect"
import * as Rounds from "./Rounds.ts"

/**
 * Rounds of repositories.
 *
 * **Laws**
 *
 * - *One at a time.* At any time at most one process works on a repository.
 * - *Nothing is lost.* A round that fails is repeated; a request during a round leads to another one.
 */
export interface RepositoryRounds {
  /** Requests a round after a report. Never fails. */
  readonly request: (ref: Repository.RepositoryRef) => Effect.Effect<void>
  /** Works on the repositories that are due, and yields how many it took on. */
  readonly round: Effect.Effect<number, StoreError>
}

/**
 * The pace of rounds, in milliseconds.
 *
 * **Details**
 *
 * - `pause`: the time for which reports of one repository are collected.
 * - `rest`: how many times as long as a round took the next one waits, so that a large repository does not occupy the server.
 * - `every`: the time between two searches for repositories that are due.
 */
export interface Pace {
  readonly pause: number
  readonly rest: number
  readonly every: number
}

/** A pace that can be replaced in the context; only the pause differs between kinds of rounds. */
export const pace = (key: string, pause: number): Context.Reference<Pace> =>
  Context.Reference<Pace>(key, { defaultValue: () => ({ pause, rest: 60, every: 10 * Instant.second }) })

/**
 * A kind of rounds.
 *
 * **Details**
 *
 * - `least`: the least time until the next round; `pace.pause` where it is left out.
 * - `compute`: yields the writing of the result, which gets the times of the round.
 * - `unrequested`, `failure`: the lines of the log when a request and when a round fails.
 */
export interface Options {
  readonly store: Port
  readonly pace: Pace
  readonly least?: number
  readonly compute: (
    ref: Repository.RepositoryRef,
    now: Instant.Instant
  ) => Effect.Effect<(leased: LeasedRepository, times: RoundTimes) => Effect.Effect<boolean, StoreError>, StoreError>
  readonly unrequested: string
  readonly failure: string
}

/** The rounds of a kind. */
export const make = Effect.fnUntraced(function* (options: Options) {
  const {
    compute,
    failure,
    pace: { pause, rest },
    store,
    unrequested
  } = options
  const request = yield* Rounds.requests({ pause, request: store.request, failure: unrequested })

  const take = Effect.fnUntraced(function* (leased: LeasedRepository) {
    const computedAt = yield* Clock.currentTimeMillis
    const replace = yield* compute(leased.ref, computedAt)
    const end = yield* Clock.currentTimeMillis
    const againAt = end + Math.max(options.least ?? pause, rest * (end - computedAt))
    yield* replace(leased, { computedAt, againAt })
  })

  const putOff = Effect.fnUntraced(function* (leased: LeasedRepository, error: StoreError) {
    yield* Effect.logWarning(failure, error)
    const now = yield* Clock.currentTimeMillis
    yield* store.fail(leased, now + Math.max(Instant.minute, Rounds.pauseAfter(leased.attempts)))
  })

  const round = yield* Rounds.ofLeases({
    lease: store.lease,
    leaseTime,
    atOnce: 1,
    work: (leased) => take(leased).pipe(Effect.catch((error) => putOff(leased, error))),
    failure,
    about: ({ ref }) => ({ repository: Repository.key(ref) })
  })
  const rounds: RepositoryRounds = { request, round }
  return rounds
})

/** A lease outlives the slowest round. */
const leaseTime = 15 * Instant.minute
