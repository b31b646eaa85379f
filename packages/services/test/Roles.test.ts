import { Access, PlatformRoles, Services, Sessions } from "@lazaret/services"
import { HostingPlatform } from "@lazaret/services"
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

const signedIn = (grants: ReadonlyArray<Role.Grant>) =>
  Effect.flatMap(Sessions, ({ begin }) =>
    Effect.map(
      begin(
        { principal: Credential.ofUser({ id: "https://id#1", login: "ada", grants }), address: null, agent: null },
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
})
