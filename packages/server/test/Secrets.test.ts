import { createHmac, generateKeyPairSync, randomBytes } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { stepsOf } from "@lazaret/tools/steps"
import { Driver, MemoryDriver, Rows, Sealer, type Table } from "@lazaret/store"
import { Context, Effect, Layer, Logger, Option, Redacted, References } from "effect"
import { HttpServer } from "effect/http"
import * as Server from "../src/Server.ts"
import type { Settings } from "../src/Settings.ts"
import { freePort } from "./browser.ts"
import { settings } from "./settings.ts"

const random = (kind: string) => `${kind}-${randomBytes(18).toString("hex")}`

const { privateKey } = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  publicKeyEncoding: { type: "spki", format: "pem" },
  privateKeyEncoding: { type: "pkcs8", format: "pem" }
})

/** The secrets that the server is given, by kind. */
const given = {
  "the first admin key": random("lzr_admin"),
  "the key of secrets at rest": randomBytes(32).toString("base64"),
  "the token of metrics": random("metrics"),
  "the password of the mail server": random("smtp"),
  "the client secret of the provider": random("client"),
  "the secret of GitHub's webhook": random("github"),
  "the private key of the app": privateKey.split("\n")[3] ?? privateKey
}

class Running extends Context.Service<
  Running,
  {
    readonly url: string
    readonly log: Array<string>
    /** The rows of every table, as the engine keeps them. */
    readonly rows: Effect.Effect<string>
  }
>()("test/Running") {}

const settingsAt = (port: number, nobody: string): Settings => ({
  ...settings,
  port,
  publicUrl: `http://127.0.0.1:${port}`,
  secretKey: Redacted.make(given["the key of secrets at rest"]),
  metricsToken: Redacted.make(given["the token of metrics"]),
  smtpUrl: Redacted.make(`smtp://lazaret:${given["the password of the mail server"]}@${nobody}`),
  mailFrom: "lazaret@example.com",
  webhookTargets: "any",
  signIn: {
    issuer: `http://${nobody}`,
    title: "Example ID",
    clientId: "lazaret",
    clientSecret: Redacted.make(given["the client secret of the provider"]),
    scopes: "openid",
    groupsClaim: "groups",
    roles: [],
    domains: null
  },
  gitHub: {
    apiUrl: `http://${nobody}`,
    isPaced: false,
    credentials: { _tag: "App", appId: 1, privateKey: Redacted.make(privateKey) }
  },
  gitHubWebhookSecret: Option.some(Redacted.make(given["the secret of GitHub's webhook"]))
})

/** Every table holds objects; the list of them has forgotten which. */
const tables = Rows.all as ReadonlyArray<Table<object>>

const rowsOf = (driver: Driver["Service"]) =>
  Effect.map(
    Effect.forEach(tables, (table) =>
      Effect.map(
        table.scope === "store"
          ? driver.read("test", null, (view) => view.select(table, { where: [], order: [] }))
          : Effect.map(driver.scan("test", table, []), (found) => found.map(({ row }) => row)),
        (rows) => ({ table: table.name, rows })
      )
    ),
    (all) => JSON.stringify(all)
  ).pipe(Effect.orDie)

/** A server in memory whose provider, hosting platform, mail server and receivers do not answer. */
const running = Layer.effect(
  Running,
  Effect.gen(function* () {
    const log: Array<string> = []
    const port = yield* freePort
    const nobody = `127.0.0.1:${yield* freePort}`
    const logger = Logger.layer([Logger.map(Logger.formatJson, (line) => void log.push(line))])
    // The server uses the same driver: a layer is built once.
    const server = yield* Layer.build(
      Layer.mergeAll(
        Server.layer(settingsAt(port, nobody), Redacted.make(given["the first admin key"])),
        MemoryDriver.layer
      ).pipe(Layer.provide([logger, Layer.succeed(References.MinimumLogLevel, "All")]))
    )
    return {
      url: Server.urlOf(Context.get(server, HttpServer.HttpServer)),
      log,
      rows: rowsOf(Context.get(server, Driver))
    }
  })
)

const base = "/v1/ci/acme/repositories/widgets"

const json = { "content-type": "application/json" }

/** Asks a server as the first admin, or with other headers; yields the status and the text. */
const asking =
  (url: string) =>
  async (method: string, path: string, body?: unknown, headers: object = {}) => {
    const answer = await fetch(`${url}${path}`, {
      method,
      redirect: "manual",
      headers: { authorization: `Bearer ${given["the first admin key"]}`, ...json, ...headers },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) })
    })
    return { status: answer.status, text: await answer.text(), cookie: answer.headers.get("set-cookie") ?? "" }
  }

type Ask = ReturnType<typeof asking>

