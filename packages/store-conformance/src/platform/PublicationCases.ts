/** The law of publications. */
import { Instant, type Repository } from "@lazaret/domain"
import { type LeaseRequest, PublicationStore } from "@lazaret/store"
import { Effect } from "effect"
import * as Case from "../law/Case.ts"
import * as Law from "../law/Law.ts"
import * as Sample from "../law/Sample.ts"

/** Leases whatever is due on the store; what is not of this repository is other cases' and left to run out. */
const leaseOf = (ref: Repository.RepositoryRef, now: number, parts: Partial<LeaseRequest> = {}) =>
  Effect.map(
    PublicationStore.use((store) =>
      store.lease({ now, until: now + Instant.minute, lease: crypto.randomUUID(), limit: 1000, ...parts })
    ),
    (all) => all.filter((leased) => leased.ref.repository === ref.repository)
  )

/** The cases of publications. Only one of them leases: leases are given over all repositories of a store. */
export const cases: ReadonlyArray<Case.Case> = [
  Case.make("PublicationStore", "a request stays due until a publication that began after it is done", (ref) =>
    Effect.gen(function* () {
      const store = yield* PublicationStore
      const now = Sample.noon
      yield* store.request(ref, "c1", now + 900)
      yield* store.request(ref, "c1", now + 5)
      yield* store.request(ref, "c1", now + 6)
      // The empty name is not a commit: it stands for those of all open pull requests.
      yield* store.request(ref, "", now + 7)
      yield* Law.equal(yield* leaseOf(ref, now + 4), [], "before the time of the earliest request")
      const many = yield* Effect.all([leaseOf(ref, now + 5), leaseOf(ref, now + 5)], { concurrency: 2 })
      const [first, ...others] = many.flat()
      yield* Law.equal(others, [], "other leases at the same time")
      if (first === undefined) return yield* Law.equal<unknown>(first, "a lease")
      yield* Law.equal([first.commit, first.attempts, first.requests], ["c1", 0, 3])

      yield* store.request(ref, "c1", now + 6)
      yield* Law.equal(yield* store.finish(first), true, "the end of the first publication")
      yield* Law.equal(yield* store.finish(first), false, "a second end")
      const [second] = yield* leaseOf(ref, now + 6)
      yield* Law.equal(second?.commit, "c1", "the request that arrived meanwhile")
      if (second === undefined) return
      yield* Law.equal(yield* store.defer(second, now + Instant.hour), true)
      yield* store.request(ref, "c1", now + 8)
      const [other, ...more] = yield* leaseOf(ref, now + 10)
      yield* Law.equal([other?.commit, more], ["", []], "a request does not shorten a deferral")

      const [third] = yield* leaseOf(ref, now + Instant.hour, { until: now + 2 * Instant.hour })
      yield* Law.equal(third?.commit, "", "the lease that ran out comes with the longest due")
      const all = yield* leaseOf(ref, now + 3 * Instant.hour)
      yield* Law.equal(
        all.map(({ attempts, commit }) => [commit, attempts]),
        [
          ["", 0],
          ["c1", 1]
        ]
      )
      if (third !== undefined) yield* Law.equal(yield* store.finish(third), false, "under a lost lease")
      for (const each of all) yield* Law.equal(yield* store.finish(each), true)
      yield* Law.equal(yield* leaseOf(ref, now + 9 * Instant.hour), [], "after all are done")
    })
  )
]
