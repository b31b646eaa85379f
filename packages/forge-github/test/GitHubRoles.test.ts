import { assert, describe } from "@effect/vitest"
import { test } from "@lazaret/tools/steps"
import { PlatformRoles } from "@lazaret/services"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { asApp, layer, ref, started } from "./connection.ts"

const roleOf = (person: { readonly id: string; readonly login: string }, of = ref) =>
  Effect.flatMap(PlatformRoles, (roles) => roles.of(person, of))

const begun = Effect.map(started, ({ github, repository }) => ({
  github,
  repository,
  person: (login: string, permission?: "admin" | "write" | "read") => {
    const { id } = github.addPerson(login)
    if (permission !== undefined) repository.people?.set(login, permission)
    return { id: `${github.url}#${id}`, login }
  }
}))

describe("roles by permission at GitHub", () => {
  test("a permission at GitHub is a role, and everybody views a public repository", function* () {
    const { github, person } = yield* begun
    const people = [person("ada", "admin"), person("bob", "write"), person("eve", "read"), person("guest")]
    yield* Effect.gen(function* () {
      const roles = yield* Effect.forEach(people, (each) => roleOf(each))
      assert.deepStrictEqual(roles, ["admin", "member", "viewer", "viewer"])
    }).pipe(Effect.provide(layer(github, asApp(github))))
  })

  test("a repository that GitHub does not show to the app, and a person of another provider, have no role", function* () {
    const { github, person } = yield* begun
    github.addRepository({ owner: "other", name: "secrets", isPrivate: true })
    const ada = person("ada", "admin")
    yield* Effect.gen(function* () {
      assert.isNull(yield* roleOf(ada, { owner: "other", repository: "secrets" }))
      assert.isNull(yield* roleOf(ada, { owner: "acme", repository: "unknown" }))
      assert.isNull(yield* roleOf({ ...ada, id: ada.id.replace(github.url, "https://login.example.com") }))
      assert.isNull(yield* roleOf({ ...ada, login: "../../user" }))
    }).pipe(Effect.provide(layer(github, asApp(github))))
  })

  test("a login that now belongs to another account gives no role, and neither does the old name of a repository", function* () {
    const { github, person, repository } = yield* begun
    const before = person("former")
    const successor = person("ada", "admin")
    yield* Effect.gen(function* () {
      assert.isNull(yield* roleOf({ ...before, login: "ada" }))
      assert.strictEqual(yield* roleOf(successor), "admin")
      github.renameRepository(repository, "gadgets")
      yield* TestClock.adjust("6 minutes")
      assert.isNull(yield* roleOf(successor))
      assert.strictEqual(yield* roleOf(successor, { owner: "acme", repository: "gadgets" }), "admin")
    }).pipe(Effect.provide(layer(github, asApp(github))))
  })

  test("a permission that is taken away ends the role within five minutes; a platform that fails gives none", function* () {
    const { github, person, repository } = yield* begun
    const ada = person("ada", "write")
    yield* Effect.gen(function* () {
      assert.strictEqual(yield* roleOf(ada), "member")
      repository.people?.clear()
      yield* TestClock.adjust("4 minutes")
      assert.strictEqual(yield* roleOf(ada), "member")
      yield* TestClock.adjust("61 seconds")
      assert.strictEqual(yield* roleOf(ada), "viewer")
      const eve = person("eve", "read")
      const operation = "repos/get-collaborator-permission-level"
      for (let count = 0; count < 4; count += 1) {
        github.server.faults.next(operation, { kind: "Status", status: 503, when: "before" })
      }
      assert.isNull(yield* roleOf(eve))
      yield* TestClock.adjust("11 seconds")
      assert.strictEqual(yield* roleOf(eve), "viewer")
    }).pipe(Effect.provide(layer(github, asApp(github))))
  })
})
