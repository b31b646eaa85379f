import { assert, describe } from "@effect/vitest"
import { test } from "@lazaret/tools/steps"
import { HostingPlatform, type Permission } from "@lazaret/services"
import { Effect, Fiber, Option } from "effect"
import { TestClock } from "effect/testing"
import { layer, ref, sha, started } from "./connection.ts"

const permission = (token: string, of = ref) => Effect.flatMap(HostingPlatform, (each) => each.permission(token, of))

const pullOf = (commit: string) => Effect.flatMap(HostingPlatform, (each) => each.pullOf(ref, commit))

const file = (path: string) => Effect.flatMap(HostingPlatform, (each) => each.file(ref, path))

describe("permissions of a GitLab token", () => {
  test("permissions follow the role and the scopes; an unknown token or project grants none", function* () {
    const { gitLab } = yield* started
    gitLab.addAccount("developer", "d")
    gitLab.addAccount("read-only", "r", ["read_api"])
    gitLab.addAccount("oauth", "o", null)
    gitLab.addAccount("reporter", "p")
    gitLab.addAccount("guest", "g")
    gitLab.addAccount("stranger", "s")
    const members = {
      developer: "developer",
      "read-only": "maintainer",
      oauth: "developer",
      reporter: "reporter",
      guest: "guest"
    } as const
    gitLab.addProject({ path: "acme/gadgets", members })
    gitLab.addProject({ path: "acme/open", visibility: "public" })
    const gadgets = { owner: "acme", repository: "gadgets" }
    const expected: ReadonlyArray<readonly [token: string, Permission]> = [
      ["developer", "write"],
      ["read-only", "read"],
      ["oauth", "read"],
      ["reporter", "read"],
      ["guest", "none"],
      ["stranger", "none"],
      ["unknown", "none"],
      ["two\nlines", "none"]
    ]
    yield* Effect.gen(function* () {
      for (const [token, each] of expected) assert.strictEqual(yield* permission(token, gadgets), each, token)
      assert.strictEqual(yield* permission("stranger", { owner: "acme", repository: "open" }), "read")
      assert.strictEqual(yield* permission("unknown", { owner: "acme", repository: "open" }), "none")
    }).pipe(Effect.provide(layer(gitLab)))
  })

  test("a project that moved to another path grants none under the old one", function* () {
    const { gitLab, project } = yield* started
    gitLab.move(project, "acme/gadgets")
    yield* Effect.gen(function* () {
      assert.strictEqual(yield* permission("ada-token"), "none")
      assert.strictEqual(yield* permission("ada-token", { owner: "acme", repository: "gadgets" }), "write")
    }).pipe(Effect.provide(layer(gitLab)))
  })

  test("permissions are asked for at most once in a minute, and again five seconds after a failure", function* () {
    const { gitLab } = yield* started
    gitLab.server.faults.next("getApiV4ProjectsId", { kind: "Status", status: 503, when: "before" })
    yield* Effect.gen(function* () {
      assert.strictEqual(yield* permission("ada-token"), "none")
      assert.strictEqual(yield* permission("ada-token"), "none")
      yield* TestClock.adjust("6 seconds")
      assert.strictEqual(yield* permission("ada-token"), "write")
      const asked = gitLab.server.seen.length
      yield* TestClock.adjust("59 seconds")
      yield* permission("ada-token")
      assert.strictEqual(gitLab.server.seen.length, asked)
    }).pipe(Effect.provide(layer(gitLab)))
  })

  test("permissions do not exist when the platform takes longer than five seconds", function* () {
    const { gitLab } = yield* started
    gitLab.server.faults.next("getApiV4ProjectsId", { kind: "Silence", when: "before" })
    yield* Effect.gen(function* () {
      const found = yield* Effect.forkChild(permission("ada-token"))
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(yield* Fiber.join(found), "none")
    }).pipe(Effect.provide(layer(gitLab)))
  })
})

describe("the merge request of a commit", () => {
  test("the merge request of a commit is the merged one whose merge or squash commit it is, else any merged one that contains it", function* () {
    const { gitLab, project } = yield* started
    const [first, second, third] = ["one", "two", "three"].map((title) => gitLab.open(project, { head: sha, title }))
    if (first === undefined || second === undefined || third === undefined) return assert.fail("they are open")
    gitLab.merge(project, second, "a".repeat(40))
    gitLab.merge(project, third, "b".repeat(40))
    Object.assign(third, { mergeCommit: null, squashCommit: "b".repeat(40) })
    third.commits.add("a".repeat(40))
    yield* Effect.gen(function* () {
      const titles = []
      for (const commit of ["b".repeat(40), "a".repeat(40), sha, "1234567", "../../x"]) {
        titles.push(Option.map(yield* pullOf(commit), ({ number, title, user }) => `!${number} ${title} ${user.login}`))
      }
      assert.deepStrictEqual(titles.map(Option.getOrNull), ["!3 three ada", "!2 two ada", "!2 two ada", null, null])
    }).pipe(Effect.provide(layer(gitLab)))
  })
})

describe("a file at GitLab", () => {
  test("a file is its text at the head of the default branch, read again each time; a missing one is absent", function* () {
    const { gitLab, project } = yield* started
    project.files.set("a b/c?.yml", "queue_rules:\n  - name: é\n")
    yield* Effect.gen(function* () {
      assert.deepStrictEqual(yield* file("a b/c?.yml"), Option.some("queue_rules:\n  - name: é\n"))
      project.files.set("a b/c?.yml", "queue_rules: []\n")
      assert.deepStrictEqual(yield* file("a b/c?.yml"), Option.some("queue_rules: []\n"))
      assert.deepStrictEqual(yield* file("a b"), Option.none())
    }).pipe(Effect.provide(layer(gitLab)))
  })
})
