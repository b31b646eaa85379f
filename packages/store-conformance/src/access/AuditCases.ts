/** The law of the audit log. It belongs to no repository: cases know their entries by an owner of their own. */
import { type AuditEntry, Page, type Repository } from "@lazaret/domain"
import { type AuditPosition, type AuditQuery, AuditStore } from "@lazaret/store"
import { Effect } from "effect"
import { Case, Law, Sample, Walk } from "../law/index.ts"

const entry = (
  ref: Repository.RepositoryRef,
  id: string,
  parts: Partial<AuditEntry.AuditEntry> = {}
): AuditEntry.AuditEntry => ({
  id,
  at: Sample.noon,
  actor: { kind: "key", id: "k1", name: "Deploy \u{1f600}" },
  address: "192.0.2.7",
  action: "changeSettings",
  owner: ref.owner,
  repository: ref.repository,
  target: { key_id: "7" },
  outcome: "started",
  before: null,
  after: null,
  ...parts
})

const query = (ref: Repository.RepositoryRef, parts: Partial<AuditQuery> = {}): AuditQuery => ({
  owners: [ref.owner],
  repository: null,
  action: null,
  actor: null,
  start: null,
  end: null,
  from: Page.start,
  limit: 100,
  ...parts
})

const listed = (ref: Repository.RepositoryRef, parts: Partial<AuditQuery> = {}) =>
  Effect.map(
    AuditStore.use((store) => store.page(query(ref, parts))),
    ({ rows }) => rows
  )

/** The cases of the audit log. Only one of them prunes, before every instant of the others: it concerns the whole store. */
export const cases: ReadonlyArray<Case.Case> = [
  Case.make("AuditStore", "an entry comes back with every field, and takes one outcome", function* (ref) {
    const store = yield* AuditStore
    const { a, b } = yield* Sample.ids("a", "b")
    const first = entry(ref, a, { before: { deep: [{ null: null, number: 1.5 }] } })
    const bare = entry(ref, b, { at: Sample.noon + 1, address: null, repository: null, target: {} })
    yield* Law.equal(yield* store.begin(first), true)
    yield* Law.equal(yield* store.begin(bare), true)
    yield* Law.equal(yield* store.begin({ ...first, action: "other" }), false, "an id that is taken")
    yield* Law.equal(yield* listed(ref), [bare, first])
    const outcome = { outcome: "done", owner: ref.owner, before: { a: 1 }, after: { a: [true, "x"] } } as const
    yield* Law.equal(yield* store.end(a, outcome), true)
    yield* Law.equal(yield* store.end(a, { ...outcome, outcome: "failed" }), false, "a second outcome")
    yield* Law.equal(yield* store.end(`${a}-unknown`, outcome), false, "an unknown entry")
    yield* Law.equal(yield* listed(ref), [bare, { ...first, ...outcome }])
  }),

  Case.make("AuditStore", "the same entry is begun once and ended once by concurrent callers", function* (ref) {
    const store = yield* AuditStore
    const { a } = yield* Sample.ids("a")
    const begun = yield* Effect.all(
      Array.from({ length: 3 }, () => store.begin(entry(ref, a))),
      { concurrency: 3 }
    )
    yield* Law.equal(begun.filter(Boolean).length, 1, "the number of entries")
    const end = store.end(a, { outcome: "done", owner: ref.owner, before: null, after: null })
    const ended = yield* Effect.all([end, end, end], { concurrency: 3 })
    yield* Law.equal(ended.filter(Boolean).length, 1, "the number of outcomes")
  }),

  Case.make(
    "AuditStore",
    "entries are found by owner and repository in any case, action, actor and half-open window",
    function* (ref) {
      const store = yield* AuditStore
      const { a, b, c } = yield* Sample.ids("a", "b", "c")
      yield* store.begin(entry(ref, a))
      yield* store.begin(entry(ref, b, { at: Sample.noon + 1, action: "other", repository: null }))
      yield* store.begin(entry(ref, c, { at: Sample.noon + 2, actor: { kind: "user", id: "u", name: "ada" } }))
      const found = (parts: Partial<AuditQuery>) =>
        Effect.map(listed(ref, parts), (rows) => rows.map(({ id }) => (id === a ? "a" : id === b ? "b" : "c")).join(""))
      yield* Law.equal(yield* found({ owners: ["another", ref.owner.toUpperCase()] }), "cba")
      yield* Law.equal(yield* found({ owners: [`${ref.owner}-other`] }), "")
      yield* Law.equal(yield* found({ owners: [] }), "")
      yield* Law.equal(yield* found({ repository: ref.repository.toUpperCase() }), "ca")
      yield* Law.equal(yield* found({ action: "other" }), "b")
      yield* Law.equal(yield* found({ actor: "ada" }), "c")
      yield* Law.equal(yield* found({ actor: "a\0" }), "", "a text that no store keeps")
      yield* Law.equal(yield* found({ start: Sample.noon + 1 }), "cb")
      yield* Law.equal(yield* found({ end: Sample.noon + 2 }), "ba")
      yield* Law.equal(yield* found({ owners: null, start: Sample.noon, end: Sample.noon + 3, actor: "ada" }), "c")
    }
  ),

  Case.make("AuditStore", "pages of any size follow one another, newest first, then by id", function* (ref) {
    const store = yield* AuditStore
    const ids = Object.values(yield* Sample.ids("b", "a", "d", "c", "f", "e", "g"))
    yield* Effect.forEach(ids, (id, index) => store.begin(entry(ref, id, { at: Sample.noon + (index >> 1) })))
    const all = yield* listed(ref)
    yield* Law.equal(
      all.map(({ at, id }) => [at, id] as const),
      ids
        .map((id, index) => [Sample.noon + (index >> 1), id] as const)
        .toSorted(([at, id], [other, otherId]) => other - at || (id < otherId ? 1 : -1))
    )
    for (const limit of [1, 2, 3, 7]) {
      const walked = yield* Walk.both(
        (from: Page.From<AuditPosition>) => store.page(query(ref, { from, limit })),
        ({ at, id }) => ({ at, id })
      )
      const pages = Walk.pagesOf(all, limit)
      yield* Law.equal(walked, { forward: pages, back: pages }, `pages of ${limit}`)
    }
  }),

  Case.make("AuditStore", "pruning drops the entries before an instant and says how many", function* (ref) {
    const store = yield* AuditStore
    const { a, b, c } = yield* Sample.ids("a", "b", "c")
    yield* store.begin(entry(ref, a, { at: 1000 }))
    yield* store.begin(entry(ref, b, { at: 1999 }))
    yield* store.begin(entry(ref, c, { at: 2000 }))
    yield* Law.equal(yield* store.prune(2000), 2)
    yield* Law.equal(yield* store.prune(2000), 0)
    yield* Law.equal(yield* listed(ref), [entry(ref, c, { at: 2000 })])
  })
]
