import { existsSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { stepsOf } from "@lazaret/tools/steps"
import { Delivery, SimulatedGitHub } from "@lazaret/forge-simulated"
import { PublicationPace } from "@lazaret/services"
import { Context, Effect, Exit, Layer, Logger, Redacted } from "effect"
import { HttpServer } from "effect/http"
import * as Server from "../src/Server.ts"
import * as Settings from "../src/Settings.ts"
import { until } from "./platformServer.ts"

const admin = "key"

const publicUrl = "https://lazaret.test"

class GitHub extends Context.Service<GitHub, SimulatedGitHub.SimulatedGitHub>()("test/GitHub") {}

/** A running server, and everything that it has logged. */
interface Running {
  readonly url: string
  readonly log: Array<string>
}

/** A server over a data folder, whose settings name GitHub's address alone. */
const serve = Effect.fnUntraced(function* (dataFolder: string) {
  const { url } = yield* GitHub
  const log: Array<string> = []
  const gitHub = { apiUrl: url, credentials: { _tag: "None" }, isPaced: false } as const
  const settings: Settings.Settings = {
    ...Settings.defaults,
    port: 0,
    storage: { _tag: "Memory" },
    publicUrl,
    dataFolder,
    gitHub
  }
  const server = yield* Layer.build(
    Layer.fresh(Server.layer(settings, Redacted.make(admin))).pipe(
      Layer.provide(Layer.succeed(PublicationPace, { pause: 20, every: 20 })),
      Layer.provide(Logger.layer([Logger.map(Logger.formatJson, (line) => void log.push(line))]))
    )
  )
  return { url: Server.urlOf(Context.get(server, HttpServer.HttpServer)), log } satisfies Running
})

const newFolder = () => mkdtempSync(join(tmpdir(), "lazaret-app-"))

const send = ({ url }: Running, method: string, path: string, body?: object, key = admin) =>
  Effect.promise(() =>
    fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
  )

/** The members of an answer. */
type Answer = Readonly<Record<string, unknown>>

const json = (response: Response): Effect.Effect<Answer> =>
  Effect.promise(() => response.json().then((answer) => Object(answer)))

const app = (server: Running) => Effect.flatMap(send(server, "GET", "/v1/github/app"), json)

/** The address that the browser is sent to after the person has confirmed the app, and the cookie that it has. */
const confirmed = Effect.fnUntraced(function* (server: Running, organization: string | null = "acme") {
  const begun = yield* send(server, "POST", "/v1/github/app", { organization })
  assert.strictEqual(begun.status, 201)
  const url = String((yield* json(begun))["url"])
  assert.isTrue(url.startsWith(`${publicUrl}/v1/github/app/new?state=`))
  const page = yield* Effect.promise(() => fetch(url.replace(publicUrl, server.url)))
  assert.match(page.headers.get("content-security-policy") ?? "", /default-src 'none'.*; script-src 'sha256-[^']+'$/u)
  const cookie = page.headers.get("set-cookie") ?? ""
  assert.match(cookie, /; HttpOnly; Secure; SameSite=Lax$/u)
  const html = yield* Effect.promise(() => page.text())
  const unescaped = (text = "") => text.replaceAll("&quot;", '"').replaceAll("&amp;", "&")
  const form = unescaped(/action="([^"]+)"/u.exec(html)?.[1])
  const manifest = unescaped(/name="manifest" value="([^"]+)"/u.exec(html)?.[1])
  const answer = yield* Effect.promise(() =>
    fetch(form, { method: "POST", redirect: "manual", body: new URLSearchParams({ manifest }) })
  )
  assert.strictEqual(answer.status, 302)
  const location = (answer.headers.get("location") ?? "").replace(publicUrl, server.url)
  return { form, location, cookie: cookie.split(";")[0] ?? "" }
})

const open = (location: string, cookie: string | null) =>
  Effect.promise(() => fetch(location, { redirect: "manual", headers: cookie === null ? {} : { cookie } }))

