import { assert, layer } from "@effect/vitest"
import { stepsOf } from "@lazaret/tools/steps"
import type { Repository } from "@lazaret/domain"
import { Driver, StoreError } from "@lazaret/store"
import { PostgresClient, PostgresDriver, RepositoryDirectory } from "@lazaret/store-postgres"
import { Effect, Option } from "effect"
import * as TestDatabase from "./support/TestDatabase.ts"

const refNamed = (repository: string): Repository.RepositoryRef => ({ owner: "Acme", repository })

layer(TestDatabase.layerDirectory, { excludeTestServices: true })("the directory of repositories", (it) => {
  const test = stepsOf(it)
  test("a repository has one number, also for concurrent callers and in any spelling", function* () {
    const { run } = yield* PostgresClient
    const directory = yield* RepositoryDirectory
    const refs = Array.from({ length: 20 }, (_, index) => refNamed(index % 2 === 0 ? "Widgets" : "widgets"))
    const numbers = yield* Effect.forEach(refs, (ref) => run("test", directory.ensure(ref, 0)), { concurrency: 20 })
    assert.strictEqual(new Set(numbers).size, 1)
    assert.deepStrictEqual(yield* directory.find(refNamed("WIDGETS")), Option.fromUndefinedOr(numbers[0]))
  })

  test("a repository of a failed transaction is not kept in the directory", function* () {
    const { transaction } = yield* PostgresClient
    const directory = yield* RepositoryDirectory
    const ref = refNamed("nothing")
    const failure = new StoreError({ operation: "test", reason: "failed", cause: "on purpose" })
    yield* Effect.flip(transaction("test", Effect.andThen(directory.ensure(ref, 0), Effect.fail(failure))))
    assert.deepStrictEqual(yield* directory.find(ref), Option.none())
  })
})

layer(TestDatabase.layerDirectory, { excludeTestServices: true })("a change of settings that fails", (it) => {
  it.effect("a change of settings that fails creates no repository", () =>
    Effect.gen(function* () {
      const { configure } = yield* Driver
      const failure = new StoreError({ operation: "test", reason: "failed", cause: "on purpose" })
      yield* Effect.flip(configure("test", refNamed("unset"), 5, () => Effect.fail(failure)))
      const { run } = yield* PostgresClient
      const directory = yield* RepositoryDirectory
      assert.deepStrictEqual(yield* run("test", directory.find(refNamed("unset"))), Option.none())
    }).pipe(Effect.provide(PostgresDriver.layer))
  )
})
