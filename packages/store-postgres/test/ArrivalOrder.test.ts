import { assert, describe, it } from "@effect/vitest"
import { MemoryStores, RepositoryStore, UpkeepStore } from "@lazaret/store"
import { Differential } from "@lazaret/store-conformance"
import { Effect, Layer } from "effect"
import * as Servers from "./support/Servers.ts"
import * as TestDatabase from "./support/TestDatabase.ts"

const verified = Effect.gen(function* () {
  const { list } = yield* RepositoryStore
  const { verify } = yield* UpkeepStore
  return (yield* Effect.forEach(yield* list, verify)).flat()
})

describe("late executions", () => {
  it.live(
    "late executions give the same answers as memory and the same state as a fold from scratch, whichever base the fold starts from",
    () =>
      Effect.gen(function* () {
        const url = yield* TestDatabase.url
        for (const [chunksPerBase, seed] of [
          [1, 31],
          [3, 32]
        ] as const) {
          const server = Servers.layer(url, chunksPerBase)
          yield* Differential.compare(MemoryStores.layer, server, { runs: 12, commands: 40, seed })
          assert.deepStrictEqual(yield* Effect.provide(verified, Layer.fresh(server)), [])
        }
      }),
    120_000
  )
})