layer(Layer.effect(GitHub, SimulatedGitHub.start), { excludeTestServices: true })("a GitHub App", (it) => {
  const test = stepsOf(it)
  test("a GitHub App is created from the dashboard, reports without a restart, and is kept for the next start", function* () {
    const github = yield* GitHub
    const folder = newFolder()
    const server = yield* serve(folder)
    assert.deepInclude(yield* app(server), { source: "none", app: null, obstacle: null })
    const { cookie, form, location } = yield* confirmed(server)
    assert.include(form, "/organizations/acme/settings/apps/new?state=")
    const created = yield* open(location, cookie)
    assert.deepStrictEqual([created.status, created.headers.get("location")], [303, `${publicUrl}/admin`])
    const found = yield* app(server)
    assert.deepInclude(found, { source: "created", problem: null })
    const { id, install_url: installUrl } = Object(found["app"])
    const registered = github.server.hub.apps.get(id)
    if (registered === undefined) return assert.fail("GitHub does not know the app")
    assert.match(installUrl, /\/installations\/new$/u)

    // Installed, it publishes what is uploaded then, and takes deliveries with its own secret only.
    const repository = github.addRepository({ owner: "acme", name: "widgets", isPrivate: true })
    const state = "/v1/ci/acme/repositories/widgets/connection"
    assert.deepInclude(yield* Effect.flatMap(send(server, "GET", state), json), { state: "not_installed" })
    github.install("acme", registered)
    const head = "c".repeat(40)
    const other = github.addRepository({ owner: "acme", name: "gadgets", defaultBranch: "trunk" })
    const report = `${server.url}/v1/ci/acme/repositories/gadgets/reports?pipeline_name=CI&job_name=unit&branch=trunk&commit=${head}`
    const uploaded = yield* Effect.promise(() =>
      fetch(report, {
        method: "POST",
        headers: { authorization: `Bearer ${admin}`, "content-type": "application/xml" },
        body: `<testsuite name="s"><testcase classname="s" name="a"/></testsuite>`
      })
    )
    assert.strictEqual(uploaded.status, 201)
    yield* until(() => other.checkRuns.length === 1)
    const connection = yield* send(server, "GET", "/v1/ci/acme/repositories/gadgets/connection")
    assert.deepStrictEqual(yield* json(connection), { state: "installed", detail: null, default_branch: "trunk" })
    const pull = github.openPull(repository, { head })
    github.enqueue(repository, "pull-request-opened", SimulatedGitHub.pullMembers(repository, pull))
    const hook = `${server.url}/v1/webhooks/github`
    assert.deepStrictEqual(yield* github.flush(hook, [], registered), [202])
    const sent = { event: "ping", guid: "g", payload: {} }
    for (const receiver of [github.app, { ...registered, webhookSecret: "guessed" }]) {
      const forged = yield* Effect.promise(() => fetch(hook, Delivery.request(sent, receiver)))
      assert.strictEqual(forged.status, 403)
    }

    // A second app needs the first to be removed. No secret is in the log or readable by others.
    assert.strictEqual((yield* send(server, "POST", "/v1/github/app", { organization: null })).status, 409)
    assert.strictEqual((yield* open(location, cookie)).status, 409)
    assert.strictEqual(statSync(join(folder, "github-app.json")).mode & 0o777, 0o600)
    assert.deepStrictEqual(readdirSync(folder), ["github-app.json"])
    const secrets = [registered.webhookSecret, "PRIVATE KEY", cookie.split("=")[1] ?? "", new URL(location).search]
    for (const secret of secrets) assert.notInclude(server.log.join("\n"), secret)

    const next = yield* serve(folder)
    assert.deepInclude(yield* app(next), { source: "created", problem: null })
    assert.strictEqual((yield* send(next, "DELETE", "/v1/github/app")).status, 204)
    assert.strictEqual((yield* send(next, "DELETE", "/v1/github/app")).status, 404)
    assert.isFalse(existsSync(join(folder, "github-app.json")))
    assert.strictEqual(
      (yield* Effect.promise(() => fetch(`${next.url}/v1/webhooks/github`, Delivery.request(sent, registered)))).status,
      404
    )
  })

  test("a GitHub App is for admin keys of all owners; a state counts in its browser, once, and no other does", function* () {
    const folder = newFolder()
    const server = yield* serve(folder)
    for (const [scope, owner] of [
      ["ci", null],
      ["admin", "acme"]
    ]) {
      const { secret } = yield* Effect.flatMap(
        send(server, "POST", "/v1/application-keys", { name: "k", scope, owner }),
        json
      )
      for (const method of ["GET", "POST", "DELETE"]) {
        const body = method === "POST" ? { organization: null } : undefined
        assert.strictEqual((yield* send(server, method, "/v1/github/app", body, String(secret))).status, 403)
      }
    }
    const { cookie, location } = yield* confirmed(server, null)
    const guessed = location.replace(/state=[^&]+/u, "state=guessed")
    for (const [address, held] of [
      [location, null],
      [location, "lazaret_github_app=other"],
      [guessed, cookie],
      [guessed, "lazaret_github_app=guessed"]
    ] as const) {
      assert.strictEqual((yield* open(address, held)).status, 409)
    }
    const unknown = yield* open(location.replace(/code=[^&]+/u, "code=%3Cb%3Eunknown"), cookie)
    assert.strictEqual(unknown.status, 409)
    assert.include(yield* Effect.promise(() => unknown.text()), "GitHub does not know the code")
    assert.strictEqual((yield* open(location, cookie)).status, 409, "the state was used")
    assert.deepStrictEqual(readdirSync(folder), [])
    assert.deepInclude(yield* app(server), { source: "none", obstacle: null })
  })

  test("a GitHub App with an invalid private key is not stored, and a damaged file stops the start without quoting it", function* () {
    const github = yield* GitHub
    const folder = newFolder()
    const server = yield* serve(folder)
    const { cookie, location } = yield* confirmed(server)
    const code = new URL(location).searchParams.get("code") ?? ""
    const promised = github.server.hub.manifests.get(code)
    if (promised === undefined) return assert.fail("the code is unknown")
    github.server.hub.manifests.set(code, { ...promised, privateKey: "-----BEGIN CERTIFICATE-----\nAAAAsecret" })
    const answer = yield* open(location, cookie)
    assert.strictEqual(answer.status, 409)
    const text = yield* Effect.promise(() => answer.text())
    assert.include(text, "it is a certificate, not a private key")
    assert.notInclude(text + server.log.join("\n"), "AAAAsecret")
    assert.deepStrictEqual(readdirSync(folder), [])
    writeFileSync(join(folder, "github-app.json"), '{"privateKey":"AAAAsecret"}')
    const started = yield* Effect.exit(Effect.scoped(serve(folder)))
    assert.isTrue(Exit.isFailure(started))
    assert.include(JSON.stringify(started), "does not hold a GitHub App")
    assert.notInclude(JSON.stringify(started), "AAAAsecret")
    assert.include(readFileSync(join(folder, "github-app.json"), "utf8"), "AAAAsecret")
  })
})
