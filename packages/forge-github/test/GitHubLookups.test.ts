import { assert, describe } from "@effect/vitest"
import { test } from "@lazaret/tools/steps"
import { HostingPlatform, type Permission } from "@lazaret/services"
import { Effect, Fiber, Option } from "effect"
import { TestClock } from "effect/testing"
import { asApp, layer, ref, sha, started } from "./connection.ts"

const permission = (token: string, of = ref) => Effect.flatMap(HostingPlatform, (each) => each.permission(token, of))

const pullOf = (commit: string) => Effect.flatMap(HostingPlatform, (each) => each.pullOf(ref, commit))

const file = (path: string) => Effect.flatMap(HostingPlatform, (each) => each.file(ref, path))

const anonymous = { _tag: "None" } as const

describe("permissions of a GitHub token", () => {
  test("permissions of a GitHub token are those of the platform, and none for an unknown token or repository", function* () {
    const { github } = yield* started
    const expected: ReadonlyArray<readonly [token: string, Permission]> = [
      ["writer", "write"],
      ["reader", "read"],
      ["unknown", "none"]
    ]
    yield* Effect.gen(function* () {
      for (const [token, each] of expected) assert.strictEqual(yield* permission(token), each)
      assert.strictEqual(yield* permission("writer", { owner: "acme", repository: "gadgets" }), "none")
    }).pipe(Effect.provide(layer(github, anonymous)))
  })

  test("a repository that moved to another name grants none under the old one", function* () {
    const { github, repository } = yield* started
    github.renameRepository(repository, "gadgets")
    yield* Effect.gen(function* () {
      assert.strictEqual(yield* permission("writer"), "none")
      assert.strictEqual(yield* permission("writer", { owner: "acme", repository: "gadgets" }), "write")
    }).pipe(Effect.provide(layer(github, anonymous)))
  })

  test("permissions of a GitHub token are asked for at most once in a minute, also concurrently", function* () {
    const { github } = yield* started
    yield* Effect.gen(function* () {
      yield* Effect.all([permission("writer"), permission("writer")], { concurrency: 2 })
      yield* TestClock.adjust("59 seconds")
      yield* permission("writer")
      assert.strictEqual(github.server.seen.length, 1)
      yield* TestClock.adjust("2 seconds")
      yield* permission("writer")
      assert.strictEqual(github.server.seen.length, 2)
    }).pipe(Effect.provide(layer(github, anonymous)))
  })

  test("permissions of a GitHub token do not exist when the platform fails, which is asked again after five seconds, not before", function* () {
    const { github } = yield* started
    github.server.faults.next("repos/get", { kind: "Status", status: 503, when: "before" })
    yield* Effect.gen(function* () {
      assert.strictEqual(yield* permission("writer"), "none")
      assert.strictEqual(yield* permission("writer"), "none")
      yield* TestClock.adjust("6 seconds")
      assert.strictEqual(yield* permission("writer"), "write")
    }).pipe(Effect.provide(layer(github, anonymous)))
  })

  test("permissions of a GitHub token do not exist when the platform takes longer than five seconds", function* () {
    const { github } = yield* started
    github.server.faults.next("repos/get", { kind: "Silence", when: "before" })
    yield* Effect.gen(function* () {
      const found = yield* Effect.forkChild(permission("writer"))
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(yield* Fiber.join(found), "none")
    }).pipe(Effect.provide(layer(github, anonymous)))
  })

  test("no request is sent for a name that stands for another path, or a token that a header cannot carry", function* () {
    const { github } = yield* started
    yield* Effect.gen(function* () {
      assert.strictEqual(yield* permission("writer", { owner: "acme", repository: ".." }), "none")
      assert.strictEqual(yield* permission("two\nlines"), "none")
      assert.strictEqual(yield* permission("ñ"), "none")
    }).pipe(Effect.provide(layer(github, anonymous)))
    assert.deepStrictEqual(github.server.seen, [])
  })
})

describe("the pull request of a commit at GitHub", () => {
  test("the pull request of a commit at GitHub is the merged one whose merge commit it is, else any merged one that contains it", function* () {
    const { github, repository } = yield* started
    const pulls = [1, 2, 3].map((number) => github.openPull(repository, { head: sha, title: `change ${number}` }))
    for (const [index, pull] of pulls.slice(1).entries())
      github.mergePull(repository, pull, "abcdef0".repeat(index + 1))
    yield* Effect.gen(function* () {
      const titles = []
      for (const commit of ["abcdef0abcdef0", sha, "1234567"]) {
        titles.push(Option.map(yield* pullOf(commit), ({ title, user }) => `${title} by ${user.login}`))
      }
      assert.deepStrictEqual(titles, [Option.some("change 3 by ada"), Option.some("change 2 by ada"), Option.none()])
    }).pipe(Effect.provide(layer(github, anonymous)))
  })

  test("a private repository is traced with the app", function* () {
    const { github } = yield* started
    const secret = github.addRepository({ owner: "acme", name: "secret", isPrivate: true })
    const pull = github.openPull(secret, { head: sha })
    github.mergePull(secret, pull, sha)
    const ask = Effect.flatMap(HostingPlatform, (each) => each.pullOf({ owner: "acme", repository: "secret" }, sha))
    assert.isTrue(Option.isNone(yield* Effect.provide(ask, layer(github, anonymous))))
    assert.isTrue(Option.isSome(yield* Effect.provide(ask, layer(github, asApp(github)))))
  })

  test("no request is sent for a text that cannot be a commit id", function* () {
    const { github } = yield* started
    yield* Effect.provide(pullOf("../../x"), layer(github, anonymous))
    assert.deepStrictEqual(github.server.seen, [])
  })
})

describe("a file at GitHub", () => {
  test("a file at GitHub is its text, read again each time; a folder and a missing file are absent", function* () {
    const { github, repository } = yield* started
    repository.files.set("a b/c?.yml", "queue_rules:\n  - name: é\n")
    yield* Effect.gen(function* () {
      assert.deepStrictEqual(yield* file("a b/c?.yml"), Option.some("queue_rules:\n  - name: é\n"))
      repository.files.set("a b/c?.yml", "queue_rules: []\n")
      assert.deepStrictEqual(yield* file("a b/c?.yml"), Option.some("queue_rules: []\n"))
      assert.deepStrictEqual(yield* file("a b"), Option.none())
    }).pipe(Effect.provide(layer(github, anonymous)))
  })
})
