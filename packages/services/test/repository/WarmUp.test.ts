import { StoreError, WarmUp } from "@lazaret/services"
import { Report, type Repository } from "@lazaret/domain"
import { ExecutionStore, MemoryStores, TestStore } from "@lazaret/store"
import { assert, describe } from "@effect/vitest"
import { test } from "@lazaret/tools/steps"
import { Effect, Layer } from "effect"

const now = Date.UTC(2026, 4, 20, 12)

/** An upload to a repository that arrived some hours ago. */
const upload = (repository: string, hoursAgo: number) =>
  ExecutionStore.use((store) =>
    store.append(
      { owner: "acme", repository },
      Report.make({
        key: repository,
        digest: repository,
        receivedAt: now - hoursAgo * 3_600_000,
        finishedAt: now - hoursAgo * 3_600_000,
        run: Report.contextOf({ pipelineName: "CI", jobName: "unit", branch: "main", commit: "c1" }),
        cases: [Report.caseOf({ testName: "adds", conclusion: "passed" })]
      })
    )
  )

/** The repositories whose tests are listed by a warm-up over uploads; `fails` is one that cannot be read. */
const listed = (hoursAgo: ReadonlyArray<number>, fails?: string) =>
  Effect.gen(function* () {
    const store = yield* TestStore
    const asked: Array<string> = []
    const list: (typeof store)["list"] = (ref: Repository.RepositoryRef, ...query) => {
      asked.push(ref.repository)
      return ref.repository === fails
        ? Effect.fail(new StoreError({ operation: "TestStore.list", reason: "damaged", cause: null }))
        : store.list(ref, ...query)
    }
    for (const [index, each] of hoursAgo.entries()) yield* upload(`r${index}`, each)
    yield* Effect.provideService(WarmUp.run, TestStore, TestStore.of({ ...store, list }))
    return asked
  }).pipe(Effect.provide(Layer.fresh(MemoryStores.layer)))

describe("the warm-up", () => {
  test("a server that starts reads the repositories with the latest uploads, at most five", function* () {
    assert.deepStrictEqual(yield* listed([]), [])
    const latest = ["r1", "r3", "r5", "r4", "r0"]
    // Once for their overviews, and once for the names of all tests.
    assert.deepStrictEqual(yield* listed([7, 1, 9, 3, 5, 4, 8]), [...latest, ...latest])
  })

  test("a repository that cannot be read does not keep the others from being read", function* () {
    assert.deepStrictEqual(yield* listed([1, 2, 3], "r1"), ["r0", "r1", "r2", "r0", "r1", "r2"])
  })
})
