/** The law of quarantines. */
import { Page, TestId } from "@lazaret/domain"
import { type QuarantinePosition, QuarantineStore, RepositoryStore } from "@lazaret/store"
import { Effect, Option } from "effect"
import { Case, Law, Sample, Walk } from "../law/index.ts"
import { among, insert, list, proposal } from "./QuarantineSample.ts"

const removal = { at: Sample.noon + 5, by: "key 2" }

/** The cases of quarantines. */
export const cases: ReadonlyArray<Case.Case> = [
  Case.make("QuarantineStore", "of a record every field is kept", function* (ref) {
    const store = yield* QuarantineStore
    const { a, b } = yield* Sample.ids("a", "b")
    const full = Sample.quarantine(b, {
      testName: "long \u{1f600} ".repeat(1000),
      reason: "",
      branch: "release/1.0%",
      source: "auto",
      createdAt: Sample.noon + 1
    })
    yield* store.insert(ref, Sample.quarantine(a))
    yield* store.insert(ref, full)
    yield* Law.equal(yield* store.get(ref, a, Sample.noon), Option.some(Sample.quarantine(a)))
    yield* Law.equal(yield* store.get(ref, b, Sample.noon), Option.some(full))
    const { rows } = yield* store.page(ref, Sample.listing())
    yield* Law.equal(rows, [Sample.quarantine(a), full])
  }),

  Case.make(
    "QuarantineStore",
    "a second active record of a test on a branch is refused; no branch is a branch of its own",
    function* (ref) {
      const { a, b, c, d, e, f } = yield* Sample.ids("a", "b", "c", "d", "e", "f")
      yield* Law.equal(yield* insert(ref, a), true)
      yield* Law.equal(yield* insert(ref, b), false)
      yield* Law.equal(yield* insert(ref, c, { branch: "main" }), true)
      yield* Law.equal(yield* insert(ref, d, { branch: "main", source: "auto" }), false)
      yield* Law.equal(yield* insert(ref, e, { branch: "null" }), true)
      yield* Law.equal(yield* insert(ref, f, { branch: "Main" }), true)
      yield* Law.equal(yield* list(ref), [a, c, e, f])
    }
  ),

  Case.make("QuarantineStore", "the same record is inserted once by concurrent callers", function* (ref) {
    const { a, b, c, d, e, f } = yield* Sample.ids("a", "b", "c", "d", "e", "f")
    for (const branch of [null, "main"]) {
      const before = (yield* list(ref)).length
      const ids = branch === null ? [a, b, c] : [d, e, f]
      const outcomes = yield* Effect.forEach(ids, (id) => insert(ref, id, { branch }), { concurrency: 3 })
      yield* Law.equal(outcomes.filter(Boolean).length, 1, "the number of inserted records")
      yield* Law.equal((yield* list(ref)).length, before + 1)
    }
  }),

  Case.make("QuarantineStore", "removal reports whether it removed, also to concurrent callers", function* (ref) {
    const store = yield* QuarantineStore
    const { a, b } = yield* Sample.ids("a", "b")
    yield* Law.equal(yield* store.remove(ref, a, removal), false)
    yield* insert(ref, a)
    const remove = store.remove(ref, a, removal)
    const outcomes = yield* Effect.all([remove, remove, remove], { concurrency: 3 })
    yield* Law.equal(outcomes.filter(Boolean).length, 1, "the number of removals")
    yield* Law.equal(yield* store.get(ref, a, Sample.noon), Option.none())
    yield* Law.equal(yield* list(ref), [])
    yield* Law.equal(yield* insert(ref, b), true)
  }),

  Case.make("QuarantineStore", "removed records are history with who and when, and hold nowhere", function* (ref) {
    const store = yield* QuarantineStore
    const { a, b, c } = yield* Sample.ids("a", "b", "c")
    yield* insert(ref, b, { createdAt: Sample.noon + 1 })
    yield* store.remove(ref, b, removal)
    yield* insert(ref, a, { createdAt: Sample.noon + 2 })
    yield* insert(ref, c, { testName: "other" })
    const ended = {
      ...Sample.quarantine(b, { createdAt: Sample.noon + 1 }),
      removedAt: removal.at,
      removedBy: removal.by
    }
    yield* Law.equal(yield* store.past(ref, Sample.testId), [
      ended,
      Sample.quarantine(a, { createdAt: Sample.noon + 2 })
    ])
    yield* Law.equal(yield* store.past(ref, TestId.of("unknown")), [])
    yield* store.remove(ref, a, removal)
    yield* Law.equal(yield* store.among(ref, among([Sample.testName, "other"], null)), new Set(["other"]))
    yield* Law.equal(yield* list(ref), [c])
  }),

  Case.make(
    "QuarantineStore",
    "a branch lists its records and those of every branch; no branch lists all",
    function* (ref) {
      const { a, b, c } = yield* Sample.ids("a", "b", "c")
      yield* insert(ref, a)
      yield* insert(ref, b, { branch: "main" })
      yield* insert(ref, c, { branch: "release", testName: "other", source: "auto" })
      yield* Law.equal(yield* list(ref, { branch: "main" }), [a, b])
      yield* Law.equal(yield* list(ref, { branch: "release" }), [a, c])
      yield* Law.equal(yield* list(ref, { branch: "unknown" }), [a])
      yield* Law.equal(yield* list(ref), [a, b, c])
      yield* Law.equal(yield* list(ref, { testId: TestId.of("other") }), [c])
      yield* Law.equal(yield* list(ref, { source: "manual" }), [a, b])
      yield* Law.equal(yield* list(ref, { source: "auto", branch: "main" }), [])
    }
  ),

  Case.make(
    "QuarantineStore",
    "a branch pattern holds on the branches that match it, in lists and among tests",
    function* (ref) {
      const store = yield* QuarantineStore
      const { a, b } = yield* Sample.ids("a", "b")
      yield* insert(ref, a, { testName: "release", branch: "release/*" })
      yield* insert(ref, b, { testName: "main", branch: "main" })
      yield* Law.equal(yield* list(ref, { branch: "release/1.2" }), [a])
      yield* Law.equal(yield* list(ref, { branch: "release/*" }), [a])
      yield* Law.equal(yield* list(ref, { branch: "main" }), [b])
      yield* Law.equal(yield* store.among(ref, among(["release", "main"], "release/1.2")), new Set(["release"]))
      yield* Law.equal(yield* store.among(ref, among(["release", "main"], "main")), new Set(["main"]))
      yield* Law.equal(yield* store.among(ref, among(["release", "main"], null)), new Set())
    }
  ),

  Case.make(
    "QuarantineStore",
    "branches of 10,000 characters are kept whole and told apart by their last character",
    function* (ref) {
      const store = yield* QuarantineStore
      const { a, b, c } = yield* Sample.ids("a", "b", "c")
      // Text without repetitions: a database may compress repetitions before it measures the text.
      const long = Array.from({ length: 5000 }, (_, index) => String.fromCodePoint(0x4e00 + ((index * 7919) % 20_000)))
      const branch = `${long.join("")}${long.toReversed().join("").slice(0, 4999)}`
      yield* Law.equal(yield* insert(ref, a, { branch: `${branch}a` }), true)
      yield* Law.equal(yield* insert(ref, b, { branch: `${branch}a` }), false)
      yield* Law.equal(yield* insert(ref, c, { branch: `${branch}b` }), true)
      yield* Law.equal(yield* list(ref, { branch: `${branch}b` }), [c])
      yield* Law.equal(
        Option.map(yield* store.get(ref, a, Sample.noon), (found) => found.branch),
        Option.some(`${branch}a`)
      )
    }
  ),

  Case.make(
    "QuarantineStore",
    "among the tests those with a record that holds on the branch are quarantined",
    function* (ref) {
      const store = yield* QuarantineStore
      const { a, b, c } = yield* Sample.ids("a", "b", "c")
      yield* insert(ref, a, { testName: "everywhere" })
      yield* insert(ref, b, { testName: "main", branch: "main" })
      yield* insert(ref, c, { testName: "not asked" })
      const asked = ["everywhere", "main", "everywhere", "Main", "unknown"]
      yield* Law.equal(yield* store.among(ref, among(asked, "main")), new Set(["everywhere", "main"]))
      yield* Law.equal(yield* store.among(ref, among(asked, "release")), new Set(["everywhere"]))
      yield* Law.equal(yield* store.among(ref, among(asked, null)), new Set(["everywhere"]))
      yield* Law.equal(yield* store.among(ref, among([], "main")), new Set())
    }
  ),

  Case.make(
    "QuarantineStore",
    "lists are ordered by creation, then id, and pages of any size follow one another",
    function* (ref) {
      const store = yield* QuarantineStore
      const { a, b, c, d, e } = yield* Sample.ids("a", "b", "c", "d", "e")
      const at = (id: string, minute: number) => insert(ref, id, { testName: id, createdAt: Sample.noon + minute })
      yield* Effect.all([at(d, 1), at(b, 1), at(a, 2), at(e, 0), at(c, 1)])
      const sorted = [e, b, c, d, a]
      yield* Law.equal(yield* list(ref), sorted)
      for (const limit of [1, 2, 3, 5, 9]) {
        const { back, forward } = yield* Walk.both(
          (from: Page.From<QuarantinePosition>) => store.page(ref, Sample.listing({ limit, from })),
          ({ createdAt, id }) => ({ createdAt, id })
        )
        const idsOf = (pages: typeof forward) => pages.map((page) => ({ ...page, rows: page.rows.map(({ id }) => id) }))
        yield* Law.equal(idsOf(forward), Walk.pagesOf(sorted, limit), `the pages of ${limit}`)
        yield* Law.equal(idsOf(back), Walk.pagesOf(sorted, limit), `the pages of ${limit} from the end`)
      }
    }
  ),

  Case.make(
    "QuarantineStore",
    "records that come and go between two pages neither repeat nor skip one that stayed",
    function* (ref) {
      const store = yield* QuarantineStore
      const { a, b, c, d, e } = yield* Sample.ids("a", "b", "c", "d", "e")
      yield* Effect.forEach([a, b, d], (id) => insert(ref, id, { testName: id }))
      const from = Page.after({ createdAt: Sample.noon, id: b })
      yield* store.remove(ref, b, removal)
      yield* insert(ref, c, { testName: c })
      yield* insert(ref, e, { testName: e, createdAt: Sample.noon - 1 })
      const page = yield* store.page(ref, Sample.listing({ limit: 1, from }))
      yield* Law.equal(
        { ...page, rows: page.rows.map(({ id }) => id) },
        { rows: [c], hasPrevious: true, hasNext: true, total: 4 }
      )
    }
  ),

  Case.make(
    "QuarantineStore",
    "a quarantine makes its repository, at its creation; a refused removal does not",
    function* (ref) {
      const { a } = yield* Sample.ids("a")
      yield* QuarantineStore.use((store) => store.remove(ref, a, removal))
      yield* Law.equal(yield* list(ref), [])
      yield* Law.equal(yield* RepositoryStore.use((store) => store.get(ref)), Option.none())
      yield* insert(ref, a, { createdAt: Sample.noon + 7 })
      const repository = yield* RepositoryStore.use((store) => store.get(ref))
      yield* Law.equal(
        Option.map(repository, ({ createdAt }) => createdAt),
        Option.some(Sample.noon + 7)
      )
    }
  ),

  Case.make(
    "QuarantineStore",
    "the automation begins as many quarantines as it may in a day, ended ones included",
    function* (ref) {
      const store = yield* QuarantineStore
      const { a, b, c, d } = yield* Sample.ids("a", "b", "c", "d")
      const limits = { since: Sample.noon - 1, most: 2, restSince: Sample.noon }
      const begun = yield* store.insertAutomatic(ref, [proposal(a), proposal(b), proposal(c)], limits)
      yield* Law.equal(
        begun.map(({ id }) => id),
        [a, b]
      )
      yield* Law.equal(yield* list(ref), [a, b])
      yield* store.remove(ref, a, { at: Sample.noon, by: "auto" })
      yield* Law.equal(yield* store.insertAutomatic(ref, [proposal(d)], limits), [])
      const later = { ...limits, since: Sample.noon }
      yield* Law.equal(yield* store.insertAutomatic(ref, [proposal(d)], later), [proposal(d).quarantine])
      yield* Law.equal(yield* store.insertAutomatic(ref, [], later), [])
    }
  ),

  Case.make("QuarantineStore", "concurrent automations stay within their common budget", function* (ref) {
    const store = yield* QuarantineStore
    const names = Array.from({ length: 12 }, () => crypto.randomUUID())
    const limits = { since: Sample.noon - 1, most: 5, restSince: Sample.noon }
    const begun = yield* Effect.forEach(
      [names.slice(0, 4), names.slice(4, 8), names.slice(8), names.slice(2, 6)],
      (some) =>
        store.insertAutomatic(
          ref,
          some.map((name) => proposal(name)),
          limits
        ),
      { concurrency: 4 }
    )
    const ids = begun.flat().map(({ id }) => id)
    yield* Law.equal([ids.length, new Set(ids).size, (yield* list(ref)).length], [5, 5, 5])
  }),

  Case.make(
    "QuarantineStore",
    "the automation leaves alone what is quarantined, and what a person ended lately",
    function* (ref) {
      const store = yield* QuarantineStore
      const { a, b, c, d, e } = yield* Sample.ids("a", "b", "c", "d", "e")
      const limits = { since: Sample.noon - 1, most: 9, restSince: Sample.noon }
      yield* insert(ref, a, { testName: "held" })
      for (const [id, testName, at, by] of [
        [b, "rests", Sample.noon, "key 2"],
        [c, "rested", Sample.noon - 1, "key 2"],
        [d, "released", Sample.noon, "auto"]
      ] as const) {
        yield* insert(ref, id, { testName })
        yield* store.remove(ref, id, { at, by })
      }
      const wanted = ["held", "rests", "rested", "released"].map((testName) =>
        proposal(crypto.randomUUID(), { testName })
      )
      const begun = yield* store.insertAutomatic(ref, wanted, limits)
      yield* Law.equal(
        begun.map(({ testName }) => testName),
        ["rested", "released"]
      )
      yield* Law.equal(yield* store.insertAutomatic(ref, [proposal(e, { testName: "held", branch: "main" })], limits), [
        proposal(e, { testName: "held", branch: "main" }).quarantine
      ])
    }
  )
]
