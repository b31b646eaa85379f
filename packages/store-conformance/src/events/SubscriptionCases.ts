/** The law of subscriptions. */
import { Instant, type Subscription } from "@lazaret/domain"
import { EventStore, SubscriptionStore } from "@lazaret/store"
import { Option } from "effect"
import { Case, Law, Leased, Sample } from "../law/index.ts"

const subscription = (id: string, parts: Partial<Subscription.Subscription> = {}): Subscription.Subscription => ({
  id,
  url: "https://example.com/hook",
  secret: "a secret \u{1f600}",
  types: [],
  createdAt: Sample.noon,
  createdBy: "key 1",
  ...parts
})

const leases = Leased.of(SubscriptionStore)

/** The cases of subscriptions. Only one of them leases: leases are given over all repositories of a store. */
export const cases: ReadonlyArray<Case.Case> = [
  Case.make(
    "SubscriptionStore",
    "of a subscription every field is kept, in the order of creation, until it ends",
    function* (ref) {
      const store = yield* SubscriptionStore
      const { a, b, c } = yield* Sample.ids("a", "b", "c")
      const later = subscription(a, { createdAt: Sample.noon + 1, types: ["queue.paused", "queue.unpaused"] })
      yield* store.insert(ref, later)
      yield* store.insert(ref, subscription(c))
      yield* store.insert(ref, subscription(b))
      yield* Law.equal(yield* store.list(ref), [subscription(b), subscription(c), later])
      yield* Law.equal([yield* store.remove(ref, b), yield* store.remove(ref, b)], [true, false])
      yield* Law.equal(yield* store.list(ref), [subscription(c), later])
      const other = yield* Case.repository
      yield* Law.equal([yield* store.list(other), yield* store.remove(other, c)], [[], false])
      yield* Law.equal(yield* store.deadLetters(ref, b), Option.none())
      yield* Law.equal(yield* store.deadLetters(ref, c), Option.some([]))
      yield* Law.equal(yield* store.removeDeadLetter(ref, c, crypto.randomUUID()), false)
    }
  ),

  Case.make(
    "SubscriptionStore",
    "events after the subscription are delivered one at a time, and those that are given up are kept",
    function* (ref) {
      const store = yield* SubscriptionStore
      const { a } = yield* Sample.ids("a")
      const now = Sample.noon
      yield* Leased.happen(ref, 1)
      yield* store.insert(ref, subscription(a))
      yield* Law.equal(yield* leases.at(ref, now), [], "before anything has happened")
      yield* Leased.happen(ref, 2)
      const leased = yield* leases.contended(ref, now)
      yield* Law.equal([leased.subscription, leased.attempts], [subscription(a), 0])
      const [event, ...more] = yield* EventStore.use((events) => events.after(ref, leased.position, 9))
      yield* Law.equal([event?.at, more], [Sample.noon + 2, []], "the events after the position")

      const again = yield* leases.at(ref, now + Instant.minute)
      yield* Law.equal(again.length, 1, "leases after the first has run out")
      const progress = { position: leased.position, attempts: 3, nextAt: now + Instant.hour, dead: [] }
      yield* Law.equal(yield* store.settle(leased, progress), false, "progress under a lost lease")
      for (const each of again) yield* Law.equal(yield* store.settle(each, progress), true)
      yield* Law.equal(yield* leases.at(ref, now + Instant.hour - 1), [], "before its time has come")
      const [last] = yield* leases.at(ref, now + Instant.hour)
      if (last === undefined || event === undefined) return yield* Law.equal<unknown>(last, "a lease")
      yield* Law.equal([last.position, last.attempts], [leased.position, 3])

      const { position, ...plain } = event
      const dead = { event: plain, at: now, attempts: 7, error: "status 500" }
      yield* store.settle(last, { position, attempts: 0, nextAt: now, dead: [dead] })
      yield* Law.equal(yield* store.deadLetters(ref, a), Option.some([dead]))
      yield* Law.equal(yield* leases.at(ref, now + Instant.day), [], "after everything was delivered")
      yield* Law.equal(yield* store.removeDeadLetter(ref, a, plain.id), true)
      yield* Law.equal(yield* store.deadLetters(ref, a), Option.some([]))
    }
  )
]
