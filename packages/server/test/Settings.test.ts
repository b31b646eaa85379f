import { generateKeyPairSync } from "node:crypto"
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { test } from "@lazaret/tools/steps"
import { ConfigProvider, Effect, Option, Redacted, Result, Schema } from "effect"
import * as Settings from "../src/Settings.ts"
import * as Reference from "../src/settings/Reference.ts"
import { table } from "../src/settings/Table.ts"

const load = (environment: Readonly<Record<string, string>>, configFile: string | null = null) =>
  Effect.provide(Settings.load(Option.fromNullOr(configFile)), [
    ConfigProvider.layer(ConfigProvider.fromEnvRecord(environment)),
    NodeServices.layer
  ])

const faultsOf = (environment: Readonly<Record<string, string>>, configFile: string | null = null) =>
  Effect.map(Effect.flip(load(environment, configFile)), ({ message }) => message)

const folder = mkdtempSync(join(tmpdir(), "lazaret-settings-"))

/** A file with this content. */
const file = (name: string, ...lines: ReadonlyArray<string>): string => {
  const path = join(folder, name)
  writeFileSync(path, lines.join("\n"))
  return path
}

describe("Settings", () => {
  test("a setting that is not set, or set to nothing, has its default", function* () {
    const { host, port, storage } = Settings.defaults
    assert.deepStrictEqual([host, port, storage], ["127.0.0.1", 4180, { _tag: "Embedded", folder: "./data" }])
    assert.deepStrictEqual(yield* load({}), Settings.defaults)
    const empty = {
      HOST: "",
      PORT: " ",
      LAZARET_STORE: "",
      LAZARET_DATA_DIR: "",
      LAZARET_ADMIN_KEY: "",
      DATABASE_URL: ""
    }
    assert.deepStrictEqual(yield* load(empty), Settings.defaults)
  })

  test("a setting that is set has its decoded value", function* () {
    const { adminKey: _key, gitHubWebhookSecret: _secret, ...others } = Settings.defaults
    const { adminKey, gitHubWebhookSecret, ...settings } = yield* load({
      HOST: "::",
      PORT: "0",
      LAZARET_STORE: "memory",
      LAZARET_DATA_DIR: "/var/lib/lazaret",
      LAZARET_ADMIN_KEY: "an-admin-key-of-24-chars",
      LAZARET_PUBLIC_URL: "https://tests.example.com/lazaret/",
      LAZARET_GITHUB_API_URL: "https://api.github.com",
      LAZARET_GITHUB_WEBHOOK_SECRET: "a secret"
    })
    assert.deepStrictEqual(settings, {
      ...others,
      host: "::",
      port: 0,
      storage: { _tag: "Memory" },
      dataFolder: "/var/lib/lazaret",
      publicUrl: "https://tests.example.com/lazaret",
      gitHub: { apiUrl: "https://api.github.com", credentials: { _tag: "None" }, isPaced: true }
    })
    assert.deepStrictEqual(Option.map(adminKey, Redacted.value), Option.some("an-admin-key-of-24-chars"))
    assert.deepStrictEqual(Option.map(gitHubWebhookSecret, Redacted.value), Option.some("a secret"))
  })

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
    ["LAZARET_ADMIN_KEY", "two words, and long enough"],
    ["LAZARET_ADMIN_KEY", "fifteen-letters"],
    ["LAZARET_ADMIN_KEY", "ein-schlüssel-mit-umlaut"],
    ["LAZARET_METRICS_TOKEN", "scrape"],
    ["LAZARET_PUBLIC_URL", "tests.example.com"],
    ["LAZARET_PUBLIC_URL", "https://tests.example.com/?a=1"],
    ["LAZARET_LOG_LEVEL", "loud"],
    ["LAZARET_TRUSTED_PROXIES", "10.0.0.0/8,proxy"],
    ["LAZARET_TRUSTED_PROXIES", "10.0.0.0/40"],
    ["LAZARET_SHUTDOWN_SECONDS", "1e3"],
    ["OTEL_EXPORTER_OTLP_HEADERS", "a=1,b"],
    ["LAZARET_GITHUB_API_URL", "ftp://api.github.com"],
    ["LAZARET_REDACT", "ACME-[0-9]+ ("],
    ["LAZARET_MAIL_FROM", "lazaret"],
    ["LAZARET_MAIL_FROM", "Lazaret <lazaret@example.com"],
    ["LAZARET_MAIL_FROM", "a@example.com, b@example.com"],
    ["LAZARET_SMTP_URL", "mail.example.com:587"]
  ]
  for (const [name, value] of refused) {
    test(`${name}=${value} is refused in one line that names the setting`, function* () {
      const failure = yield* Effect.flip(load({ [name]: value }))
      assert.strictEqual(failure.exitCode, 3)
      assert.include(failure.message, name)
      assert.notInclude(failure.message, "\n")
    })
  }

  test("data is kept in the database of DATABASE_URL, else in the data folder; in memory only on request", function* () {
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

  const { privateKey } = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    privateKeyEncoding: { type: "pkcs1", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" }
  })

  test("the server acts at GitLab with a token, or only reads; not at GitHub and GitLab at once", function* () {
    const token = { LAZARET_GITLAB_TOKEN: "glpat-0123456789abcdef" }
    const groups = { LAZARET_GITLAB_GROUPS: "backend=acme/platform/backend" }
    assert.strictEqual((yield* load(groups)).gitLab, null)
    const { gitLab } = yield* load({ ...token, ...groups })
    assert.deepInclude(gitLab, {
      url: "https://gitlab.com",
      groups: new Map([["backend", "acme/platform/backend"]]),
      statuses: true
    })
    assert.strictEqual((yield* load({ ...token, LAZARET_GITLAB_STATUS: "off" })).gitLab?.statuses, false)
    const reader = (yield* load({ LAZARET_GITLAB_URL: "https://git.acme.test/" })).gitLab
    assert.deepInclude(reader, { url: "https://git.acme.test", token: null })
    const both = yield* faultsOf({ ...token, LAZARET_GITHUB_TOKEN: "ghp_0123456789abcdef" })
    assert.match(both, /connected to GitHub and to GitLab/)
    assert.match(
      yield* faultsOf({ LAZARET_GITLAB_WEBHOOK_SECRET: "short" }),
      /LAZARET_GITLAB_WEBHOOK_SECRET cannot be used/
    )
    assert.match(yield* faultsOf({ LAZARET_GITLAB_GROUPS: "a=b,a=c" }), /each owner and each group once/)
  })

  test("the server acts at GitHub as an app, with a token, or only reads", function* () {
    const app = {
      LAZARET_GITHUB_APP_ID: "12",
      LAZARET_GITHUB_APP_PRIVATE_KEY_FILE: file("app.pem", privateKey)
    }
    const token = { LAZARET_GITHUB_TOKEN: "ghp_0123456789abcdef" }
    assert.strictEqual((yield* load({})).gitHub, null)
    for (const [environment, tag] of [[app, "App"] as const, [token, "Token"] as const]) {
      const { gitHub } = yield* load(environment)
      assert.deepStrictEqual([gitHub?.apiUrl, gitHub?.credentials._tag], ["https://api.github.com", tag])
    }
    assert.match(yield* faultsOf({ ...app, ...token }), /remove the token/)
    assert.match(yield* faultsOf({ LAZARET_GITHUB_APP_ID: "12" }), /LAZARET_GITHUB_APP_PRIVATE_KEY_FILE/)
    assert.match(yield* faultsOf({ LAZARET_GITHUB_APP_PRIVATE_KEY: privateKey }), /without LAZARET_GITHUB_APP_ID/)
  })

  test("a mail server and the address that e-mails come from are set together", function* () {
    const url = { LAZARET_SMTP_URL: "smtp://mail.example.com:587" }
    for (const from of ["lazaret@example.com", "Lazaret <lazaret@example.com>", "<lazaret@example.com>"]) {
      assert.match(yield* faultsOf({ LAZARET_MAIL_FROM: from }), /set both LAZARET_SMTP_URL and LAZARET_MAIL_FROM/)
      assert.strictEqual((yield* load({ ...url, LAZARET_MAIL_FROM: from })).mailFrom, from)
    }
    assert.match(yield* faultsOf(url), /LAZARET_MAIL_FROM/)
  })

  test("an invalid private key is refused, and the message does not show it", function* () {
    const message = yield* faultsOf({
      LAZARET_GITHUB_APP_ID: "12",
      LAZARET_GITHUB_APP_PRIVATE_KEY_FILE: file("damaged.pem", privateKey.slice(0, 400))
    })
    assert.match(message, /LAZARET_GITHUB_APP_PRIVATE_KEY cannot be used: it is not an RSA private key/)
    assert.notInclude(message, privateKey.slice(40, 80))
  })

  test("the message about a refused secret does not show it", function* () {
    const failure = yield* Effect.flip(load({ LAZARET_ADMIN_KEY: "my secret" }))
    assert.notInclude(failure.message, "secret")
    const database = yield* Effect.flip(load({ DATABASE_URL: "mysql://ada:secret@localhost/lazaret" }))
    assert.notInclude(database.message, "secret")
  })

  it.effect.prop(
    "every text is decoded or refused in a message that names the setting, and shows it unless it is a secret",
    [Schema.Literals(Object.values(table).map(({ name }) => name)), Schema.String],
    ([name, text]) =>
      Effect.gen(function* () {
        const isSecret = Object.values(table).some((setting) => setting.name === name && setting.isSecret)
        const value = `zq${text}`
        const outcome = yield* Effect.result(load({ [name]: value }))
        if (Result.isSuccess(outcome)) return
        assert.include(outcome.failure.message, name)
        // A value that is right alone may lack another setting: that fault is not about the value.
        const isOfValue = outcome.failure.message.startsWith(`${name} is "`)
        const isShown = outcome.failure.message.includes(JSON.stringify(value))
        assert.isTrue(isSecret ? !isShown : isShown === isOfValue)
        assert.isFalse(isSecret && outcome.failure.message.includes(value))
      })
  )

  test("the environment comes before the configuration file", function* () {
    const path = file(
      "all.env",
      "# Our server",
      "",
      "PORT=5000",
      "HOST = '0.0.0.0' # every address",
      'LAZARET_DATA_DIR="/srv/our facts"',
      "LAZARET_ADMIN_KEY="
    )
    const settings = yield* load({ PORT: "6000", LAZARET_CONFIG_FILE: "/nowhere" }, path)
    assert.strictEqual(settings.port, 6000)
    assert.strictEqual(settings.host, "0.0.0.0")
    assert.strictEqual(settings.dataFolder, "/srv/our facts")
    assert.deepStrictEqual(settings.adminKey, Option.none())
    assert.strictEqual((yield* load({ LAZARET_CONFIG_FILE: path })).port, 5000)
  })

  test("every fault is listed, each with its place", function* () {
    const path = file(
      "bad.env",
      "PORT=x",
      "LAZARET_PUBLIC_ULR=https://a.example",
      "PORT 80",
      "HOST=a",
      "HOST=b",
      'A="b'
    )
    const message = yield* faultsOf({ LAZARET_STORE: "redis" }, path)
    assert.deepStrictEqual(message.split("\n"), [
      "6 settings are wrong:",
      `  - ${path}:3: write a line as NAME=value.`,
      `  - ${path}:5: HOST is set already at ${path}:4.`,
      `  - ${path}:6: the quote of A does not end.`,
      `  - ${path}:2: LAZARET_PUBLIC_ULR is not a setting of Lazaret: did you mean LAZARET_PUBLIC_URL?`,
      `  - ${path}:1: PORT is "x": set it to a number from 0 to 65535, such as 4180.`,
      '  - LAZARET_STORE is "redis": set it to embedded, postgres or memory.'
    ])
  })

  test("an unknown variable that begins with LAZARET_ is refused, with the name that was probably meant", function* () {
    assert.include(yield* faultsOf({ LAZARET_DATADIR: "/srv" }), "did you mean LAZARET_DATA_DIR?")
    assert.include(yield* faultsOf({ LAZARET_COLOUR: "red" }), "`lazaret serve --help` lists")
    yield* load({
      LAZARET_URL: "http://a.example",
      LAZARET_TOKEN: "t",
      OTHER: "1",
      LAZARETTO: "1",
      LAZARET_COLOUR: ""
    })
  })

  it.effect("the variables that Kubernetes sets for a service named lazaret are ignored", () =>
    load({
      LAZARET_PORT: "tcp://10.0.0.1:4180",
      LAZARET_PORT_4180_TCP: "tcp://10.0.0.1:4180",
      LAZARET_PORT_4180_TCP_PORT: "4180",
      LAZARET_SERVICE_HOST: "10.0.0.1",
      LAZARET_DB_SERVICE_PORT_HTTP: "80"
    })
  )

  test("a secret is read from the file of its _FILE variable, without the line break at its end", function* () {
    const path = file("key", "an-admin-key-of-24-chars", "")
    const key = (settings: Settings.Settings) => Option.map(settings.adminKey, Redacted.value)
    assert.deepStrictEqual(key(yield* load({ LAZARET_ADMIN_KEY_FILE: path })), Option.some("an-admin-key-of-24-chars"))
    const config = file("secret.env", `LAZARET_ADMIN_KEY_FILE=${path}`)
    assert.deepStrictEqual(key(yield* load({}, config)), Option.some("an-admin-key-of-24-chars"))
    assert.deepStrictEqual(
      key(yield* load({ LAZARET_ADMIN_KEY: "another-admin-key" }, config)),
      Option.some("another-admin-key")
    )
    assert.include(yield* faultsOf({ LAZARET_ADMIN_KEY: "a", LAZARET_ADMIN_KEY_FILE: path }), "remove one of them")
    assert.include(yield* faultsOf({ LAZARET_ADMIN_KEY_FILE: join(folder, "none") }), "cannot be read (NotFound)")
    assert.include(yield* faultsOf({ LAZARET_ADMIN_KEY_FILE: file("empty", "") }), "which is empty")
    assert.include(
      yield* faultsOf({ PORT_FILE: path, LAZARET_STORE_FILE: path }),
      "LAZARET_STORE_FILE is not a setting"
    )
  })

  test("a configuration file that does not exist is refused", function* () {
    assert.include(
      yield* faultsOf({}, "/nowhere/a.env"),
      "The configuration file /nowhere/a.env cannot be read (NotFound)"
    )
  })

  it("the reference page and the help list every setting", () => {
    const page = readFileSync(new URL("../../../docs/reference/configuration.md", import.meta.url), "utf8")
    assert.include(page, `\n${Reference.markdown}\n`, "npm run reference writes the table")
    for (const { name } of Object.values(table)) assert.include(Reference.help, `  ${name}`)
  })
})
