/** The owners of tests that cost: whom a person named for their cause, else those of their file. */
import type { CostKnown, Repository } from "@lazaret/domain"
import { CauseStore, type StoreError } from "@lazaret/store"
import { Context, Effect, Layer } from "effect"
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

      const of = Effect.fnUntraced(function* (
        ref: Repository.RepositoryRef,
        { tests }: Pick<CostKnown.CostKnown, "tests">
      ) {
        const named = new Map<string, string>()
        if (tests.some(({ causeId }) => causeId !== null)) {
          for (const { causeId, owner } of yield* causes.list(ref)) if (owner !== null) named.set(causeId, owner)
        }
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
