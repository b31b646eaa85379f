/** The law of sessions. Sessions belong to no repository: cases know theirs by their ids. */
import type { Session } from "@lazaret/domain"
import { SessionStore } from "@lazaret/store"
import { Effect, Option } from "effect"
import { Case, Law, Sample } from "../law/index.ts"

const session = (id: string, parts: Partial<Session.Session> = {}): Session.Session => ({
  id,
  hash: `hash of ${id}`,
  kind: "user",
  subjectId: "https://login.example.com#7",
  name: "ada \u{1f600}",
  owner: null,
  grants: [{ role: "member", owner: "acme", repository: null }],
  provider: "oidc",
  createdAt: Sample.noon,
  seenAt: Sample.noon,
  address: "192.0.2.7",
  agent: "Browser/1",
  ...parts
})

/** The cases of sessions. Only one of them prunes, before every instant of the others: it concerns the whole store. */
export const cases: ReadonlyArray<Case.Case> = [
  Case.make("SessionStore", "a session is found by its hash, with every field, until it is removed", function* () {
    const store = yield* SessionStore
    const { a, b } = yield* Sample.ids("a", "b")
    const bare = session(b, { kind: "key", owner: "acme", grants: [], provider: null, address: null, agent: null })
    yield* Law.equal(yield* store.insert(session(a)), true)
    yield* Law.equal(yield* store.insert(bare), true)
    yield* Law.equal(yield* store.find(session(a).hash), Option.some(session(a)))
    yield* Law.equal(yield* store.find(bare.hash), Option.some(bare))
    yield* Law.equal(yield* store.find(a), Option.none(), "an unknown hash")
    yield* Law.equal(yield* store.remove(a), true)
    yield* Law.equal(yield* store.remove(a), false, "the second removal")
    yield* Law.equal(yield* store.find(session(a).hash), Option.none())
    yield* Law.equal(yield* store.find(bare.hash), Option.some(bare))
  }),

  Case.make("SessionStore", "a session whose id or hash is taken is refused, and nothing changes", function* () {
    const store = yield* SessionStore
    const { a, b } = yield* Sample.ids("a", "b")
    yield* store.insert(session(a))
    yield* Law.equal(yield* store.insert(session(a, { hash: session(b).hash })), false)
    yield* Law.equal(yield* store.insert(session(b, { hash: session(a).hash })), false)
    const same = store.insert(session(b))
    const inserted = yield* Effect.all([same, same, same], { concurrency: 3 })
    yield* Law.equal(inserted.filter(Boolean).length, 1, "the number of insertions")
    yield* Law.equal(yield* store.find(session(a).hash), Option.some(session(a)))
  }),

  Case.make("SessionStore", "the latest use of a session counts, and a removed session stays removed", function* () {
    const store = yield* SessionStore
    const { a, b } = yield* Sample.ids("a", "b")
    yield* store.insert(session(a))
    const touches = [3, 9, 5].map((minute) => store.touch(a, Sample.noon + minute))
    yield* Effect.all(touches, { concurrency: 3 })
    yield* Law.equal(yield* store.find(session(a).hash), Option.some(session(a, { seenAt: Sample.noon + 9 })))
    yield* store.touch(b, Sample.noon)
    yield* Law.equal(yield* store.find(session(b).hash), Option.none(), "an unknown session")
    yield* store.insert(session(b))
    yield* Effect.all([store.remove(b), store.touch(b, Sample.noon + 1)], { concurrency: 2 })
    yield* Law.equal(yield* store.find(session(b).hash), Option.none(), "a session that was used while it ended")
  }),

  Case.make("SessionStore", "sessions are listed by creation, then id", function* () {
    const store = yield* SessionStore
    const { a, b, c } = yield* Sample.ids("a", "b", "c")
    yield* store.insert(session(c))
    yield* store.insert(session(b, { createdAt: Sample.noon - 1 }))
    yield* store.insert(session(a))
    const found = (yield* store.list).map(({ id }) => id).filter((id) => [a, b, c].includes(id))
    yield* Law.equal(found, [b, a, c])
  }),

  Case.make("SessionStore", "pruning ends the sessions that began or were last seen before an instant", function* () {
    const store = yield* SessionStore
    const { a, b, c } = yield* Sample.ids("a", "b", "c")
    yield* store.insert(session(a, { createdAt: 999, seenAt: 3000 }))
    yield* store.insert(session(b, { createdAt: 1000, seenAt: 1999 }))
    yield* store.insert(session(c, { createdAt: 1000, seenAt: 2000 }))
    yield* Law.equal(yield* store.prune({ createdBefore: 1000, seenBefore: 2000 }), 2)
    const kept = (yield* store.list).map(({ id }) => id).filter((id) => [a, b, c].includes(id))
    yield* Law.equal(kept, [c])
  })
]
