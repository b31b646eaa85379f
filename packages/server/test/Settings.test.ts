import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Option, Redacted } from "effect"
import * as Settings from "../src/Settings.ts"

const load = (environment: Readonly<Record<string, string>>) =>
  Effect.provide(Settings.load, ConfigProvider.layer(ConfigProvider.fromEnvRecord(environment)))

describe("the settings", () => {
  it.effect("are these where nothing is set, or set to nothing", () =>
    Effect.gen(function* () {
      const defaults = {
        host: "127.0.0.1",
        port: 4180,
        store: "memory",
        dataFolder: "./data",
        adminKey: Option.none(),
        publicUrl: null,
        gitHubApiUrl: null,
        gitHubWebhookSecret: Option.none()
      }
      assert.deepStrictEqual(yield* load({}), { ...defaults, store: "memory" })
      const empty = {
        HOST: "",
        PORT: " ",
        LAZARET_STORE: "",
        LAZARET_DATA_DIR: "",
        LAZARET_ADMIN_KEY: "",
        DATABASE_URL: ""
      }
      assert.deepStrictEqual(yield* load(empty), { ...defaults, store: "memory" })
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
        store: "memory",
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
    ["LAZARET_STORE", "embedded"],
    ["LAZARET_STORE", "postgres"],
    ["DATABASE_URL", "postgres://localhost/lazaret"],
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

  it.effect("never show the key that was refused", () =>
    Effect.gen(function* () {
      const failure = yield* Effect.flip(load({ LAZARET_ADMIN_KEY: "my secret" }))
      assert.notInclude(failure.message, "secret")
    })
  )
})
