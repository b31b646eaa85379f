import { assert, describe, layer } from "@effect/vitest"
import { test } from "@lazaret/tools/steps"
import { Driver } from "@lazaret/store"
import { PostgresClient, PostgresDriver } from "@lazaret/store-postgres"
import { Deferred, Effect, Exit, Fiber, Option } from "effect"
import { TestClock } from "effect/testing"
import * as RepositoryVersion from "../src/repository/RepositoryVersion.ts"
import * as TestDatabase from "./support/TestDatabase.ts"

const ref = { owner: "acme", repository: "widgets" }

/** Reads that begin when they are called, and end when the test says so. */
const world = () => {
  const state = { version: 0, reads: [] as Array<Deferred.Deferred<void, string>> }
  const read = RepositoryVersion.sharing(() =>
    Effect.suspend(() => {
      const { version } = state
      const end = Deferred.makeUnsafe<void, string>()
      state.reads.push(end)
      return Effect.as(Deferred.await(end), version)
    })
  )
  const ask = Effect.forkChild(read("RepositoryStore.version", ref))
  const settle = Effect.gen(function* () {
    for (let turn = 0; turn < 10; turn += 1) yield* Effect.yieldNow
  })
  const end = Effect.suspend(() => {
    const running = state.reads.at(-1)
    return running === undefined ? Effect.void : Effect.andThen(Deferred.succeed(running, undefined), settle)
  })
  return { state, ask, settle, end }
}

layer(TestDatabase.layerDirectory, { excludeTestServices: true })("the version of a repository", (database) => {
  database.effect(
    "a version belongs to the database server that has answered: one that lost writes may count them again",
    () =>
      Effect.gen(function* () {
        const { run, sql } = yield* PostgresClient
        const { configure, version } = yield* Driver
        yield* configure("test", ref, 5, (settings) => Effect.succeed(settings))
        const [server] = yield* run(
          "test",
          sql<{ started: number }>`
        SELECT extract(epoch FROM pg_postmaster_start_time())::float8 AS started`
        )
        const found = Option.getOrElse(yield* version("test", ref), () => "none")
        assert.isTrue(found.endsWith(`.${server?.started}`), found)
      }).pipe(Effect.provide(PostgresDriver.layer))
  )
})

describe("shared reads of versions", () => {
  test("questions that come while a read runs share the next one, which sees what was written until they came", function* () {
    const { ask, end, settle, state } = world()
    const first = yield* ask
    yield* settle
    state.version = 1
    const later = [yield* ask, yield* ask, yield* ask]
    yield* settle
    assert.lengthOf(state.reads, 1)
    yield* end
    assert.strictEqual(yield* Fiber.join(first), 0)
    yield* end
    for (const fiber of later) assert.strictEqual(yield* Fiber.join(fiber), 1)
    assert.lengthOf(state.reads, 2)
    const last = yield* ask
    yield* settle
    yield* end
    yield* Fiber.join(last)
    assert.lengthOf(state.reads, 3)
  })

  test("a question that is interrupted does not take the answer from the others", function* () {
    const { ask, end, settle } = world()
    const [first, second] = [yield* ask, yield* ask]
    yield* settle
    const third = yield* ask
    yield* settle
    yield* Fiber.interrupt(first)
    yield* end
    yield* end
    assert.deepStrictEqual([yield* Fiber.join(second), yield* Fiber.join(third)], [0, 0])
  })

  test("a failed read fails the questions that wait for it, and no later ones", function* () {
    const { ask, end, settle, state } = world()
    const first = yield* ask
    yield* settle
    const second = yield* ask
    yield* settle
    for (const running of state.reads) yield* Deferred.fail(running, "gone")
    yield* settle
    yield* end
    assert.deepStrictEqual(yield* Fiber.await(first), Exit.fail("gone"))
    assert.strictEqual(yield* Fiber.join(second), 0)
  })

  test("a read that does not end delays the next one for a second", function* () {
    const { ask, end, settle, state } = world()
    const first = yield* ask
    yield* settle
    const second = yield* ask
    yield* settle
    yield* TestClock.adjust("999 millis")
    assert.lengthOf(state.reads, 1)
    yield* TestClock.adjust("1 millis")
    yield* settle
    assert.lengthOf(state.reads, 2)
    yield* end
    assert.strictEqual(yield* Fiber.join(second), 0)
    yield* Fiber.interrupt(first)
  })
})
