/** The law of application keys. Keys belong to no repository: cases know theirs by their ids. */
import { ApplicationKey } from "@lazaret/domain"
import { KeyStore } from "@lazaret/store"
import { Effect, Option } from "effect"
import { Case, Law, Sample } from "../law/index.ts"

const listed = (ids: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const store = yield* KeyStore
    return (yield* store.list).filter(({ id }) => ids.includes(id))
  })

/** The cases of application keys. */
export const cases: ReadonlyArray<Case.Case> = [
  Case.make("KeyStore", "a key is found by its hash, with every field", function* () {
    const store = yield* KeyStore
    const { a, b } = yield* Sample.ids("a", "b")
    const key = Sample.key(a, { name: "Deploy \u{1f600}", owner: null, scope: "upload", createdAt: Sample.noon + 1 })
    yield* Law.equal(yield* store.insert(key), true)
    yield* Law.equal(yield* store.find(key.hash), Option.some(key))
    yield* Law.equal(yield* store.find(Sample.key(b).hash), Option.none())
    yield* Law.equal(yield* store.find(a), Option.none())
    yield* Law.equal(yield* store.get(a), Option.some(key))
    yield* Law.equal(yield* store.get(b), Option.none())
  }),

  Case.make("KeyStore", "a key keeps its scope, whichever it is", function* () {
    const store = yield* KeyStore
    const { a, b, c, d } = yield* Sample.ids("a", "b", "c", "d")
    const keys = [a, b, c, d].map((id, index) =>
      Sample.key(id, { scope: ApplicationKey.Scope.literals[index] ?? "ci", createdAt: Sample.noon + index })
    )
    yield* Effect.forEach(keys, store.insert, { discard: true })
    yield* Law.equal(yield* listed([a, b, c, d]), keys)
  }),

  Case.make("KeyStore", "a key whose id or hash is taken is refused, and nothing changes", function* () {
    const store = yield* KeyStore
    const { a, b } = yield* Sample.ids("a", "b")
    const key = Sample.key(a)
    yield* store.insert(key)
    yield* Law.equal(yield* store.insert(Sample.key(a, { hash: Sample.key(b).hash, name: "other" })), false)
    yield* Law.equal(yield* store.insert(Sample.key(b, { hash: key.hash, name: "other" })), false)
    yield* store.revoke(a, Sample.noon + 1)
    yield* Law.equal(yield* store.insert(key), false, "a revoked key's place")
    yield* Law.equal(yield* listed([a, b]), [{ ...key, revokedAt: Sample.noon + 1 }])
  }),

  Case.make("KeyStore", "the same key is inserted once and revoked once by concurrent callers", function* () {
    const store = yield* KeyStore
    const { a } = yield* Sample.ids("a")
    const insert = store.insert(Sample.key(a))
    const inserted = yield* Effect.all([insert, insert, insert], { concurrency: 3 })
    yield* Law.equal(inserted.filter(Boolean).length, 1, "the number of insertions")
    const revoke = store.revoke(a, Sample.noon)
    const revoked = yield* Effect.all([revoke, revoke, revoke], { concurrency: 3 })
    yield* Law.equal(revoked.toSorted(), ["revoked", "unknown", "unknown"], "the outcomes of the revocations")
  }),

  Case.make(
    "KeyStore",
    "concurrent revocations of all admin keys of the whole store leave one of them in force",
    function* () {
      const store = yield* KeyStore
      const { a, b, c } = yield* Sample.ids("a", "b", "c")
      const roots = Effect.map(store.list, (keys) => keys.filter(ApplicationKey.isRoot))
      for (const id of [a, b, c]) yield* store.insert(Sample.key(id, { owner: null, scope: "admin" }))
      yield* store.insert(Sample.key((yield* Sample.ids("d")).d, { scope: "admin" }))
      const before = yield* roots
      const outcomes = yield* Effect.forEach(before, ({ id }) => store.revoke(id, Sample.noon + 1), {
        concurrency: "unbounded"
      })
      yield* Law.equal(outcomes.toSorted(), ["last", ...before.slice(1).map(() => "revoked")])
      const [kept, ...others] = yield* roots
      yield* Law.equal([kept !== undefined, others], [true, []])
      yield* Law.equal(yield* store.revoke(kept?.id ?? "", Sample.noon + 2), "last")
    }
  ),

  Case.make(
    "KeyStore",
    "revoking reports whether it revoked, keeps the first time, and the key stays known",
    function* () {
      const store = yield* KeyStore
      const { a, b } = yield* Sample.ids("a", "b")
      yield* Law.equal(yield* store.revoke(a, Sample.noon), "unknown")
      yield* store.insert(Sample.key(a))
      yield* store.insert(Sample.key(b))
      yield* Law.equal(yield* store.revoke(a, Sample.noon + 1), "revoked")
      yield* Law.equal(yield* store.revoke(a, Sample.noon + 2), "unknown")
      const revoked = Sample.key(a, { revokedAt: Sample.noon + 1 })
      yield* Law.equal(yield* store.find(revoked.hash), Option.some(revoked))
      yield* Law.equal(yield* listed([a, b]), [revoked, Sample.key(b)])
    }
  ),

  Case.make("KeyStore", "keys are listed by creation, then id", function* () {
    const store = yield* KeyStore
    const { a, b, c, d } = yield* Sample.ids("a", "b", "c", "d")
    yield* store.insert(Sample.key(d))
    yield* store.insert(Sample.key(a, { createdAt: Sample.noon + 1 }))
    yield* store.insert(Sample.key(c, { createdAt: Sample.noon - 1 }))
    yield* store.insert(Sample.key(b))
    const found = yield* listed([a, b, c, d])
    yield* Law.equal(
      found.map(({ id }) => id),
      [c, b, d, a]
    )
  })
]
