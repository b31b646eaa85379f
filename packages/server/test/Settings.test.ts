import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Option, Redacted } from "effect"
import * as Settings from "../src/Settings.ts"

const load = (environment: Readonly<Record<string, string>>) =>
  Effect.provide(Settings.load, ConfigProvider.layer(ConfigProvider.fromEnvRecord(environment)))

describe("the settings", () => {
  it.effect("are these where nothing is set, or set to nothing", () =>
    Effect.gen(function* () {
      const defaults: Settings.Settings = {
        host: "127.0.0.1",
        port: 4180,
        storage: { _tag: "Embedded", folder: "./data" },
        dataFolder: "./data",
        adminKey: Option.none(),
        publicUrl: null,
        gitHubApiUrl: null,
        gitHubWebhookSecret: Option.none()
      }
      assert.deepStrictEqual(yield* load({}), defaults)
      const empty = {
        HOST: "",
        PORT: " ",
        LAZARET_STORE: "",
        LAZARET_DATA_DIR: "",
        LAZARET_ADMIN_KEY: "",
        DATABASE_URL: ""
      }
      assert.deepStrictEqual(yield* load(empty), defaults)
    })
  )

  it.effect("are what is set", () =>
    Effect.gen(function* () {
      const { adminKey, gitHubWebhookSecret, ...settings } = yield* load({
        HOST: "::",
        PORT: "0",
        LAZARET_STORE: "memory",
        LAZARET_DATA_DIR: "/var/lib/lazaret",
        LAZARET_ADMIN_KEY: "a-key",
        LAZARET_PUBLIC_URL: "https://tests.example.com/lazaret/",
        LAZARET_GITHUB_API_URL: "https://api.github.com",
        LAZARET_GITHUB_WEBHOOK_SECRET: "a secret"
      })
      assert.deepStrictEqual(settings, {
        host: "::",
        port: 0,
        storage: { _tag: "Memory" },
        dataFolder: "/var/lib/lazaret",
        publicUrl: "https://tests.example.com/lazaret",
        gitHubApiUrl: "https://api.github.com"
      })
      assert.deepStrictEqual(Option.map(adminKey, Redacted.value), Option.some("a-key"))
      assert.deepStrictEqual(Option.map(gitHubWebhookSecret, Redacted.value), Option.some("a secret"))
    })
  )

  const refused: ReadonlyArray<readonly [string, string]> = [
    ["PORT", "x"],
    ["PORT", "65536"],
    ["PORT", "-1"],
    ["PORT", "80.5"],
    ["LAZARET_STORE", "redis"],
    ["LAZARET_STORE", "Memory"],
    ["LAZARET_STORE", "postgres"],
    ["DATABASE_URL", "localhost/lazaret"],
    ["DATABASE_URL", "mysql://localhost/lazaret"],
    ["LAZARET_ADMIN_KEY", "two words"],
    ["LAZARET_PUBLIC_URL", "tests.example.com"],
    ["LAZARET_PUBLIC_URL", "https://tests.example.com/?a=1"],
    ["LAZARET_GITHUB_API_URL", "ftp://api.github.com"]
  ]
  for (const [name, value] of refused) {
    it.effect(`refuse ${name}=${value} in one line that names it`, () =>
      Effect.gen(function* () {
        const failure = yield* Effect.flip(load({ [name]: value }))
        assert.strictEqual(failure.exitCode, 3)
        assert.include(failure.message, name)
        assert.notInclude(failure.message, "\n")
      })
    )
  }

  it.effect(
    "keep data in the database that is named, else in the data folder, and in memory only where that is asked for",
    () =>
      Effect.gen(function* () {
        const url = "postgres://ada:secret@db.example.com/lazaret"
        const storages: ReadonlyArray<readonly [Readonly<Record<string, string>>, string]> = [
          [{ DATABASE_URL: url }, "Postgres"],
          [{ DATABASE_URL: url, LAZARET_STORE: "postgres" }, "Postgres"],
          [{ DATABASE_URL: url, LAZARET_STORE: "embedded" }, "Embedded"],
          [{ DATABASE_URL: url, LAZARET_STORE: "memory" }, "Memory"]
        ]
        for (const [environment, tag] of storages) assert.strictEqual((yield* load(environment)).storage._tag, tag)
        const { storage } = yield* load({ DATABASE_URL: url })
        assert.strictEqual(storage._tag === "Postgres" && Redacted.value(storage.url), url)
        assert.deepStrictEqual((yield* load({ LAZARET_DATA_DIR: "/srv/facts" })).storage, {
          _tag: "Embedded",
          folder: "/srv/facts"
        })
      })
  )

  it.effect("never show the key or the password that was refused", () =>
    Effect.gen(function* () {
      const failure = yield* Effect.flip(load({ LAZARET_ADMIN_KEY: "my secret" }))
      assert.notInclude(failure.message, "secret")
      const database = yield* Effect.flip(load({ DATABASE_URL: "mysql://ada:secret@localhost/lazaret" }))
      assert.notInclude(database.message, "secret")
    })
  )
})
