/** The law of the ends of quarantines. */
import { Event, Instant, QuarantineLife, type Repository } from "@lazaret/domain"
import { EventStore, QuarantineStore } from "@lazaret/store"
import { Effect, Option } from "effect"
import { Case, Law, Sample } from "../law/index.ts"
import { among, insert, list, proposal } from "./QuarantineSample.ts"

/** The end of a life, a day after the records are made. */
const end = Sample.noon + Instant.day

/** The types of the events of a repository, oldest first. */
const typesOf = (ref: Repository.RepositoryRef) =>
  EventStore.use((store) => Effect.map(store.after(ref, 0, 100), (events) => events.map(({ type }) => type)))

/** The cases of the ends of quarantines. */
export const cases: ReadonlyArray<Case.Case> = [
  Case.make(
    "QuarantineStore",
    "a record whose life has ended holds nowhere, from its last instant on",
    function* (ref) {
      const store = yield* QuarantineStore
      const { a, b } = yield* Sample.ids("a", "b")
      yield* insert(ref, a, { expiresAt: end })
      yield* insert(ref, b, { testName: "other" })
      for (const [now, ids] of [
        [end - 1, [a, b]],
        [end, [b]]
      ] satisfies ReadonlyArray<readonly [now: number, ids: ReadonlyArray<string>]>) {
        yield* Law.equal(yield* list(ref, { now }), ids, "the list")
        yield* Law.equal(yield* list(ref, { now, branch: "main" }), ids, "the list of a branch")
        yield* Law.equal(Option.isSome(yield* store.get(ref, a, now)), now < end, "the record")
        yield* Law.equal(
          yield* store.among(ref, among([Sample.testName], "main", now)),
          new Set(now < end ? [Sample.testName] : []),
          "the quarantined tests"
        )
      }
      yield* Law.equal(yield* insert(ref, b, { createdAt: end - 1 }), false)
      yield* store.remove(ref, a, { at: end, by: "key 2" })
      yield* Law.equal(yield* typesOf(ref), ["quarantine.created", "quarantine.created", "quarantine.expired"])
    }
  ),

  Case.make("QuarantineStore", "the next quarantine of a test stores the end of the one before it", function* (ref) {
    const store = yield* QuarantineStore
    const { a, b } = yield* Sample.ids("a", "b")
    yield* insert(ref, a, { expiresAt: end })
    yield* Law.equal(yield* insert(ref, b, { createdAt: end }), true)
    const [first, second] = yield* store.past(ref, Sample.testId)
    yield* Law.equal([first?.id, first?.removedAt, first?.removedBy], [a, end, Event.expiry])
    yield* Law.equal([second?.id, second?.removedAt], [b, null])
    yield* Law.equal(yield* typesOf(ref), ["quarantine.created", "quarantine.expired", "quarantine.created"])
  }),

  Case.make("QuarantineStore", "ends and reminders are stored once, also by concurrent rounds", function* (ref) {
    const store = yield* QuarantineStore
    const { a, b, c } = yield* Sample.ids("a", "b", "c")
    yield* insert(ref, a, { expiresAt: end, remindAt: end - 2 })
    yield* insert(ref, b, { testName: "other", expiresAt: end + 2, remindAt: end })
    yield* insert(ref, c, { testName: "third" })
    const isDue = (now: number) =>
      Effect.map(store.elapsing(now), (refs) => refs.some(({ repository }) => repository === ref.repository))
    yield* Law.equal(yield* isDue(end - 3), false)
    yield* Law.equal(yield* isDue(end - 2), true)
    const reminded = yield* store.elapse(ref, end - 2)
    yield* Law.equal([reminded.expired.length, reminded.reminded.map(({ id }) => id)], [0, [a]])
    yield* Law.equal(yield* isDue(end - 1), false)
    const rounds = yield* Effect.all([store.elapse(ref, end), store.elapse(ref, end), store.elapse(ref, end)], {
      concurrency: 3
    })
    yield* Law.equal(
      [rounds.flatMap(({ expired }) => expired.map(({ id }) => id)), rounds.flatMap((round) => round.reminded).length],
      [[a], 1],
      "the ended and the reminded records"
    )
    yield* Law.equal(yield* isDue(end), false)
    yield* Law.equal((yield* typesOf(ref)).slice(3), [
      "quarantine.expiring",
      "quarantine.expired",
      "quarantine.expiring"
    ])
  }),

  Case.make(
    "QuarantineStore",
    "another life is kept whole and logged once; its reminder follows a new end",
    function* (ref) {
      const store = yield* QuarantineStore
      const { a } = yield* Sample.ids("a")
      const change = { at: Sample.noon + 1, by: "key 2" }
      const life: QuarantineLife.Life = {
        expiresAt: end,
        remindAt: end - 1,
        owner: "@acme/web",
        ticket: "https://example.com/12",
        scope: "merge_queue"
      }
      yield* Law.equal(yield* store.setLife(ref, a, life, change), Option.none())
      yield* insert(ref, a)
      const kept = Sample.quarantine(a, life)
      yield* Law.equal(yield* store.setLife(ref, a, life, change), Option.some(kept))
      yield* Law.equal(yield* store.setLife(ref, a, life, change), Option.some(kept))
      yield* Law.equal(yield* store.get(ref, a, Sample.noon), Option.some(kept))
      yield* store.elapse(ref, end - 1)
      const other = { ...life, owner: null }
      const changed = yield* store.setLife(ref, a, other, { ...change, at: end - 1 })
      yield* Law.equal(changed, Option.some({ ...kept, owner: null, remindAt: null }))
      const later = yield* store.setLife(ref, a, { ...other, expiresAt: end + 9, remindAt: end + 8 }, change)
      yield* Law.equal(
        Option.map(later, ({ remindAt }) => remindAt),
        Option.some(end + 8)
      )
      yield* Law.equal(yield* store.setLife(ref, a, life, { ...change, at: end + 9 }), Option.none())
      yield* Law.equal((yield* typesOf(ref)).slice(1), [
        "quarantine.changed",
        "quarantine.expiring",
        "quarantine.changed",
        "quarantine.changed",
        "quarantine.expired"
      ])
    }
  ),

  Case.make(
    "QuarantineStore",
    "concurrent changes of different terms of a life all hold, and other terms stay",
    function* (ref) {
      const store = yield* QuarantineStore
      const { a } = yield* Sample.ids("a")
      yield* insert(ref, a, { owner: "@acme/web", expiresAt: end, remindAt: end - 1 })
      const changes: ReadonlyArray<Partial<QuarantineLife.Life>> = [
        { owner: null },
        { ticket: "https://example.com/12" },
        { scope: "merge_queue" },
        { expiresAt: end + 9, remindAt: end + 8 }
      ]
      yield* Effect.all(
        changes.map((life) => store.setLife(ref, a, life, { at: Sample.noon, by: "key 2" })),
        { concurrency: changes.length }
      )
      const after = { expiresAt: end + 9, remindAt: end + 8, owner: null, ticket: "https://example.com/12" }
      yield* Law.equal(
        yield* store.get(ref, a, Sample.noon),
        Option.some(Sample.quarantine(a, { ...after, scope: "merge_queue" }))
      )
      yield* store.setLife(ref, a, {}, { at: Sample.noon, by: "key 2" })
      yield* Law.equal((yield* typesOf(ref)).length, 1 + changes.length, "the number of events")
    }
  ),

  Case.make(
    "QuarantineStore",
    "a record of merge queues holds in their runs, those into its branch included",
    function* (ref) {
      const store = yield* QuarantineStore
      const { a, b } = yield* Sample.ids("a", "b")
      yield* insert(ref, a, { testName: "all", scope: "merge_queue" })
      yield* insert(ref, b, { testName: "release", branch: "release/*", scope: "merge_queue" })
      const names = ["all", "release"]
      for (const [branch, held] of [
        ["main", []],
        ["release/1", []],
        ["trunk-merge/pr-1/a", ["all"]],
        ["gh-readonly-queue/main/pr-1-a", ["all"]],
        ["gh-readonly-queue/release/1/pr-1-a", ["all", "release"]],
        [null, []]
      ] satisfies ReadonlyArray<readonly [branch: string | null, held: ReadonlyArray<string>]>) {
        yield* Law.equal(yield* store.among(ref, among(names, branch)), new Set(held), `on ${branch}`)
      }
      yield* Law.equal(yield* list(ref), [a, b])
      yield* Law.equal(yield* list(ref, { branch: "main" }), [])
    }
  ),

  Case.make(
    "QuarantineStore",
    "the automation leaves alone a test whose quarantine has ended by itself",
    function* (ref) {
      const store = yield* QuarantineStore
      const { a, b } = yield* Sample.ids("a", "b")
      yield* insert(ref, a, { testName: "held", source: "auto", expiresAt: end })
      const again = proposal(b, { testName: "held", createdAt: end })
      const limits = { since: Sample.noon, most: 9, restSince: end }
      yield* Law.equal(yield* store.insertAutomatic(ref, [again], limits), [])
      yield* Law.equal(yield* store.insertAutomatic(ref, [again], { ...limits, restSince: end + 1 }), [
        again.quarantine
      ])
    }
  )
]
