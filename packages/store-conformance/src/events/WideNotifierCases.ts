/** The law of wide notifiers. They belong to no repository: cases know theirs by ids of their own. */
import { Instant, type Notifier } from "@lazaret/domain"
import { WideNotifierStore } from "@lazaret/store"
import { Effect } from "effect"
import { Case, Law, Leased, Sample } from "../law/index.ts"

const notifier = (id: string, parts: Partial<Notifier.WideNotifier> = {}): Notifier.WideNotifier => ({
  id,
  repositories: ["acme/*"],
  channel: { _tag: "Slack", url: "https://example.com/hook" },
  types: [],
  owners: [],
  schedule: { _tag: "AtOnce" },
  createdAt: Sample.noon,
  createdBy: "key 1",
  ...parts
})

const place = (key: string, position: number) => ({ key, createdAt: Sample.noon - Instant.day, position })

const never = Sample.noon + 1000 * Instant.day

/** The leases of a notifier; those of other cases run out. */
const leaseOf = (id: string, now: number) =>
  Effect.map(
    WideNotifierStore.use((store) => store.lease(Leased.request(now))),
    (leased) => leased.filter((each) => each.notifier.id === id)
  )

/** The cases of wide notifiers. Only one of them leases: leases are given over all notifiers of a store. */
export const cases: ReadonlyArray<Case.Case> = [
  Case.make(
    "WideNotifierStore",
    "of a wide notifier every field is kept, in the order of creation, until it is removed",
    function* () {
      const store = yield* WideNotifierStore
      const { a, b, c } = yield* Sample.ids("a", "b", "c")
      const later = notifier(a, {
        repositories: ["Acme/web-?", "*/*"],
        channel: { _tag: "Email", to: ["a@example.com", "b@example.com"] },
        types: ["queue.paused"],
        owners: ["@acme/web", "\u{1f600}"],
        schedule: { _tag: "Weekly", weekday: 1, hour: 9, timeZone: "Europe/Paris" },
        createdAt: Sample.noon + 1
      })
      const places = [place("acme/web-1", 7), place("acme/web-2", 0)]
      yield* store.insert(later, places, never)
      yield* store.insert(notifier(c), [], never)
      yield* store.insert(notifier(b, { schedule: { _tag: "Daily", hour: 0, timeZone: "UTC" } }), [], never)
      const own = Effect.map(store.list, (all) => all.filter((state) => [a, b, c].includes(state.notifier.id)))
      yield* Law.equal(
        (yield* own).map((state) => state.notifier.id),
        [b, c, a]
      )
      yield* Law.equal((yield* own)[2], {
        notifier: later,
        places,
        attempts: 0,
        nextAt: never,
        failure: null,
        sentAt: null
      })
      yield* Law.equal([yield* store.remove(b), yield* store.remove(b)], [true, false])
      yield* Law.equal((yield* own).length, 2)
      yield* store.remove(a)
      yield* store.remove(c)
    }
  ),

  Case.make(
    "WideNotifierStore",
    "a message about several repositories that was begun keeps its places for every later lease, until it is sent",
    function* () {
      const store = yield* WideNotifierStore
      const { a } = yield* Sample.ids("a")
      const now = Sample.noon
      yield* store.insert(notifier(a), [place("acme/one", 1)], now)
      yield* Law.equal(yield* leaseOf(a, now - 1), [], "before its time has come")
      const many = yield* Effect.all([leaseOf(a, now), leaseOf(a, now), leaseOf(a, now)], { concurrency: 3 })
      const [first, ...others] = many.flat()
      yield* Law.equal(others, [], "other leases at the same time")
      if (first === undefined) return yield* Law.equal<unknown>(first, "a lease")
      const { attempts, places, staged: begun } = first
      yield* Law.equal([first.notifier, places, begun, attempts], [notifier(a), [place("acme/one", 1)], null, 0])
      const staged = [place("acme/one", 3), place("acme/two", 2)]
      yield* Law.equal(yield* store.stage(first, staged), true)

      const [second] = yield* leaseOf(a, now + Instant.minute)
      if (second === undefined) return yield* Law.equal<unknown>(second, "a lease after the first has run out")
      yield* Law.equal([second.places, second.staged], [places, staged])
      yield* Law.equal(yield* store.stage(first, []), false, "staging under a lost lease")
      const failed = { places, attempts: 3, nextAt: now + Instant.hour, failure: "status 500", sentAt: null }
      yield* Law.equal(yield* store.settle(first, failed), false, "progress under a lost lease")
      yield* Law.equal(yield* store.settle(second, failed), true)
      yield* Law.equal(yield* leaseOf(a, now + Instant.hour - 1), [], "before the next attempt")

      const [third] = yield* leaseOf(a, now + Instant.hour)
      if (third === undefined) return yield* Law.equal<unknown>(third, "a lease at its time")
      yield* Law.equal([third.places, third.staged, third.attempts], [places, staged, 3])
      const sent = { attempts: 0, nextAt: now + Instant.hour, failure: null, sentAt: now + Instant.hour }
      yield* store.settle(third, { ...sent, places: staged })
      const [fourth] = yield* leaseOf(a, now + Instant.hour)
      if (fourth === undefined) return yield* Law.equal<unknown>(fourth, "a lease of what follows")
      yield* Law.equal([fourth.places, fourth.staged, fourth.attempts], [staged, null, 0])
      yield* store.settle(fourth, { ...sent, places: staged, nextAt: never, sentAt: null })
      const state = (yield* store.list).find((each) => each.notifier.id === a)
      yield* Law.equal([state?.sentAt, state?.failure], [now + Instant.hour, null])
      yield* store.remove(a)
    }
  )
]