/** Makes the secrets that the server hands out or is sent, and uses each; yields them by kind. */
const madeWith = async (ask: Ask, url: string): Promise<Readonly<Record<string, string>>> => {
  const made = {
    "the secret of a webhook": random("webhook"),
    "the token in the address of a webhook": random("target"),
    "the address of Slack": random("slack"),
    "the address of Slack of several repositories": random("wide"),
    "a token of the hosting platform": random("ghp"),
    "a token of a CI system": `eyJhbGciOiJSUzI1NiJ9.${Buffer.from(`{"iss":"${random("ci")}"}`).toString("base64url")}.c2ln`,
    "a mistyped key": random("lzr_admin")
  }
  const receiver = "http://127.0.0.1:9"
  await ask("POST", `${base}/webhooks`, {
    url: `${receiver}/hook?token=${made["the token in the address of a webhook"]}`,
    secret: made["the secret of a webhook"]
  })
  const slack = (name: keyof typeof made) => ({ channel: { kind: "slack", url: `${receiver}/services/${made[name]}` } })
  const narrow = await ask("POST", `${base}/notifiers`, slack("the address of Slack"))
  const wide = await ask("POST", "/v1/notifiers", {
    ...slack("the address of Slack of several repositories"),
    repositories: ["acme/*"]
  })
  const mail = await ask("POST", `${base}/notifiers`, { channel: { kind: "email", to: ["ada@example.com"] } })
  for (const [path, { text }] of [
    [`${base}/notifiers`, narrow],
    ["/v1/notifiers", wide],
    [`${base}/notifiers`, mail]
  ] as const) {
    assert.strictEqual((await ask("POST", `${path}/${JSON.parse(text).id}/test`)).status, 409)
  }
  const key = JSON.parse((await ask("POST", "/v1/application-keys", { name: "ci", scope: "ci", owner: "acme" })).text)
  const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` })
  assert.strictEqual((await ask("GET", "/v1/application", undefined, bearer(key.secret))).status, 200)
  await ask("POST", `${base}/quarantines`, { test_name: "a", reason: "flaky" }, bearer(key.secret))
  const link = JSON.parse((await ask("POST", "/v1/sign-in-links")).text)
  const code = new URL(link.url).hash.slice(1)
  const open = JSON.parse((await ask("POST", "/v1/sign-in-links")).text)
  const same = { "sec-fetch-site": "same-origin", origin: url, authorization: "" }
  const signedIn = await ask("POST", "/session", { code }, same)
  assert.strictEqual(signedIn.status, 200, signedIn.text)
  assert.strictEqual((await ask("POST", "/session", { code }, same)).status, 403, "the second use")
  const session = /lazaret_session=([^;]+)/u.exec(signedIn.cookie)?.[1] ?? ""
  for (const secret of [
    made["a token of the hosting platform"],
    made["a token of a CI system"],
    made["a mistyped key"]
  ]) {
    await ask("GET", `${base}/tests`, undefined, bearer(secret))
    await ask("POST", "/session", { key: secret }, same)
  }
  await ask("GET", "/sign-in/with-provider")
  await ask("GET", "/sign-in/callback?code=x&state=y")
  const delivery = JSON.stringify({ zen: "z" })
  const signed = createHmac("sha256", given["the secret of GitHub's webhook"]).update(delivery).digest("hex")
  for (const each of ["0", signed]) {
    const headers = { "x-github-event": "ping", "x-hub-signature-256": `sha256=${each}` }
    await ask("POST", "/v1/webhooks/github", delivery, headers)
  }
  await ask("GET", "/metrics", undefined, bearer("wrong"))
  return {
    ...made,
    "a key": key.secret,
    "a used code": code,
    "an open code": new URL(open.url).hash.slice(1),
    "a session": session
  }
}

layer(running, { timeout: "60 seconds" })("secrets", (it) => {
  const test = stepsOf(it)
  test("no secret is in the log, events, audit log, metrics, lists or stored rows, whatever fails with it", function* () {
    const { log, rows, url } = yield* Running
    const ask = asking(url)
    const made = yield* Effect.promise(() => madeWith(ask, url))
    const read = (path: string, headers: object = {}) =>
      Effect.map(
        Effect.promise(() => ask("GET", path, undefined, headers)),
        ({ status, text }) => {
          assert.strictEqual(status, 200, path)
          return text
        }
      )
    const places: Record<string, string> = {
      log: log.join("\n"),
      rows: yield* rows,
      metrics: yield* read("/metrics", { authorization: `Bearer ${given["the token of metrics"]}` })
    }
    for (const path of [
      `${base}/events?per_page=100`,
      "/v1/audit?per_page=100",
      "/v1/audit/export",
      "/v1/application-keys",
      "/v1/sessions",
      "/v1/notifiers",
      `${base}/notifiers`,
      `${base}/webhooks`
    ]) {
      places[path] = yield* read(path)
    }
    // The searched places hold the public values too: otherwise the search would prove nothing.
    for (const [place, word] of [
      ["log", "A person was not signed in"],
      ["rows", Sealer.prefix],
      ["rows", "sign_in_codes"],
      ["metrics", "lazaret_"],
      [`${base}/events?per_page=100`, "quarantine.created"],
      ["/v1/audit/export", "createWideNotifier"],
      ["/v1/sessions", "key"]
    ] as const) {
      assert.include(places[place], word, place)
    }
    for (const [kind, secret] of Object.entries({ ...given, ...made })) {
      assert.isAbove(secret.length, 20, kind)
      for (const [place, text] of Object.entries(places)) {
        assert.isFalse(text.includes(secret), `${kind} is in ${place}`)
        assert.isFalse(text.includes(encodeURIComponent(secret)), `${kind} is in ${place}`)
      }
    }
  })
})
