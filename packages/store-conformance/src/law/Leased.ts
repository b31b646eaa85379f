/** Events that happen, leases of one repository, and the law of rounds, for the cases of ports that lease. */
import { Event, Instant, type Repository } from "@lazaret/domain"
import {
  EventStore,
  type LeasedRepository,
  type LeaseRequest,
  type RepositoryRounds,
  type RoundTimes,
  type StoreError
} from "@lazaret/store"
import { Effect } from "effect"
import * as Law from "./Law.ts"
import * as Sample from "./Sample.ts"
import { Violation } from "./Violation.ts"

/** Adds an event of that minute. */
export const happen = (ref: Repository.RepositoryRef, minute: number) =>
  EventStore.use((store) =>
    store.append(
      ref,
      [Event.paused({ reason: "release", pauseDate: Sample.noon }, Sample.noon + minute, "key 1")],
      Sample.noon
    )
  )

/** A lease of a minute on all that is due. */
export const request = (now: number): LeaseRequest => ({
  now,
  until: now + Instant.minute,
  lease: crypto.randomUUID(),
  limit: 1000
})

/** A port that leases something of repositories. */
interface Leasing<Lease> {
  readonly lease: (request: LeaseRequest) => Effect.Effect<ReadonlyArray<Lease>, StoreError>
}

/** The one lease among these. */
const single = <Lease>([leased, ...others]: ReadonlyArray<Lease>): Effect.Effect<Lease, Violation> =>
  leased === undefined
    ? Effect.fail(new Violation({ message: "no lease", actual: null, expected: "a lease" }))
    : Effect.as(Law.equal<unknown>(others, [], "other leases"), leased)

/** The leases of a port. */
export const of = <Lease extends { readonly ref: Repository.RepositoryRef }, R>(
  port: Effect.Effect<Leasing<Lease>, never, R>
) => {
  /** The leases of a repository at an instant. The store leases the work of other cases, too, and their leases run out. */
  const at = (ref: Repository.RepositoryRef, now: number, parts: Partial<LeaseRequest> = {}) =>
    Effect.map(
      Effect.flatMap(port, (store) => store.lease({ ...request(now), ...parts })),
      (all) => all.filter((leased) => leased.ref.repository === ref.repository)
    )
  /** The one lease of a repository at an instant. */
  const only = (ref: Repository.RepositoryRef, now: number) => Effect.flatMap(at(ref, now), single)
  /** The one lease that several processes get when they ask at the same time. */
  const contended = (ref: Repository.RepositoryRef, now: number) =>
    Effect.flatMap(Effect.all([at(ref, now), at(ref, now), at(ref, now)], { concurrency: 3 }), (all) =>
      single(all.flat())
    )
  return { at, only, contended }
}

/**
 * The law of rounds (`RepositoryRounds`), in a repository without a request and with one `replace` of the port. It ends without a request;
 * the next round may begin at `now` of the end.
 */
export const inRounds = Effect.fnUntraced(function* <R, E, R2>(
  ref: Repository.RepositoryRef,
  port: Effect.Effect<RepositoryRounds, never, R>,
  replace: (leased: LeasedRepository, times: RoundTimes) => Effect.Effect<boolean, E, R2>
) {
  const store = yield* port
  const { at, contended, only } = of(port)
  const now = Sample.noon
  yield* store.request(ref, now + 5)
  yield* store.request(ref, now + 900)
  yield* Law.equal(yield* at(ref, now + 4), [], "before its time")
  const first = yield* contended(ref, now + 5)
  yield* store.request(ref, now + 6)
  const times = { computedAt: now + 7, againAt: now + 100 }
  yield* Law.equal(yield* replace(first, times), true)
  yield* Law.equal(yield* replace(first, { ...times, computedAt: now + 8 }), false, "a second end")
  yield* Law.equal(yield* at(ref, now + 99), [], "before the earliest time of the next round")

  const second = yield* only(ref, now + 100)
  yield* Law.equal(yield* replace(second, { computedAt: now + 101, againAt: now + 200 }), true)
  yield* Law.equal(yield* at(ref, now + Instant.day), [], "without a request")
  yield* store.request(ref, now + 150)
  yield* Law.equal(yield* at(ref, now + 199), [], "a request before the earliest time")

  const third = yield* only(ref, now + 200)
  yield* Law.equal(yield* store.fail(third, now + Instant.hour), true)
  yield* Law.equal(yield* store.fail(third, now), false, "a second failure")
  yield* Law.equal(yield* at(ref, now + Instant.minute), [], "put off")
  const fourth = yield* only(ref, now + Instant.hour)
  yield* Law.equal(fourth.attempts, 1)
  const last = { computedAt: now + Instant.hour, againAt: now + Instant.hour }
  yield* Law.equal(yield* replace(fourth, last), true)
  yield* Law.equal(yield* at(ref, now + Instant.day), [], "without a request")
})
