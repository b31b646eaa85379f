import { mkdtempSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { stepsOf } from "@lazaret/tools/steps"
import { SimulatedGitHub } from "@lazaret/forge-simulated"
import { Context, Effect, Layer, Logger, Redacted } from "effect"
import * as Server from "../../src/Server.ts"
import * as Settings from "../../src/Settings.ts"
import { browser, failureIn, freePort, gitHub as way, signIn } from "../browser.ts"

const admin = "the first admin key"

class Running extends Context.Service<
  Running,
  {
    readonly url: string
    readonly github: SimulatedGitHub.SimulatedGitHub
    readonly widgets: ReturnType<SimulatedGitHub.SimulatedGitHub["addRepository"]>
    readonly folder: string
    readonly log: Array<string>
  }
>()("test/Running") {}

const authorized = { authorization: `Bearer ${admin}`, "content-type": "application/json" }

/** Creates the app from the dashboard, as a person does. */
const createApp = async (url: string) => {
  const visitor = browser("operator")
  const post = { method: "POST", headers: authorized, body: JSON.stringify({ organization: "acme" }) }
  const begun = JSON.parse(await (await fetch(`${url}/v1/github/app`, post)).text())
  const html = await (await visitor.get(begun.url)).text()
  const unescaped = (text = "") => text.replaceAll("&quot;", '"').replaceAll("&amp;", "&")
  const form = unescaped(/action="([^"]+)"/u.exec(html)?.[1])
  const manifest = unescaped(/name="manifest" value="([^"]+)"/u.exec(html)?.[1])
  const confirmed = await fetch(form, { method: "POST", redirect: "manual", body: new URLSearchParams({ manifest }) })
  assert.strictEqual((await visitor.get(confirmed.headers.get("location") ?? "")).status, 303)
}

const quarantine = async (url: string, name: string, init: RequestInit = {}, get: typeof fetch = fetch) => {
  const body = JSON.stringify({ test_name: `adds ${Math.random()}`, reason: "flaky" })
  const answer = await get(`${url}/v1/ci/acme/repositories/${name}/quarantines`, { method: "POST", body, ...init })
  return answer.status
}

/** A server whose app was created from its dashboard, and two private repositories. */
const running = Layer.effect(
  Running,
  Effect.gen(function* () {
    const github = yield* SimulatedGitHub.start
    const log: Array<string> = []
    const port = yield* freePort
    const url = `http://127.0.0.1:${port}`
    const folder = mkdtempSync(join(tmpdir(), "lazaret-github-"))
    const settings: Settings.Settings = {
      ...Settings.defaults,
      port,
      publicUrl: url,
      dataFolder: folder,
      storage: { _tag: "Memory" },
      gitHub: { apiUrl: github.url, credentials: { _tag: "None" }, isPaced: false }
    }
    yield* Layer.build(
      Layer.fresh(Server.layer(settings, Redacted.make(admin))).pipe(
        Layer.provide(Logger.layer([Logger.map(Logger.formatJson, (line) => void log.push(line))]))
      )
    )
    yield* Effect.promise(async () => {
      assert.deepStrictEqual(await (await fetch(`${url}/session`)).json(), { providers: [] })
      await createApp(url)
      for (const name of ["widgets", "gadgets"]) {
        assert.strictEqual(await quarantine(url, name, { headers: authorized }), 201)
      }
    })
    const created = [...github.server.hub.apps.values()].at(-1)
    github.install("acme", created)
    const widgets = github.addRepository({ owner: "acme", name: "widgets", isPrivate: true })
    github.addRepository({ owner: "acme", name: "gadgets", isPrivate: true })
    return { url, github, widgets, folder, log }
  })
)

