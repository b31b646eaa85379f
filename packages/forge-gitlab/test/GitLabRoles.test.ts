import { assert, describe } from "@effect/vitest"
import { test } from "@lazaret/tools/steps"
import { PlatformRoles } from "@lazaret/services"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { layer, ref, started } from "./connection.ts"

const roleOf = (id: string, of = ref) => Effect.flatMap(PlatformRoles, (roles) => roles.of({ id, login: "ada" }, of))

const members = { o: "owner", m: "maintainer", d: "developer", r: "reporter", p: "planner", g: "guest" } as const

/** A started GitLab with a private project, and the people in it, as the sign-in names them. */
const begun = Effect.map(started, ({ gitLab }) => {
  const accounts = [...Object.keys(members), "stranger"].map((token) => gitLab.addAccount(token, token))
  const project = gitLab.addProject({ path: "acme/gadgets", members })
  return {
    gitLab,
    project,
    gadgets: { owner: "acme", repository: "gadgets" },
    people: accounts.map(({ id }) => `${gitLab.url}#${id}`)
  }
})

describe("roles by access level at GitLab", () => {
  test("an access level in a private project is a role from reporter on", function* () {
    const { gadgets, gitLab, people } = yield* begun
    yield* Effect.gen(function* () {
      assert.deepStrictEqual(yield* Effect.forEach(people, (id) => roleOf(id, gadgets)), [
        "admin",
        "admin",
        "member",
        "viewer",
        null,
        null,
        null
      ])
    }).pipe(Effect.provide(layer(gitLab)))
  })

  test("everybody views a public project, and an internal one gives nobody a role by itself", function* () {
    const { gitLab, people } = yield* begun
    gitLab.addProject({ path: "acme/open", visibility: "public", members: { d: "developer" } })
    gitLab.addProject({ path: "acme/inner", visibility: "internal", members: { d: "developer" } })
    const closed = { path: "acme/closed", codeAccess: "private", visibility: "public" } as const
    gitLab.addProject({ ...closed, members: { d: "developer", g: "guest" } })
    const [, , developer = "", , , guest = ""] = people
    yield* Effect.gen(function* () {
      for (const [repository, roles] of [
        ["open", ["member", "viewer"]],
        ["inner", ["member", null]],
        ["closed", ["member", null]],
        ["unknown", [null, null]]
      ] as const) {
        const found = yield* Effect.forEach([developer, guest], (id) => roleOf(id, { owner: "acme", repository }))
        assert.deepStrictEqual(found, [...roles], repository)
      }
    }).pipe(Effect.provide(layer(gitLab)))
  })

  test("a person of another provider, an id that is not a number, and a server without a token give no role", function* () {
    const { gadgets, gitLab, people } = yield* begun
    const [owner = ""] = people
    yield* Effect.gen(function* () {
      assert.isNull(yield* roleOf(owner.replace(gitLab.url, "https://login.example.com"), gadgets))
      assert.isNull(yield* roleOf(`${gitLab.url}.example.com#1`, gadgets))
      assert.isNull(yield* roleOf(`${gitLab.url}#1/../../2`, gadgets))
      assert.isNull(yield* roleOf(`${gitLab.url}#`, gadgets))
    }).pipe(Effect.provide(layer(gitLab)))
    assert.isNull(yield* Effect.provide(roleOf(owner, gadgets), layer(gitLab, { token: null })))
  })

  test("a membership that ends, ends the role within five minutes; a platform that fails gives none", function* () {
    const { gadgets, gitLab, people, project } = yield* begun
    const [, , developer = "", reporter = ""] = people
    yield* Effect.gen(function* () {
      assert.strictEqual(yield* roleOf(developer, gadgets), "member")
      project.members.delete("d")
      yield* TestClock.adjust("4 minutes")
      assert.strictEqual(yield* roleOf(developer, gadgets), "member")
      yield* TestClock.adjust("61 seconds")
      assert.isNull(yield* roleOf(developer, gadgets))
      const operation = "getApiV4ProjectsIdMembersAllUserId"
      for (let count = 0; count < 4; count += 1) {
        gitLab.server.faults.next(operation, { kind: "Status", status: 503, when: "before" })
      }
      assert.isNull(yield* roleOf(reporter, gadgets))
      yield* TestClock.adjust("11 seconds")
      assert.strictEqual(yield* roleOf(reporter, gadgets), "viewer")
    }).pipe(Effect.provide(layer(gitLab)))
  })

  test("the old path of a project gives no role", function* () {
    const { gadgets, gitLab, people, project } = yield* begun
    const [owner = ""] = people
    yield* Effect.gen(function* () {
      gitLab.move(project, "acme/gizmos")
      assert.isNull(yield* roleOf(owner, gadgets))
      assert.strictEqual(yield* roleOf(owner, { owner: "acme", repository: "gizmos" }), "admin")
    }).pipe(Effect.provide(layer(gitLab)))
  })
})
