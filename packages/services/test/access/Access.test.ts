import { Access, HostingPlatform, KeyRegistry, Services } from "@lazaret/services"
import { MemoryStores } from "@lazaret/store"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Option, Redacted } from "effect"
import { TestClock } from "effect/testing"

const platform = Layer.succeed(HostingPlatform, {
  isConnected: Effect.succeed(true),
  permission: (token) => Effect.succeed(token === "reads" ? "read" : token === "writes" ? "write" : "none"),
  pullOf: () => Effect.succeed(Option.none()),
  file: () => Effect.succeed(Option.none())
})

const layer = Services.layer.pipe(Layer.provideMerge(Layer.mergeAll(MemoryStores.layer, platform)))

const ref = { owner: "acme", repository: "widgets" }
const anyone = { kinds: ["admin", "ci", "platform"], permission: "read" } as const
const writer = { kinds: ["admin", "platform"], permission: "write" } as const

const kindOf = (secret: Redacted.Redacted, demand: typeof anyone | typeof writer, owner = "acme") =>
  Effect.gen(function* () {
    const principal = yield* (yield* Access).principal(secret, { ...ref, owner }, demand)
    return Option.match(principal, { onNone: () => "none", onSome: ({ kind }) => kind })
  })

describe("Access", () => {
  it.effect("an application key reaches its owner's repositories, in any case, and routes of its kind", () =>
    Effect.gen(function* () {
      const keys = yield* KeyRegistry
      const { secret: ci } = yield* keys.issue({ name: "ci", owner: "Acme", scope: "ci" })
      const { secret: admin } = yield* keys.issue({ name: "admin", owner: null, scope: "admin" })
      assert.strictEqual(yield* kindOf(ci, anyone), "ci")
      assert.strictEqual(yield* kindOf(ci, writer), "none")
      assert.strictEqual(yield* kindOf(ci, anyone, "other"), "none")
      assert.strictEqual(yield* kindOf(admin, writer, "other"), "admin")
    }).pipe(Effect.provide(layer))
  )

  it.effect("a key that another server has revoked is refused within a second", () =>
    Effect.gen(function* () {
      const context = yield* Layer.build(layer)
      const other = yield* Layer.build(Layer.fresh(Services.layer).pipe(Layer.provide(Layer.succeedContext(context))))
      const keys = Context.get(context, KeyRegistry)
      const { key, secret } = yield* keys.issue({ name: "ci", owner: null, scope: "ci" })
      const here = keys.authenticate(secret)
      const there = Context.get(other, KeyRegistry).authenticate(secret)
      assert.isTrue(Option.isSome(yield* there))
      yield* TestClock.adjust("700 millis")
      assert.isTrue(Option.isSome(yield* there))
      yield* keys.issue({ name: "root", owner: null, scope: "admin" })
      yield* keys.revoke(key.id)
      assert.isTrue(Option.isNone(yield* here))
      yield* TestClock.adjust("300 millis")
      assert.isTrue(Option.isNone(yield* there))
    }).pipe(Effect.scoped)
  )

  it.effect("a revoked key is as good as none, at once", () =>
    Effect.gen(function* () {
      const keys = yield* KeyRegistry
      const { key, secret } = yield* keys.issue({ name: "ci", owner: null, scope: "ci" })
      yield* keys.revoke(key.id)
      assert.strictEqual(yield* kindOf(secret, anyone), "none")
      assert.strictEqual((yield* Effect.flip(keys.revoke(key.id)))._tag, "KeyNotFound")
    }).pipe(Effect.provide(layer))
  )

  it.effect("a platform token reads or writes as the platform says", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* kindOf(Redacted.make("reads"), anyone), "platform")
      assert.strictEqual(yield* kindOf(Redacted.make("reads"), writer), "none")
      assert.strictEqual(yield* kindOf(Redacted.make("writes"), writer), "platform")
      assert.strictEqual(yield* kindOf(Redacted.make("unknown"), anyone), "none")
      assert.strictEqual(yield* kindOf(Redacted.make(""), anyone), "none")
    }).pipe(Effect.provide(layer))
  )

  it.effect("only the hash of a secret is stored, and registering it twice stores one key", () =>
    Effect.gen(function* () {
      const keys = yield* KeyRegistry
      const secret = Redacted.make("chosen by hand")
      yield* keys.register({ name: "first admin", owner: null, scope: "admin" }, secret)
      yield* keys.register({ name: "first admin", owner: null, scope: "admin" }, secret)
      const list = yield* keys.list
      assert.strictEqual(list.length, 1)
      assert.notInclude(JSON.stringify(list), "chosen by hand")
      assert.strictEqual(yield* kindOf(secret, writer), "admin")
    }).pipe(Effect.provide(layer))
  )

  it.effect("the key that a server starts with replaces the one before when it is meant to, and only that", () =>
    Effect.gen(function* () {
      const keys = yield* KeyRegistry
      const [a, b, c] = [Redacted.make("a"), Redacted.make("b"), Redacted.make("c")]
      const { secret: other } = yield* keys.issue({ name: "other", owner: null, scope: "admin" })
      assert.isTrue(yield* keys.start(a, { replaces: true }))
      assert.isTrue(yield* keys.start(a, { replaces: true }), "again")
      assert.isTrue(yield* keys.start(b, { replaces: false }))
      assert.strictEqual(yield* kindOf(a, writer), "admin")
      assert.isTrue(yield* keys.start(c, { replaces: true }))
      const kinds = yield* Effect.forEach([a, b, c, other], (secret) => kindOf(secret, writer))
      assert.deepStrictEqual(kinds, ["none", "none", "admin", "admin"])
      assert.isFalse(yield* keys.start(a, { replaces: true }), "a revoked key stays revoked, and replaces nothing")
      assert.strictEqual(yield* kindOf(c, writer), "admin")
    }).pipe(Effect.provide(layer))
  )
})
