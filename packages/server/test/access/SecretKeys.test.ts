import { generateKeyPairSync, randomBytes } from "node:crypto"
import { mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { test } from "@lazaret/tools/steps"
import { Driver, MemoryDriver, Rows, Sealer, Stores, SubscriptionStore } from "@lazaret/store"
import { Context, Effect, Exit, Layer, Logger, Redacted } from "effect"
import * as AppFile from "../../src/platform/AppFile.ts"
import * as SecretKeys from "../../src/access/SecretKeys.ts"

const keyOf = () => randomBytes(32).toString("base64")

const newFolder = () => mkdtempSync(join(tmpdir(), "lazaret-secrets-"))

type Settings = SecretKeys.SecretSettings

const embedded = (folder: string): Settings => ({ secretKey: null, storage: { _tag: "Embedded", folder } })

const withKeys = (...keys: ReadonlyArray<string>): Settings => ({
  secretKey: Redacted.make(keys.join("\n")),
  storage: { _tag: "Memory" }
})

const postgres: Settings = { secretKey: null, storage: { _tag: "Postgres", url: Redacted.make("postgres://x") } }

const sealerOf = (settings: Settings) =>
  Effect.provide(Sealer.Sealer, Layer.fresh(SecretKeys.layer(settings)).pipe(Layer.provide(NodeServices.layer)))

/** Starts a server as far as secrets go, over a driver that outlives it; yields its webhooks, and what it has logged. */
const started = Effect.fnUntraced(function* (driver: Driver["Service"], settings: Settings) {
  const log: Array<string> = []
  const stores = Layer.fresh(Stores.layer).pipe(Layer.provide(Layer.succeed(Driver, driver)))
  const context = yield* Layer.build(
    Layer.fresh(SecretKeys.start(settings)).pipe(
      Layer.provideMerge(stores),
      Layer.provide(Layer.fresh(SecretKeys.layer(settings))),
      Layer.provide([NodeServices.layer, Logger.layer([Logger.map(Logger.formatJson, (line) => void log.push(line))])])
    )
  )
  return { webhooks: Context.get(context, SubscriptionStore), log }
})

const ref = { owner: "acme", repository: "widgets" }

const webhook = {
  id: "a",
  url: "https://example.com/hook?token=t0ken",
  secret: "the secret of a webhook",
  types: [],
  createdAt: 5,
  createdBy: "key 1"
}

const { privateKey } = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
  publicKeyEncoding: { type: "spki", format: "pem" }
})

const app: AppFile.KeptApp = {
  apiUrl: "https://api.github.com",
  app: { id: 7, name: "Lazaret", owner: "acme", url: "https://github.com/apps/lazaret" },
  privateKey: Redacted.make(privateKey),
  webhookSecret: Redacted.make("the secret of the app"),
  client: { clientId: "Iv23", clientSecret: Redacted.make("the secret of the client") }
}

const messageOf = (exit: Exit.Exit<unknown, unknown>): string =>
  Exit.isFailure(exit) ? JSON.stringify(exit.cause) : assert.fail("it must fail")

describe("the keys of secrets at rest", () => {
  test("the embedded storage makes a key at its first start, which only this user can read, and keeps it", function* () {
    const folder = newFolder()
    const first = yield* sealerOf(embedded(folder))
    const path = join(folder, SecretKeys.fileName)
    assert.strictEqual(statSync(path).mode & 0o777, 0o600)
    const again = yield* sealerOf(embedded(folder))
    assert.strictEqual(again.open(first.seal("secret", "place"), "place"), "secret")
    writeFileSync(path, "damaged")
    const message = messageOf(yield* Effect.exit(sealerOf(embedded(folder))))
    assert.include(message, "does not hold keys of 32 bytes")
    assert.notInclude(message, "damaged")
  })

  it.effect(
    "a start encrypts plain secrets, a rotation re-encrypts those of an older key, and a foreign key stops the start",
    () =>
      Effect.gen(function* () {
        const driver = Context.get(yield* Layer.build(Layer.fresh(MemoryDriver.layer)), Driver)
        const plain = yield* started(driver, postgres)
        assert.include(plain.log.join("\n"), "LAZARET_SECRET_KEY_FILE is not set")
        yield* plain.webhooks.insert(ref, webhook)
        const kept = Effect.map(driver.scan("test", Rows.subscriptions, []), (rows) => JSON.stringify(rows))
        assert.include(yield* kept, "t0ken")
        const [old, next, other] = [keyOf(), keyOf(), keyOf()]
        for (const keys of [[old], [next, old], [next]]) {
          const server = yield* started(driver, withKeys(...keys))
          assert.deepStrictEqual(yield* server.webhooks.list(ref), [webhook])
          for (const secret of ["t0ken", "the secret of"]) assert.notInclude((yield* kept) + server.log.join(), secret)
        }
        for (const settings of [withKeys(other), withKeys(old), postgres]) {
          const message = messageOf(yield* Effect.exit(started(driver, settings)))
          assert.include(message, "encrypted with a key that this server does not have")
          for (const secret of [other, old, "t0ken"]) assert.notInclude(message, secret)
        }
        assert.deepStrictEqual(yield* (yield* started(driver, withKeys(next))).webhooks.list(ref), [webhook])
      }).pipe(Effect.scoped)
  )

  test("the file of a GitHub App is sealed, also one that was kept without a key, and another key stops the start", function* () {
    const folder = newFolder()
    const path = join(folder, "github-app.json")
    const reading = (settings: Settings) =>
      AppFile.read(folder).pipe(
        Effect.provide(Layer.fresh(SecretKeys.layer(settings)).pipe(Layer.provideMerge(NodeServices.layer)))
      )
    yield* Effect.scoped(Effect.flatMap(AppFile.draft(folder), ({ keep }) => keep(app))).pipe(
      Effect.provide(NodeServices.layer)
    )
    assert.include(readFileSync(path, "utf8"), "the secret of the app")
    const [key, next] = [keyOf(), keyOf()]
    for (const keys of [[key], [next, key], [next]]) {
      assert.deepStrictEqual(yield* reading(withKeys(...keys)), app)
      const text = readFileSync(path, "utf8")
      for (const secret of ["the secret of", "PRIVATE KEY"]) assert.notInclude(text, secret)
      assert.strictEqual(statSync(path).mode & 0o777, 0o600)
    }
    for (const settings of [withKeys(key), postgres]) {
      assert.include(messageOf(yield* Effect.exit(reading(settings))), "is encrypted with a key that this server")
    }
  })
})
