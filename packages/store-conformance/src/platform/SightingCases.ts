/** The law of sightings. */
import type { PlatformSighting } from "@lazaret/domain"
import { RepositoryStore, SightingStore } from "@lazaret/store"
import { Effect, Option } from "effect"
import { Case, Law, Sample, Upload } from "../law/index.ts"

const push = (minute: number, detail: string | null = null): PlatformSighting.PlatformSighting => ({
  kind: "delivery",
  name: "push",
  at: Sample.atMinute(minute),
  detail
})

/** The cases of sightings. */
export const cases: ReadonlyArray<Case.Case> = [
  Case.make("SightingStore", "a sighting is kept in an existing repository, and does not create one", function* (ref) {
    const store = yield* SightingStore
    yield* store.note(ref, push(0))
    yield* Law.equal(yield* store.all(ref), [])
    yield* Law.equal(yield* RepositoryStore.use(({ get }) => get(ref)), Option.none(), "the repository")
    yield* Upload.one(ref, "r", {}, [{}])
    yield* Law.equal(yield* store.all(ref), [], "what was noted before there was a repository")
    yield* store.note(ref, push(0, "x"))
    yield* Law.equal(yield* store.all(ref), [push(0, "x")])
  }),

  Case.make(
    "SightingStore",
    "the latest sighting of each kind and name is kept, in any order of arrival, and an early repetition is not",
    function* (ref) {
      const store = yield* SightingStore
      yield* Upload.one(ref, "r", {}, [{}])
      for (const minute of [0, 4, 9, 3, 9]) yield* store.note(ref, push(minute))
      yield* store.note(ref, { ...push(1), kind: "check", name: "lazaret/check" })
      yield* store.note(ref, { ...push(2), name: "check_run" })
      yield* Law.equal(yield* store.all(ref), [
        { ...push(1), kind: "check", name: "lazaret/check" },
        { ...push(2), name: "check_run" },
        push(9)
      ])
      yield* store.note(ref, push(10, "another detail"))
      yield* store.note(ref, push(8, "an older one"))
      yield* Law.equal((yield* store.all(ref)).at(-1), push(10, "another detail"))
      const noted = [20, 30, 40].map((minute) => store.note(ref, push(minute)))
      yield* Effect.all(noted, { concurrency: "unbounded" })
      yield* Law.equal((yield* store.all(ref)).at(-1), push(40), "of several at the same time")
    }
  )
]