layer(running, { timeout: "60 seconds", excludeTestServices: true })("sign-in with GitHub", (it) => {
  const test = stepsOf(it)
  test("an app that was created from the dashboard signs people in with the roles of their permissions", function* () {
    const server = yield* Running
    const { folder, github, log, url, widgets } = server
    const ada = github.addPerson("ada")
    github.addPerson("eve")
    widgets.people?.set("ada", "write")
    yield* Effect.promise(async () => {
      const { providers } = JSON.parse(await (await fetch(`${url}/session`)).text())
      assert.deepStrictEqual(providers, [{ kind: "github", title: "GitHub", url: `${url}${way.start}` }])
      const { callback, end, get, jar } = await signIn(server, "ada", "/acme/widgets?x=1", way)
      assert.strictEqual(end, `${url}/acme/widgets?x=1`)
      const me = await (await get(`${url}/v1/application`)).json()
      assert.deepInclude(me, { name: "ada" })
      const listed = JSON.parse(await (await get(`${url}/v1/repositories`)).text())
      assert.deepStrictEqual(
        listed.repositories.map((each: { repository: string }) => each.repository),
        ["widgets"]
      )
      const own = { headers: { "content-type": "application/json", "sec-fetch-site": "same-origin" } }
      const as = get as typeof fetch
      assert.strictEqual(await quarantine(url, "widgets", own, as), 201)
      assert.strictEqual(await quarantine(url, "gadgets", own, as), 403)
      assert.strictEqual((await get(`${url}/v1/audit`)).status, 403)
      const audit = await fetch(`${url}/v1/audit?actor=ada`, { headers: authorized })
      const { entries } = JSON.parse(await audit.text())
      assert.deepInclude(entries.at(-1), { action: "signIn", outcome: "done" })
      assert.deepStrictEqual(entries.at(-1).actor, { kind: "user", id: `${github.url}#${ada.id}`, name: "ada" })

      // Nothing secret is in the log, and no token of a person is kept.
      const { client } = JSON.parse(readFileSync(join(folder, "github-app.json"), "utf8"))
      const [token = "-"] = github.server.hub.userTokens.keys()
      const code = new URL(callback).searchParams.get("code") ?? "-"
      for (const secret of [client.secret, token, code, jar.get("lazaret_session") ?? "-"]) {
        assert.notInclude(log.join("\n"), secret)
      }

      // Without a permission in a repository of the server nobody signs in.
      const refused = await signIn(server, "eve", "/", way)
      assert.match(failureIn(refused.end), /no role here/u)
      assert.isFalse(refused.jar.has("lazaret_session"))
    })
  })

  test("an answer of GitHub is taken once, from the browser that asked for it, at its own address, and unchanged", function* () {
    const server = yield* Running
    const { github, url, widgets } = server
    github.addPerson("bob")
    widgets.people?.set("bob", "read")
    yield* Effect.promise(async () => {
      const begin = async () => {
        const visitor = browser("bob")
        return { ...visitor, callback: await visitor.follow(`${url}${way.start}`, `${url}${way.callback}`) }
      }
      const isRefused = async (visitor: ReturnType<typeof browser>, address: string) => {
        const answer = await visitor.get(address)
        assert.isNotEmpty(failureIn(visitor.locationOf(answer, url)), address)
        assert.isFalse(visitor.jar.has("lazaret_session"))
      }
      const first = await begin()
      await isRefused(browser("bob"), first.callback)
      await isRefused(await begin(), first.callback)
      await isRefused(await begin(), first.callback.replace(way.callback, "/sign-in/callback"))
      const kept = first.jar.get("lazaret_sign_in") ?? ""
      await first.get(first.callback)
      assert.isTrue(first.jar.has("lazaret_session"))
      const replay = browser("bob")
      replay.jar.set("lazaret_sign_in", kept)
      await isRefused(replay, first.callback)
      for (const change of ["state", "code", "iss"]) {
        const visitor = await begin()
        const address = new URL(visitor.callback)
        address.searchParams.set(change, change === "iss" ? "https://evil.example" : "changed")
        await isRefused(visitor, address.href)
      }
      const verifier = await begin()
      const attempt = JSON.parse(Buffer.from(verifier.jar.get("lazaret_sign_in") ?? "", "base64url").toString())
      attempt.checks.verifier = "another".repeat(10)
      verifier.jar.set("lazaret_sign_in", Buffer.from(JSON.stringify(attempt)).toString("base64url"))
      await isRefused(verifier, verifier.callback)
      const { end } = await signIn(server, "somebody", "/", way)
      assert.match(failureIn(end), /refused the sign-in/u)
    })
  })
})
