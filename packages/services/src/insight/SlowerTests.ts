/** The use case of slower tests: what takes longer than before, and how much time that adds each week (beyond the interface). */
import { Instant, Repository } from "@lazaret/domain"
import { RepositoryStore, SlowerStore, type StoreError } from "@lazaret/store"
import { Cache, Context, Effect, Exit, Layer, Option } from "effect"
import * as Lookup from "../answer/Lookup.ts"
import type { RepositoryNotFound } from "../answer/ServiceError.ts"
import * as SlowerComputation from "./SlowerComputation.ts"

/** Answers what became slower: by the last round, and before the first one by a computation. */
export class SlowerTests extends Context.Service<
  SlowerTests,
  {
    /** The lasting growths on the default branch, those that add most time each week first. */
    readonly find: (
      ref: Repository.RepositoryRef
    ) => Effect.Effect<SlowerComputation.SlowerFound, RepositoryNotFound | StoreError>
  }
>()("@lazaret/services/SlowerTests") {
  /** The use case over the storage ports. */
  static readonly layer = Layer.effect(
    SlowerTests,
    Effect.gen(function* () {
      const repository = Lookup.repository(yield* RepositoryStore)
      const store = yield* SlowerStore
      const compute = yield* SlowerComputation.make

      const kept = yield* Cache.makeWith(
        (key: string) => {
          const [owner = "", name = ""] = key.split("/")
          return compute({ owner, repository: name })
        },
        {
          capacity: 100,
          // A failure is not cached.
          timeToLive: (exit) => (Exit.isSuccess(exit) ? SlowerComputation.slowerBounds.minutes * Instant.minute : 0)
        }
      )

      const find = Effect.fn("SlowerTests.find")(function* (ref: Repository.RepositoryRef) {
        yield* repository(ref)
        const known = yield* store.known(ref)
        return Option.isSome(known) ? known.value : yield* Cache.get(kept, Repository.key(ref))
      })

      return SlowerTests.of({ find })
    })
  )
}
