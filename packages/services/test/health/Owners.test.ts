import { assert, describe } from "@effect/vitest"
import { test } from "@lazaret/tools/steps"
import { HostingPlatform, Owners, OwnersDialect, OwnersFiles } from "@lazaret/services"
import { MemoryStores } from "@lazaret/store"
import { Effect, Fiber, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { ref } from "../builders.ts"

/** The owners of a repository with these files at its platform, and the paths that were asked for; `pause` is how long each answer takes. */
const repository = (files: Readonly<Record<string, string>>, pause = 0) => {
  const asked: Array<string> = []
  const platform = Layer.succeed(HostingPlatform, {
    isConnected: Effect.succeed(true),
    permission: () => Effect.succeed("none" as const),
    pullOf: () => Effect.succeedNone,
    file: (_, path) =>
      Effect.delay(
        Effect.sync(() => {
          asked.push(path)
          return Option.fromUndefinedOr(files[path])
        }),
        pause
      )
  })
  const owners = Layer.fresh(Owners.layer).pipe(Layer.provide(platform))
  return {
    asked,
    layer: Layer.fresh(OwnersFiles.layer).pipe(Layer.provideMerge(owners), Layer.provide(MemoryStores.layer))
  }
}

const ofFiles = (...files: ReadonlyArray<string | null>) =>
  Effect.flatMap(Owners, (owners) => Effect.map(owners.ofFiles(ref, files), (found) => Object.fromEntries(found)))

const namesOf = (...files: ReadonlyArray<string | null>) =>
  Effect.flatMap(Owners, (owners) => Effect.map(owners.namesOf(ref, files), (found) => [...found]))

describe("Owners", () => {
  test("tests of nobody have names of their own, but only where a CODEOWNERS says so", function* () {
    const { asked, layer } = repository({ CODEOWNERS: "*.ts @root" })
    yield* Effect.gen(function* () {
      assert.deepStrictEqual(yield* namesOf(), [])
      assert.deepStrictEqual(asked, [], "nothing is asked without a failure")
      assert.deepStrictEqual(yield* namesOf("a.ts", null, "a.md", "a.ts"), [
        ["a.ts", ["@root"]],
        [null, ["no-file"]],
        ["a.md", ["no-owner"]]
      ])
    }).pipe(Effect.provide(layer))
    assert.deepStrictEqual(yield* Effect.provide(namesOf("a.ts", null), repository({}).layer), [])
  })

  test("come from the first CODEOWNERS that exists, which is read once in five minutes", function* () {
    const { asked, layer } = repository({ CODEOWNERS: "*.ts @root", "docs/CODEOWNERS": "* @docs" })
    yield* Effect.gen(function* () {
      assert.deepStrictEqual(yield* ofFiles("a.ts", "a.md", null, "a.ts"), { "a.ts": ["@root"] })
      yield* ofFiles("b.ts")
      assert.deepStrictEqual(asked, [".github/CODEOWNERS", "CODEOWNERS"])
      yield* TestClock.adjust("5 minutes")
      yield* ofFiles("b.ts")
      assert.strictEqual(asked.length, 4)
    }).pipe(Effect.provide(layer))
  })

  test("other fibers run while many files are matched with many rules", function* () {
    const rules = Array.from({ length: 5000 }, (_, index) => `/packages/p${index}/ @x`).join("\n")
    let turns = 0
    const others = yield* Effect.forkChild(Effect.forever(Effect.sync(() => (turns += 1))))
    const { layer } = repository({ CODEOWNERS: rules })
    yield* Effect.gen(function* () {
      yield* ofFiles("a.ts")
      turns = 0
      const files = Array.from({ length: 40 }, (_, index) => `packages/p${index}/a.ts`)
      assert.strictEqual(Object.keys(yield* ofFiles(...files)).length, 40)
      assert.isAtLeast(turns, 5)
    }).pipe(Effect.provide(layer))
    yield* Fiber.interrupt(others)
  })

  test("follow the dialect of the platform, and nothing is asked without a file", function* () {
    const { asked, layer } = repository({ ".gitlab/CODEOWNERS": "[Web] @web\n*.ts" })
    yield* Effect.gen(function* () {
      assert.deepStrictEqual(yield* ofFiles(null), {})
      assert.deepStrictEqual(asked, [])
      assert.deepStrictEqual(yield* ofFiles("src/a.ts"), { "src/a.ts": ["@web"] })
    }).pipe(Effect.provide(Layer.provide(layer, Layer.succeed(OwnersDialect, "gitlab"))))
  })

  test("an uploaded CODEOWNERS counts at once, where the platform shows none, until it is removed", function* () {
    const { layer } = repository({})
    yield* Effect.gen(function* () {
      const files = yield* OwnersFiles
      assert.deepStrictEqual(yield* ofFiles("db/a.ts"), {})
      const state = yield* files.upload(ref, { text: "[Data]\n/db/ @data", dialect: "gitlab", by: "ada" })
      assert.deepInclude(state, { source: "uploaded", rules: 1 })
      assert.deepInclude(state.uploaded, { dialect: "gitlab", uploadedBy: "ada" })
      assert.deepStrictEqual(yield* ofFiles("db/a.ts"), { "db/a.ts": ["@data"] })
      yield* files.remove(ref)
      assert.deepStrictEqual(yield* ofFiles("db/a.ts"), {})
      assert.deepInclude(yield* Effect.flip(files.remove(ref)), { _tag: "OwnersFileNotFound" })
      assert.deepInclude(yield* files.state(ref), { source: null, rules: 0, uploaded: null })
    }).pipe(Effect.provide(layer))
  })

  test("an uploaded CODEOWNERS cannot override that of the platform, and the answer says so", function* () {
    const { layer } = repository({ CODEOWNERS: "* @reviewed" })
    yield* Effect.gen(function* () {
      const files = yield* OwnersFiles
      const { source, uploaded } = yield* files.upload(ref, { text: "* @mine", dialect: null, by: "eve" })
      assert.deepStrictEqual([source, uploaded?.dialect], ["platform", "github"])
      assert.deepStrictEqual(yield* ofFiles("a.ts"), { "a.ts": ["@reviewed"] })
    }).pipe(Effect.provide(layer))
  })

  test("no answer waits longer than three seconds for them", function* () {
    const { layer } = repository({ CODEOWNERS: "* @all" }, 10_000)
    yield* Effect.gen(function* () {
      const answer = yield* Effect.forkChild(ofFiles("a"))
      yield* TestClock.adjust("3 seconds")
      assert.deepStrictEqual(yield* Fiber.join(answer), {})
    }).pipe(Effect.provide(layer))
  })
})
