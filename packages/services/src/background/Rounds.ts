/** Rounds: work that is done in the background, as long as there is some, and then at intervals. */
import { Instant, Repository } from "@lazaret/domain"
import type { LeaseRequest, StoreError } from "@lazaret/store"
import { Cache, Clock, Effect, Exit, Layer, Schedule, type Scope } from "effect"
import type { ForgeError } from "../ports/Forge.ts"
import { NewId } from "../ports/NewId.ts"

/** A round yields how many pieces of work it took on. `failure` is the line of the log when a round fails. */
export interface Options<E, R> {
  readonly round: Effect.Effect<number, E, R>
  readonly every: number
  readonly failure: string
}

/** Runs rounds until the scope closes, and continues at once while they find work; a failure ends no later round. */
export const fork = <E, R>({
  every,
  failure,
  round
}: Options<E, R>): Effect.Effect<unknown, never, R | Scope.Scope> => {
  const safe = Effect.catchCause(round, (cause) => Effect.as(Effect.logWarning(failure, cause), 0))
  const rest = Effect.repeat(Effect.tap(safe, Effect.yieldNow), { while: (done) => done > 0 })
  return Effect.forkScoped(Effect.repeat(rest, Schedule.spaced(every)))
}

/** A layer that runs the rounds of a service, at the interval of its pace. */
export const layer = <E, R>(
  service: Effect.Effect<Pick<Options<E, never>, "round">, never, R>,
  pace: Effect.Effect<Pick<Options<E, never>, "every">>,
  failure: string
): Layer.Layer<never, never, R> =>
  Layer.effectDiscard(
    Effect.flatMap(Effect.all([service, pace]), ([{ round }, { every }]) => fork({ round, every, failure }))
  )

/** How reports request rounds of their repository: `pause` is the time for which reports are collected. */
export interface Requesting {
  readonly pause: number
  readonly request: (ref: Repository.RepositoryRef, at: Instant.Instant) => Effect.Effect<unknown, StoreError>
  readonly failure: string
}

/**
 * Requests a round of a repository, and never fails. A request that waits covers all reports until its time, so one of them
 * in this time is passed on.
 */
export const requests = ({ failure, pause, request }: Requesting) =>
  Effect.map(
    Cache.makeWith(
      (key: string) => {
        const [owner = "", repository = ""] = key.split("/")
        return Effect.flatMap(Clock.currentTimeMillis, (now) => request({ owner, repository }, now + pause))
      },
      { capacity: 10_000, timeToLive: (exit) => (Exit.isSuccess(exit) ? pause : 0) }
    ),
    (requested) =>
      (ref: Repository.RepositoryRef): Effect.Effect<void> =>
        Cache.get(requested, Repository.key(ref)).pipe(
          Effect.catch((error) => Effect.logWarning(failure, error)),
          Effect.asVoid
        )
  )

/**
 * Work that is leased, so that processes share it.
 *
 * **Details**
 *
 * - `leaseTime`: longer than the slowest piece of work; after it, another process takes the piece over.
 * - `renew`: extends the lease of a piece while it is worked on, and yields whether it is still ours: the work ends when it
 *   is not. With it a lease may be short, so that a process that died holds nothing up.
 * - `work`: settles its piece. `failure` is the line of the log when it dies, with the annotations that `about` yields.
 */
export interface Leasing<A, E, R> {
  readonly lease: (request: LeaseRequest) => Effect.Effect<ReadonlyArray<A>, StoreError>
  readonly leaseTime: number
  readonly renew?: (leased: A, until: Instant.Instant) => Effect.Effect<boolean, StoreError>
  readonly atOnce: number
  readonly work: (leased: A) => Effect.Effect<unknown, E, R>
  readonly failure: string
  readonly about: (leased: A) => Readonly<Record<string, string>>
}

/** A round over leased work: it works on the due pieces, some at once. A piece that fails ends no other. */
export const ofLeases = <A, E, R>(leasing: Leasing<A, E, R>) =>
  Effect.map(NewId, (newId) =>
    Effect.gen(function* () {
      const { about, atOnce, failure, leaseTime } = leasing
      const now = yield* Clock.currentTimeMillis
      const due = yield* leasing.lease({ now, until: now + leaseTime, lease: yield* newId, limit: atOnce })
      const safely = (leased: A) =>
        whileLeased(leasing, leased).pipe(
          Effect.catchCause((cause) => Effect.logWarning(failure, cause)),
          Effect.annotateLogs(about(leased))
        )
      yield* Effect.forEach(due, safely, { concurrency: atOnce, discard: true })
      return due.length
    })
  )

/** Work that renews its lease three times in the time of one, and ends when the lease is lost. */
const whileLeased = <A, E, R>({ leaseTime, renew, work }: Leasing<A, E, R>, leased: A) => {
  if (renew === undefined) return work(leased)
  const renewed = Effect.flatMap(Clock.currentTimeMillis, (now) => renew(leased, now + leaseTime))
  const kept = Effect.repeat(Effect.delay(renewed, leaseTime / 3), { while: (isOurs) => isOurs })
  return Effect.raceFirst(work(leased), kept)
}

/** The pause after this many failures in a row: it doubles from one second to five minutes. */
export const pauseAfter = (attempts: number): number =>
  Math.min(2 ** Math.min(attempts, 20) * Instant.second, 5 * Instant.minute)

/** The failures in a row before an attempt, the most of them, and the time of the attempt. */
export interface Attempt {
  readonly attempts: number
  readonly most: number
  readonly now: Instant.Instant
}

/** The time of the next attempt; null when a repetition is in vain, or there were too many. */
export const retryAt = (error: ForgeError | StoreError, { attempts, most, now }: Attempt): Instant.Instant | null => {
  if (attempts >= most) return null
  if (error._tag === "StoreError") return now + pauseAfter(attempts)
  if (error.reason === "refused" || error.reason === "not_installed") return null
  return Math.max(error.retryAt ?? 0, now + pauseAfter(attempts))
}
