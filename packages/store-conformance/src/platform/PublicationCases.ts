/** The law of publications. */
import { Instant } from "@lazaret/domain"
import { PublicationStore } from "@lazaret/store"
import { Case, Law, Leased, Sample } from "../law/index.ts"

const leases = Leased.of(PublicationStore)

/** The cases of publications. Only one of them leases: leases are given over all repositories of a store. */
export const cases: ReadonlyArray<Case.Case> = [
  Case.make("PublicationStore", "a request stays due until a publication that began after it is done", function* (ref) {
    const store = yield* PublicationStore
    const now = Sample.noon
    yield* store.request(ref, "c1", now + 900)
    yield* store.request(ref, "c1", now + 5)
    yield* store.request(ref, "c1", now + 6)
    // The empty name is not a commit: it stands for those of all open pull requests.
    yield* store.request(ref, "", now + 7)
    yield* Law.equal(yield* leases.at(ref, now + 4), [], "before the time of the earliest request")
    const first = yield* leases.contended(ref, now + 5)
    yield* Law.equal([first.commit, first.attempts, first.requests], ["c1", 0, 3])

    yield* store.request(ref, "c1", now + 6)
    yield* Law.equal(yield* store.finish(first), true, "the end of the first publication")
    yield* Law.equal(yield* store.finish(first), false, "a second end")
    const [second] = yield* leases.at(ref, now + 6)
    yield* Law.equal(second?.commit, "c1", "the request that arrived meanwhile")
    if (second === undefined) return
    yield* Law.equal(yield* store.defer(second, now + Instant.hour), true)
    yield* store.request(ref, "c1", now + 8)
    const [other, ...more] = yield* leases.at(ref, now + 10)
    yield* Law.equal([other?.commit, more], ["", []], "a request does not shorten a deferral")

    const [third] = yield* leases.at(ref, now + Instant.hour, { until: now + 2 * Instant.hour })
    yield* Law.equal(third?.commit, "", "the lease that ran out comes with the longest due")
    const all = yield* leases.at(ref, now + 3 * Instant.hour)
    yield* Law.equal(
      all.map(({ attempts, commit }) => [commit, attempts]),
      [
        ["", 0],
        ["c1", 1]
      ]
    )
    if (third !== undefined) yield* Law.equal(yield* store.finish(third), false, "under a lost lease")
    for (const each of all) yield* Law.equal(yield* store.finish(each), true)
    yield* Law.equal(yield* leases.at(ref, now + 9 * Instant.hour), [], "after all are done")
  })
]
