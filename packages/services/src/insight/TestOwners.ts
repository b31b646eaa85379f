/** The owners of tests that cost: whom a person named for their cause, else those of their file. */
import type { CostKnown, Repository } from "@lazaret/domain"
import { CauseStore, type StoreError } from "@lazaret/store"
import { Context, Effect, Layer } from "effect"
import * as Copies from "../answer/Copies.ts"
import { Owners } from "../health/Owners.ts"

/** Finds the owners of tests that cost. */
export class TestOwners extends Context.Service<
  TestOwners,
  {
    /** The owners of the tests of a computation. */
    readonly of: (
      ref: Repository.RepositoryRef,
      known: Pick<CostKnown.CostKnown, "tests">
    ) => Effect.Effect<(test: CostKnown.Test) => ReadonlyArray<string>, StoreError>
  }
>()("@lazaret/services/TestOwners") {
  /** The owners over the storage port. */
  static readonly layer = Layer.effect(
    TestOwners,
    Effect.gen(function* () {
      const causes = yield* CauseStore
      const owners = yield* Owners

      const copies = Copies.make<ReadonlyMap<string, string>>()

      /** The owners whom people named, by cause. */
      const namedIn = Effect.fnUntraced(function* (ref: Repository.RepositoryRef) {
        const { changes, computedAt } = yield* causes.progress(ref)
        const read = Effect.map(
          causes.list(ref),
          (all) => new Map(all.flatMap(({ causeId, owner }) => (owner === null ? [] : [[causeId, owner] as const])))
        )
        return yield* copies.get(ref, `${changes} ${computedAt}`, read)
      })

      const of = Effect.fnUntraced(function* (
        ref: Repository.RepositoryRef,
        { tests }: Pick<CostKnown.CostKnown, "tests">
      ) {
        const isAsked = tests.some(({ causeId }) => causeId !== null)
        const named = isAsked ? yield* namedIn(ref) : new Map<string, string>()
        const byFile = yield* owners.ofFiles(ref, [...new Set(tests.map(({ file }) => file))])
        return ({ causeId, file }: CostKnown.Test): ReadonlyArray<string> => {
          const owner = named.get(causeId ?? "")
          return owner === undefined ? (byFile.get(file ?? "") ?? []) : [owner]
        }
      })

      return TestOwners.of({ of })
    })
  ).pipe(Layer.provide(Owners.layer))
}
