import { Access, HostingPlatform, PlatformRoles, RoleAdministration, Services, Sessions } from "@lazaret/services"
import { MemoryStores, RepositoryStore } from "@lazaret/store"
import { Credential, type Role } from "@lazaret/domain"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option, Redacted } from "effect"

const refs = { widgets: { owner: "acme", repository: "widgets" }, gadgets: { owner: "acme", repository: "gadgets" } }

const demanding = (role: Role.Role): Credential.Demand => ({ kinds: ["admin"], permission: "write", role })

/** The permissions at a platform that can be changed, and the repositories that it was asked about. */
const platform = () => {
  const state = { roles: new Map<string, Role.Role>(), asked: new Array<string>() }
  const layer = Layer.succeed(PlatformRoles, {
    of: (_, { repository }) =>
      Effect.sync(() => {
        state.asked.push(repository)
        return state.roles.get(repository) ?? null
      })
  })
  return {
    state,
    layer: Services.layer.pipe(Layer.provideMerge(Layer.mergeAll(MemoryStores.layer, layer, HostingPlatform.layerOff)))
  }
}

/** An admin of all owners. */
const root = Credential.ofUser({
  id: "root",
  login: "root",
  provider: "oidc",
  grants: [{ role: "admin", owner: null, repository: null }]
})

const signedIn = (grants: ReadonlyArray<Role.Grant>, login = "ada", id = 1) =>
  Effect.flatMap(Sessions, ({ begin }) =>
    Effect.map(
      begin(
        {
          principal: Credential.ofUser({ id: `https://id#${id}`, login, provider: "oidc", grants }),
          address: null,
          agent: null
        },
        Option.none()
      ),
      ({ secret }) => secret
    )
  )

const may = (secret: Redacted.Redacted, role: Role.Role, name: keyof typeof refs = "widgets") =>
  Effect.flatMap(Access, ({ principal }) => Effect.map(principal(secret, refs[name], demanding(role)), Option.isSome))

describe("roles of people", () => {
  it.effect(
    "a person has the higher of the role of the groups and that of the platform, in an open session, too",
    () => {
      const { layer, state } = platform()
      return Effect.gen(function* () {
        const secret = yield* signedIn([{ role: "member", owner: "acme", repository: "widgets" }])
        assert.isTrue(yield* may(secret, "member"))
        assert.deepStrictEqual(state.asked, [], "a role that suffices asks nobody")
        assert.isFalse(yield* may(secret, "admin"))
        state.roles.set("widgets", "admin")
        assert.isTrue(yield* may(secret, "admin"))
        assert.isFalse(yield* may(secret, "viewer", "gadgets"))
        state.roles.set("widgets", "viewer")
        assert.isFalse(yield* may(secret, "admin"))
        assert.isTrue(yield* may(secret, "member"))
      }).pipe(Effect.provide(Layer.fresh(layer)))
    }
  )

  it.effect("a list shows the repositories of the permissions, and a permission administers no owner", () => {
    const { layer, state } = platform()
    return Effect.gen(function* () {
      const repositories = yield* RepositoryStore
      for (const ref of Object.values(refs)) yield* repositories.change(ref, (settings) => settings, 0)
      const secret = yield* signedIn([])
      const { application } = yield* Access
      const found = (role: Role.Role) => application(secret, demanding(role))
      assert.isTrue(Option.isNone(yield* found("viewer")))
      state.roles.set("widgets", "admin")
      const grants = Option.map(yield* found("viewer"), Credential.grantsOf)
      assert.deepStrictEqual(grants, Option.some([{ role: "admin", owner: "acme", repository: "widgets" }]))
      assert.isTrue(Option.isNone(yield* found("admin")))
    }).pipe(Effect.provide(Layer.fresh(layer)))
  })

  it.effect(
    "a role that is given or taken away by hand acts on an open session at once, and never lowers another source",
    () => {
      const { layer } = platform()
      return Effect.gen(function* () {
        const secret = yield* signedIn([{ role: "viewer", owner: "acme", repository: null }])
        const { remove, set } = yield* RoleAdministration
        const give = (role: Role.Role) => set(root, { role, login: "ada", provider: "oidc", ...refs.widgets })
        const { id } = yield* give("admin")
        assert.isTrue(yield* may(secret, "admin"))
        assert.isFalse(yield* may(secret, "member", "gadgets"))
        assert.strictEqual((yield* give("member")).id, id)
        assert.isFalse(yield* may(secret, "admin"))
        assert.isTrue(yield* may(secret, "member"))
        yield* remove(root, id)
        assert.isFalse(yield* may(secret, "member"))
        assert.isTrue(yield* may(secret, "viewer"))
        assert.strictEqual((yield* Effect.flip(remove(root, id)))._tag, "RoleNotFound")
      }).pipe(Effect.provide(Layer.fresh(layer)))
    }
  )

  it.effect("a role by hand is of the first person with the login, and of no later one with the same login", () => {
    const { layer } = platform()
    return Effect.gen(function* () {
      const { list, set } = yield* RoleAdministration
      yield* set(root, { role: "admin", login: "ada", provider: "oidc", owner: "acme", repository: null })
      const first = yield* signedIn([], "ada", 1)
      assert.isTrue(yield* may(first, "admin"))
      const second = yield* signedIn([], "ada", 2)
      assert.isFalse(yield* may(second, "viewer"))
      assert.isTrue(yield* may(yield* signedIn([], "renamed", 1), "admin"))
      assert.deepStrictEqual(
        (yield* list(root)).map(({ personId }) => personId),
        ["https://id#1"]
      )
    }).pipe(Effect.provide(Layer.fresh(layer)))
  })

  it.effect("an admin of an owner gives, lists and takes away roles of this owner, and no others", () => {
    const { layer } = platform()
    return Effect.gen(function* () {
      const { list, remove, set } = yield* RoleAdministration
      const grant = { role: "admin", owner: "acme", repository: null } as const
      const acme = Credential.ofUser({ id: "1", login: "a", provider: "oidc", grants: [grant] })
      const role = { login: "bob", provider: "oidc", role: "viewer", repository: null } as const
      yield* set(acme, { ...role, owner: "ACME" })
      const other = yield* set(root, { ...role, owner: "beta" })
      for (const owner of ["beta", null]) {
        assert.strictEqual((yield* Effect.flip(set(acme, { ...role, owner })))._tag, "RoleOutOfReach")
      }
      assert.deepStrictEqual(
        (yield* list(acme)).map(({ owner }) => owner),
        ["ACME"]
      )
      assert.strictEqual((yield* Effect.flip(remove(acme, other.id)))._tag, "RoleNotFound")
      assert.strictEqual((yield* list(root)).length, 2)
      const unnamed = { ...role, provider: null, owner: "acme" }
      assert.strictEqual((yield* Effect.flip(set(root, unnamed)))._tag, "Invalid")
    }).pipe(Effect.provide(Layer.fresh(layer)))
  })
})
