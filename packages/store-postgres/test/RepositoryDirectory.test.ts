import { assert, layer } from "@effect/vitest"
import { Repository } from "@lazaret/domain"
import { RepositoryStore, StoreError } from "@lazaret/store"
import { PostgresClient, PostgresRepositoryStore, Refold, RepositoryDirectory } from "@lazaret/store-postgres"
import { Effect, Layer, Option } from "effect"
import * as TestDatabase from "./support/TestDatabase.ts"

const refNamed = (repository: string): Repository.RepositoryRef => ({ owner: "Acme", repository })

layer(TestDatabase.layerDirectory, { excludeTestServices: true })("the directory of repositories", (it) => {
  it.effect("gives one number to one repository, from many sides at once and in any spelling", () =>
    Effect.gen(function* () {
      const { run } = yield* PostgresClient
      const directory = yield* RepositoryDirectory
      const refs = Array.from({ length: 20 }, (_, index) => refNamed(index % 2 === 0 ? "Widgets" : "widgets"))
      const numbers = yield* Effect.forEach(refs, (ref) => run("test", directory.ensure(ref, 0)), { concurrency: 20 })
      assert.strictEqual(new Set(numbers).size, 1)
      assert.deepStrictEqual(yield* directory.find(refNamed("WIDGETS")), Option.fromUndefinedOr(numbers[0]))
    })
  )

  it.effect("forgets a repository that was made in a transaction that failed", () =>
    Effect.gen(function* () {
      const { transaction } = yield* PostgresClient
      const directory = yield* RepositoryDirectory
      const ref = refNamed("nothing")
      const failure = new StoreError({ operation: "test", reason: "failed", cause: "on purpose" })
      yield* Effect.flip(transaction("test", Effect.andThen(directory.ensure(ref, 0), Effect.fail(failure))))
      assert.deepStrictEqual(yield* directory.find(ref), Option.none())
    })
  )
})

/** Notes the settings that the refold finds when the change is made, and then fails where it shall. */
const refoldThat = (seen: Array<unknown>, outcome: Effect.Effect<void, StoreError>) =>
  Layer.effect(
    Refold,
    Effect.map(PostgresClient, ({ sql }) => ({
      around: (repositoryId, change) =>
        Effect.gen(function* () {
          const changed = yield* change
          seen.push(yield* sql`SELECT settings FROM repositories WHERE repository_id = ${repositoryId}`)
          yield* outcome
          return changed
        })
    }))
  )

const storeWith = (refold: ReturnType<typeof refoldThat>) =>
  PostgresRepositoryStore.layer.pipe(Layer.provide(refold), Layer.fresh)

layer(TestDatabase.layerDirectory, { excludeTestServices: true })("setting a repository", (it) => {
  const settings = { ...Repository.defaultSettings, defaultBranch: "trunk" }

  it.effect("computes anew what depends on the settings, with the new ones, in the same transaction", () =>
    Effect.gen(function* () {
      const seen: Array<unknown> = []
      const store = yield* Effect.provide(RepositoryStore, storeWith(refoldThat(seen, Effect.void)))
      const repository = yield* store.set(refNamed("set"), settings, 5)
      assert.deepStrictEqual(seen, [[{ settings }]])
      assert.deepStrictEqual(repository, { ...refNamed("set"), createdAt: 5, settings })
    })
  )

  it.effect("changes nothing when that fails, and makes no repository", () =>
    Effect.gen(function* () {
      const failure = Effect.fail(new StoreError({ operation: "test", reason: "failed", cause: "on purpose" }))
      const store = yield* Effect.provide(RepositoryStore, storeWith(refoldThat([], failure)))
      yield* Effect.flip(store.set(refNamed("unset"), settings, 5))
      assert.deepStrictEqual(yield* store.get(refNamed("unset")), Option.none())
    })
  )
})
