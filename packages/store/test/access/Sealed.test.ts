import { assert, describe, it } from "@effect/vitest"
import {
  Driver,
  MemoryDriver,
  NotifierStore,
  Rows,
  Sealer,
  SecretStore,
  Stores,
  SubscriptionStore,
  WideNotifierStore
} from "@lazaret/store"
import { Context, Effect, Layer } from "effect"

const ref = { owner: "Acme", repository: "Widgets" }

/** A sealer of tests: the newest key is the first; a text is sealed by writing it backwards. */
const sealerOf = (...keys: ReadonlyArray<string>): Sealer.Sealer => ({
  seal: (text, place) =>
    `${Sealer.prefix}${keys[0]}:${Buffer.from(place).toString("hex")}:${[...text].toReversed().join("")}`,
  open: (sealed, place) => {
    const [key = "", at, ...text] = sealed.slice(Sealer.prefix.length).split(":")
    const isOurs = keys.includes(key) && at === Buffer.from(place).toString("hex")
    return isOurs ? [...text.join(":")].toReversed().join("") : null
  },
  isCurrent: (kept) => Sealer.isSealed(kept) && Sealer.keyOf(kept) === keys[0]
})

const subscription = (id: string) => ({
  id,
  url: `https://example.com/hook?token=${id}`,
  secret: `the secret of ${id}`,
  types: [],
  createdAt: 5,
  createdBy: "key 1"
})

const notifier = (id: string, channel: "Slack" | "Email") => ({
  id,
  channel:
    channel === "Slack"
      ? ({ _tag: "Slack", url: `https://hooks.example.com/services/${id}` } as const)
      : ({ _tag: "Email", to: ["ada@example.com"] } as const),
  types: [],
  owners: [],
  schedule: { _tag: "AtOnce" } as const,
  createdAt: 5,
  createdBy: "key 1"
})

/** The ports over one driver with a sealer, and what the driver keeps. */
const portsOver = Effect.fnUntraced(function* (driver: Driver["Service"], sealer: Sealer.Sealer) {
  const context = yield* Layer.build(
    Layer.fresh(Stores.layer).pipe(Layer.provide([Layer.succeed(Driver, driver), Layer.succeed(Sealer.Sealer, sealer)]))
  )
  return {
    subscriptions: Context.get(context, SubscriptionStore),
    notifiers: Context.get(context, NotifierStore),
    wide: Context.get(context, WideNotifierStore),
    renew: Context.get(context, SecretStore).renew
  }
})

const none: Sealer.Sealer = { seal: (text) => text, open: () => null, isCurrent: (kept) => !Sealer.isSealed(kept) }

const keptBy = (driver: Driver["Service"]) =>
  Effect.map(
    Effect.all([driver.scan("test", Rows.subscriptions, []), driver.scan("test", Rows.notifiers, [])]),
    (found) => found.flat().map(({ row }) => row)
  )

const wideIn = (driver: Driver["Service"]) =>
  driver.read("test", null, (view) => view.select(Rows.wideNotifiers, { where: [], order: [] }))

const driverIn = Effect.map(Layer.build(Layer.fresh(MemoryDriver.layer)), (context) => Context.get(context, Driver))

const places = Effect.fnUntraced(function* (ports: Effect.Success<ReturnType<typeof portsOver>>) {
  yield* ports.subscriptions.insert(ref, subscription("a"))
  yield* ports.subscriptions.insert(ref, subscription("b"))
  yield* ports.notifiers.insert(ref, notifier("c", "Slack"), 0)
  yield* ports.notifiers.insert(ref, notifier("d", "Email"), 0)
})

