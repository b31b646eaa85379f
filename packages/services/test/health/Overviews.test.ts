import { HostingPlatform, Ingestion, Overviews, Services } from "@lazaret/services"
import { TestId, TestList } from "@lazaret/domain"
import { MemoryStores } from "@lazaret/store"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import * as TestClock from "effect/testing/TestClock"
import { given, noon, ref } from "../builders.ts"

const platform = Layer.effect(
  HostingPlatform,
  Effect.map(HostingPlatform, (off) => ({
    ...off,
    file: (_: unknown, path: string) =>
      Effect.succeed(path === ".github/CODEOWNERS" ? Option.some("src/cart/ @acme/checkout") : Option.none())
  }))
).pipe(Layer.provide(HostingPlatform.layerOff))

const services = Layer.fresh(Services.layer).pipe(Layer.provideMerge(Layer.mergeAll(MemoryStores.layer, platform)))

describe("Overviews.owners", () => {
  it.effect("a test belongs to the owners of its file at the hosting platform; a test without a file to nobody", () =>
    TestClock.setTime(noon).pipe(
      Effect.andThen(
        Effect.gen(function* () {
          const ingestion = yield* Ingestion
          const upload = given({ commit: "c1", hoursAgo: 1, test: "adds" })
          const cases = upload.cases.map((each) => ({ ...each, filepath: "src/cart/add.test.ts" }))
          yield* ingestion.record(ref, { ...upload, cases })
          yield* ingestion.record(ref, given({ commit: "c1", hoursAgo: 1, test: "other", job: "web" }))
          const overviews = yield* Overviews
          const ownersOf = (name: string) => overviews.owners(ref, TestId.of(name))
          assert.deepStrictEqual(yield* ownersOf("adds"), {
            source: "platform",
            file: "src/cart/add.test.ts",
            owners: ["@acme/checkout"]
          })
          assert.deepStrictEqual(yield* ownersOf("other"), { source: "platform", file: null, owners: [] })
          assert.deepInclude(yield* Effect.flip(ownersOf("unknown")), { _tag: "TestNotFound" })
        })
      ),
      Effect.provide(services)
    )
  )

  it.effect("the list finds tests by owner and names it, and each owner counts the tests that the list finds", () =>
    TestClock.setTime(noon).pipe(
      Effect.andThen(
        Effect.gen(function* () {
          const ingestion = yield* Ingestion
          const upload = given({ commit: "c1", hoursAgo: 1, test: "adds" })
          const inFile = (testName: string, filepath: string | null) =>
            upload.cases.map((each) => ({ ...each, testName, filepath }))
          const cases = [
            ...inFile("adds", "src/cart/add.test.ts"),
            ...inFile("opens", "src/till.test.ts"),
            ...inFile("pays", null)
          ]
          yield* ingestion.record(ref, { ...upload, cases })
          const overviews = yield* Overviews
          const list = (...owners: ReadonlyArray<string>) =>
            Effect.map(
              overviews.tests(ref, {
                filter: TestList.all,
                owners,
                sort: "test_name",
                direction: "asc",
                cursor: null,
                perPage: 10
              }),
              ({ rows }) => rows.map((row) => [row.testName, ...row.owners])
            )
          assert.deepStrictEqual(yield* list(), [["adds", "@acme/checkout"], ["opens"], ["pays"]])
          assert.deepStrictEqual(yield* list("@Acme/Checkout", "no-file"), [["adds", "@acme/checkout"], ["pays"]])
          assert.deepStrictEqual(yield* list("no-owner"), [["opens"]])
          assert.deepStrictEqual(yield* list("@acme/other"), [])
          const { owners, source } = yield* overviews.ownership(ref)
          assert.strictEqual(source, "platform")
          assert.deepStrictEqual(
            owners.map(({ healthy, owner }) => [owner, healthy]),
            [
              ["@acme/checkout", 1],
              ["no-owner", 1],
              ["no-file", 1]
            ]
          )
        })
      ),
      Effect.provide(services)
    )
  )
})
