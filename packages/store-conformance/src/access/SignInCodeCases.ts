/** The law of sign-in codes. They belong to no repository: cases know theirs by their hashes. */
import { Instant } from "@lazaret/domain"
import { SignInCodeStore } from "@lazaret/store"
import { Effect, Option } from "effect"
import { Case, Law, Sample } from "../law/index.ts"

/** Limits that leave every code of the cases. */
const none = { createdBefore: 0, mostOfKey: 100 }

/** The cases of sign-in codes. Only one of them drops old codes, of an instant before those of the others. */
export const cases: ReadonlyArray<Case.Case> = [
  Case.make("SignInCodeStore", "a code is taken once, however many ask for it at the same time", function* () {
    const store = yield* SignInCodeStore
    const { a, b } = yield* Sample.ids("a", "b")
    const code = { hash: `hash of ${a}`, keyId: `key of ${a}`, createdAt: Sample.noon }
    yield* store.insert(code, none)
    yield* Law.equal(yield* store.take(`hash of ${b}`), Option.none(), "an unknown hash")
    const taken = yield* Effect.all(
      Array.from({ length: 5 }, () => store.take(code.hash)),
      { concurrency: 5 }
    )
    yield* Law.equal(
      taken.filter(Option.isSome).map(({ value }) => value),
      [code]
    )
  }),

  Case.make(
    "SignInCodeStore",
    "a code takes the place of old ones, and of the oldest of its key beyond the limit",
    function* () {
      const store = yield* SignInCodeStore
      const { a, b } = yield* Sample.ids("a", "b")
      const old = Sample.noon - 1000 * Instant.day
      const code = (name: string, keyId: string, createdAt: number) => ({ hash: `${name} of ${a}`, keyId, createdAt })
      const isKept = (name: string) => Effect.map(store.take(`${name} of ${a}`), Option.isSome)
      yield* store.insert(code("before", a, old - 1), none)
      yield* store.insert(code("at", a, old), none)
      for (const name of ["1", "2", "3"]) yield* store.insert(code(name, b, Sample.noon + Number(name)), none)
      yield* store.insert(code("4", b, Sample.noon + 4), { createdBefore: old, mostOfKey: 2 })
      const kept = yield* Effect.forEach(["before", "at", "1", "2", "3", "4"], isKept)
      yield* Law.equal(kept, [false, true, false, false, true, true])
    }
  )
]
