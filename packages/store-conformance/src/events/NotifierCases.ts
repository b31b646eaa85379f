/** The law of notifiers. */
import { Instant, type Notifier } from "@lazaret/domain"
import { NotifierStore } from "@lazaret/store"
import { Case, Law, Leased, Sample } from "../law/index.ts"

const notifier = (id: string, parts: Partial<Notifier.Notifier> = {}): Notifier.Notifier => ({
  id,
  channel: { _tag: "Slack", url: "https://example.com/hook" },
  types: [],
  owners: [],
  schedule: { _tag: "AtOnce" },
  createdAt: Sample.noon,
  createdBy: "key 1",
  ...parts
})

const leases = Leased.of(NotifierStore)

const done = { attempts: 0, failure: null, sentAt: null }

/** The cases of notifiers. Only one of them leases: leases are given over all repositories of a store. */
export const cases: ReadonlyArray<Case.Case> = [
  Case.make(
    "NotifierStore",
    "of a notifier every field is kept, in the order of creation, until it is removed",
    function* (ref) {
      const store = yield* NotifierStore
      const { a, b, c } = yield* Sample.ids("a", "b", "c")
      const later = notifier(a, {
        channel: { _tag: "Email", to: ["a@example.com", "b@example.com"] },
        types: ["queue.paused"],
        owners: ["@acme/web", "\u{1f600}"],
        schedule: { _tag: "Weekly", weekday: 1, hour: 9, timeZone: "Europe/Paris" },
        createdAt: Sample.noon + 1
      })
      yield* store.insert(ref, later, Sample.noon + Instant.day)
      yield* store.insert(ref, notifier(c), 0)
      yield* store.insert(ref, notifier(b, { schedule: { _tag: "Daily", hour: 0, timeZone: "UTC" } }), 0)
      const all = yield* store.list(ref)
      yield* Law.equal(
        all.map((state) => [state.notifier.id, state.nextAt]),
        [
          [b, 0],
          [c, 0],
          [a, Sample.noon + Instant.day]
        ]
      )
      yield* Law.equal(all[2], {
        notifier: later,
        position: 0,
        attempts: 0,
        nextAt: Sample.noon + Instant.day,
        failure: null,
        sentAt: null,
        waiting: 0
      })
      yield* Law.equal([yield* store.remove(ref, b), yield* store.remove(ref, b)], [true, false])
      const other = yield* Case.repository
      yield* Law.equal([yield* store.list(other), yield* store.remove(other, c)], [[], false])
      yield* Law.equal((yield* store.list(ref)).length, 2)
    }
  ),

  Case.make(
    "NotifierStore",
    "a message that was begun keeps its last event for every later lease, until progress reaches it",
    function* (ref) {
      const store = yield* NotifierStore
      const { a } = yield* Sample.ids("a")
      const now = Sample.noon
      yield* Leased.happen(ref, 1)
      yield* store.insert(ref, notifier(a), now)
      yield* Law.equal(yield* leases.at(ref, now), [], "before anything has happened")
      yield* Leased.happen(ref, 2)
      const first = yield* leases.contended(ref, now)
      const { position } = first
      yield* Law.equal([first.notifier, first.until, first.attempts], [notifier(a), null, 0])
      yield* Law.equal(yield* store.stage(first, position + 1), true)
      yield* Leased.happen(ref, 3)

      const second = yield* leases.only(ref, now + Instant.minute)
      yield* Law.equal([second.position, second.until], [position, position + 1])
      yield* Law.equal(yield* store.stage(first, position + 2), false, "staging under a lost lease")
      const failed = { position, attempts: 3, nextAt: now + Instant.hour, failure: "status 500", sentAt: null }
      yield* Law.equal(yield* store.settle(first, failed), false, "progress under a lost lease")
      yield* Law.equal(yield* store.settle(second, failed), true)
      yield* Law.equal(yield* leases.at(ref, now + Instant.hour - 1), [], "before its time has come")
      const [state] = yield* store.list(ref)
      yield* Law.equal([state?.attempts, state?.failure, state?.waiting], [3, "status 500", 2])

      const third = yield* leases.only(ref, now + Instant.hour)
      yield* Law.equal([third.position, third.until, third.attempts], [position, position + 1, 3])
      yield* store.settle(third, { ...done, position: position + 1, nextAt: now, sentAt: now + Instant.hour })
      const fourth = yield* leases.only(ref, now + Instant.hour)
      yield* Law.equal([fourth.position, fourth.until], [position + 1, null])
      yield* store.settle(fourth, { ...done, position: position + 2, nextAt: now })
      yield* Law.equal(yield* leases.at(ref, now + Instant.day), [], "after everything was reported")
      const [last] = yield* store.list(ref)
      yield* Law.equal([last?.sentAt, last?.failure, last?.waiting], [now + Instant.hour, null, 0])
    }
  )
]