describe("sealed secrets", () => {
  it.effect("secrets are stored sealed and read back as they were given", () =>
    Effect.gen(function* () {
      const driver = yield* driverIn
      const ports = yield* portsOver(driver, sealerOf("new"))
      yield* places(ports)
      const kept = JSON.stringify(yield* keptBy(driver))
      for (const secret of ["token=a", "the secret of", "services/c"]) assert.notInclude(kept, secret)
      assert.include(kept, "ada@example.com")
      assert.deepStrictEqual(yield* ports.subscriptions.list(ref), [subscription("a"), subscription("b")])
      const notifiers = yield* ports.notifiers.list(ref)
      assert.deepStrictEqual(
        notifiers.map((each) => each.notifier),
        [notifier("c", "Slack"), notifier("d", "Email")]
      )
      assert.deepStrictEqual(yield* ports.renew, { renewed: 0, unknown: [] })
    }).pipe(Effect.scoped)
  )

  it.effect("the secret of a notifier of several repositories is sealed and renewed like that of one", () =>
    Effect.gen(function* () {
      const driver = yield* driverIn
      const wide = { ...notifier("e", "Slack"), repositories: ["acme/*"] }
      const plain = yield* portsOver(driver, none)
      yield* plain.wide.insert(wide, [], 0)
      assert.include(JSON.stringify(yield* wideIn(driver)), "services/e")
      const ports = yield* portsOver(driver, sealerOf("new"))
      assert.deepStrictEqual(yield* ports.renew, { renewed: 1, unknown: [] })
      assert.notInclude(JSON.stringify(yield* wideIn(driver)), "services/e")
      assert.deepStrictEqual((yield* ports.wide.list)[0]?.notifier, wide)
      assert.deepStrictEqual(yield* ports.renew, { renewed: 0, unknown: [] })
      assert.deepStrictEqual(yield* (yield* portsOver(driver, none)).renew, { renewed: 0, unknown: ["new"] })
    }).pipe(Effect.scoped)
  )

  it.effect("plain secrets and those of an older key are read, and renewed with their progress, once", () =>
    Effect.gen(function* () {
      const driver = yield* driverIn
      const plain = yield* portsOver(driver, none)
      yield* places(plain)
      const old = yield* portsOver(driver, sealerOf("old"))
      assert.deepStrictEqual(yield* old.subscriptions.list(ref), [subscription("a"), subscription("b")])
      assert.deepStrictEqual(yield* old.renew, { renewed: 3, unknown: [] })
      const before = yield* keptBy(driver)
      const both = yield* portsOver(driver, sealerOf("new", "old"))
      assert.deepStrictEqual(yield* both.subscriptions.list(ref), [subscription("a"), subscription("b")])
      assert.deepStrictEqual(yield* both.renew, { renewed: 3, unknown: [] })
      assert.deepStrictEqual(yield* both.renew, { renewed: 0, unknown: [] })
      const after = yield* keptBy(driver)
      assert.deepStrictEqual(
        after.map(({ attempts, id, position }) => ({ attempts, id, position })),
        before.map(({ attempts, id, position }) => ({ attempts, id, position }))
      )
      const only = yield* portsOver(driver, sealerOf("new"))
      assert.deepStrictEqual(yield* only.subscriptions.list(ref), [subscription("a"), subscription("b")])
    }).pipe(Effect.scoped)
  )

  it.effect("a secret of an unknown key is kept unchanged when its record is written, and the key is named", () =>
    Effect.gen(function* () {
      const driver = yield* driverIn
      yield* places(yield* portsOver(driver, sealerOf("old")))
      const before = yield* keptBy(driver)
      for (const other of [yield* portsOver(driver, sealerOf("other")), yield* portsOver(driver, none)]) {
        assert.deepStrictEqual(yield* other.renew, { renewed: 0, unknown: ["old"] })
        assert.deepStrictEqual(yield* keptBy(driver), before)
      }
    }).pipe(Effect.scoped)
  )

  it.effect("a sealed secret that is copied to another record, field or repository is not opened there", () =>
    Effect.gen(function* () {
      const driver = yield* driverIn
      const ports = yield* portsOver(driver, sealerOf("new"))
      yield* places(ports)
      yield* driver.transact("test", ref, null, (transaction) =>
        Effect.gen(function* () {
          const [a, b] = yield* transaction.select(Rows.subscriptions, { where: [], order: ["id"] })
          if (a === undefined || b === undefined) return
          yield* transaction.put(Rows.subscriptions, [{ ...a, secret: b.secret, url: a.secret }])
        })
      )
      const [swapped] = yield* ports.subscriptions.list(ref)
      assert.isTrue(Sealer.isSealed(swapped?.secret ?? ""))
      assert.isTrue(Sealer.isSealed(swapped?.url ?? ""))
      assert.deepStrictEqual((yield* ports.subscriptions.list(ref))[1], subscription("b"))
    }).pipe(Effect.scoped)
  )
})
