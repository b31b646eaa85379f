import { createServer, type Server as NodeServer } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, layer } from "@effect/vitest"
import { stepsOf } from "@lazaret/tools/steps"
import { Context, Effect, Layer, Logger, Redacted } from "effect"
import { HttpServer } from "effect/http"
// The package has no types: the few members that are used are named here.
// @ts-expect-error -- no declaration file
import UntypedProvider from "oidc-provider"
import * as Server from "../src/Server.ts"
import * as Settings from "../src/Settings.ts"
import { browser, failureIn, freePort, signIn } from "./browser.ts"

const clientSecret = "a secret of the client"

/** A person whom the provider knows by the login. */
const people: Readonly<Record<string, object>> = {
  ada: { preferred_username: "ada", groups: ["ops"], email: "ada@example.com", email_verified: true },
  bob: { preferred_username: "bob", groups: ["web"], email: "bob@example.com", email_verified: true },
  eve: { preferred_username: "eve", groups: ["ops"], email: "eve@example.com", email_verified: false },
  mallory: { preferred_username: "boss@example.com", email: "mallory@example.com", email_verified: true },
  boss: { preferred_username: "boss@example.com", email: "boss@example.com", email_verified: true },
  guest: { preferred_username: "guest", groups: ["others"], email: "guest@example.com", email_verified: true }
}

type Handler = Parameters<typeof createServer>[1]

interface UntypedProvider {
  readonly callback: () => NonNullable<Handler>
  readonly interactionFinished: (request: unknown, response: unknown, result: object) => Promise<void>
  readonly interactionDetails: (request: unknown, response: unknown) => Promise<{ prompt: { name: string } }>
}

/** A provider of OpenID Connect whose login page takes the person from the cookie `person`. */
const provider = Effect.gen(function* () {
  const state: { handler: NonNullable<Handler>; isDown: boolean } = { handler: () => undefined, isDown: false }
  const node: NodeServer = yield* Effect.acquireRelease(
    Effect.callback<NodeServer>((resume) => {
      const server = createServer((request, response) => {
        if (state.isDown) return void response.writeHead(503).end()
        state.handler(request, response)
      })
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) => Effect.sync(() => server.close())
  )
  const issuer = `http://127.0.0.1:${(node.address() as AddressInfo).port}`
  const begin = (callback: string) => {
    const made: UntypedProvider = new UntypedProvider(issuer, {
      clients: [{ client_id: "lazaret", client_secret: clientSecret, redirect_uris: [callback] }],
      claims: { openid: ["sub"], profile: ["preferred_username", "groups"], email: ["email", "email_verified"] },
      conformIdTokenClaims: false,
      pkce: { required: () => true },
      cookies: { keys: ["k"] },
      findAccount: (_: unknown, id: string) => ({
        accountId: id,
        claims: () => ({ sub: id, ...people[id] })
      }),
      loadExistingGrant: async (ctx: ProviderContext) => {
        const grant = new ctx.oidc.provider.Grant({ clientId: "lazaret", accountId: ctx.oidc.session.accountId })
        grant.addOIDCScope("openid profile email")
        await grant.save()
        return grant
      }
    })
    const callbackOf = made.callback()
    state.handler = (request, response) => {
      if (!request.url?.startsWith("/interaction/")) return callbackOf(request, response)
      const person = /person=(\w+)/u.exec(request.headers.cookie ?? "")?.[1]
      const result =
        person === "nobody"
          ? { error: "access_denied", error_description: "the person refused" }
          : { login: { accountId: person } }
      void made.interactionFinished(request, response, result)
    }
  }
  return { issuer, state, begin }
})

interface ProviderContext {
  readonly oidc: {
    readonly session: { readonly accountId: string }
    readonly provider: {
      readonly Grant: new (of: object) => {
        readonly addOIDCScope: (scope: string) => void
        readonly save: () => Promise<string>
      }
    }
  }
}

class Running extends Context.Service<
  Running,
  { readonly url: string; readonly issuer: string; readonly state: { isDown: boolean }; readonly log: Array<string> }
>()("test/Running") {}

const running = Layer.effect(
  Running,
  Effect.gen(function* () {
    const { begin, issuer, state } = yield* provider
    const log: Array<string> = []
    const free = yield* freePort
    const publicUrl = `http://127.0.0.1:${free}`
    begin(`${publicUrl}/sign-in/callback`)
    const settings: Settings.Settings = {
      ...Settings.defaults,
      port: free,
      publicUrl,
      storage: { _tag: "Memory" },
      signIn: {
        issuer,
        title: "Example ID",
        clientId: "lazaret",
        clientSecret: Redacted.make(clientSecret),
        scopes: "openid profile email",
        groupsClaim: "groups",
        roles: [
          { group: "ops", grant: { role: "admin", owner: null, repository: null } },
          { group: "web", grant: { role: "member", owner: "acme", repository: "widgets" } }
        ],
        domains: ["example.com"]
      }
    }
    const server = yield* Layer.build(
      Layer.fresh(Server.layer(settings, Redacted.make("the first admin key"))).pipe(
        Layer.provide(Logger.layer([Logger.map(Logger.formatJson, (line) => void log.push(line))]))
      )
    )
    assert.strictEqual(Server.urlOf(Context.get(server, HttpServer.HttpServer)), publicUrl)
    return { url: publicUrl, issuer, state, log }
  })
)

layer(running, { timeout: "60 seconds" })("sign-in with a provider", (it) => {
  const test = stepsOf(it)
  test("a person signs in with the roles of the groups, and is named in the audit log", function* () {
    const server = yield* Running
    yield* Effect.promise(async () => {
      const { end, get } = await signIn(server, "ada")
      assert.strictEqual(end, `${server.url}/acme/widgets?x=1`)
      const me = await (await get(`${server.url}/v1/application`)).json()
      assert.deepInclude(me, { name: "ada", scope: "admin", account_scope: { id: "*", login: "*" } })
      const { entries } = JSON.parse(await (await get(`${server.url}/v1/audit?actor=ada`)).text())
      assert.deepInclude(entries[0], { action: "signIn", outcome: "done" })
      assert.deepStrictEqual(entries[0].actor, { kind: "user", id: `${server.issuer}#ada`, name: "ada" })
    })
  })

  test("a member quarantines in one repository, and nothing more", function* () {
    const server = yield* Running
    yield* Effect.promise(async () => {
      const { get } = await signIn(server, "bob")
      const send = async (method: string, path: string, body: object) =>
        (
          await get(`${server.url}${path}`, {
            method,
            headers: { "content-type": "application/json", "sec-fetch-site": "same-origin" },
            body: JSON.stringify(body)
          })
        ).status
      const quarantine = { test_name: "adds", reason: "flaky" }
      const at = (name: string) => `/v1/ci/acme/repositories/${name}`
      assert.strictEqual(await send("POST", `${at("widgets")}/quarantines`, quarantine), 201)
      assert.strictEqual(await send("POST", `${at("gadgets")}/quarantines`, quarantine), 403)
      assert.strictEqual(await send("PATCH", `${at("widgets")}/settings`, {}), 403)
      assert.strictEqual(await send("POST", `${at("widgets")}/reports`, {}), 403)
      assert.strictEqual(await send("POST", "/v1/application-keys", { name: "k", scope: "ci", owner: "acme" }), 403)
      assert.strictEqual(await send("POST", "/v1/sign-in-links", {}), 403)
      assert.strictEqual((await get(`${server.url}/v1/audit`)).status, 403)
      const listed = JSON.parse(await (await get(`${server.url}/v1/repositories`)).text())
      assert.deepStrictEqual(
        listed.repositories.map((each: { repository: string }) => each.repository),
        ["widgets"]
      )
      const { sessions } = JSON.parse(await (await get(`${server.url}/v1/sessions`)).text())
      assert.deepStrictEqual([...new Set(sessions.map((each: { name: string }) => each.name))], ["bob"])
    })
  })

  test("people without a role or a verified address are not signed in, and the page says why", function* () {
    const server = yield* Running
    yield* Effect.promise(async () => {
      for (const [person, reason] of [
        ["guest", /no role/u],
        ["eve", /verified e-mail address of example\.com/u],
        ["nobody", /refused/u]
      ] as const) {
        const { end, get } = await signIn(server, person)
        assert.match(failureIn(end), reason)
        assert.strictEqual((await get(`${server.url}/v1/application`)).status, 403)
      }
    })
  })

  test("a role for an e-mail address waits for its verified owner, also after another person has signed in with this name", function* () {
    const server = yield* Running
    yield* Effect.promise(async () => {
      const given = await fetch(`${server.url}/v1/roles`, {
        method: "PUT",
        headers: { authorization: "Bearer the first admin key", "content-type": "application/json" },
        body: JSON.stringify({ login: "boss@example.com", role: "admin", owner: null })
      })
      assert.strictEqual(given.status, 200)
      assert.match(failureIn((await signIn(server, "mallory")).end), /no role/u)
      const { get } = await signIn(server, "boss")
      assert.strictEqual((await get(`${server.url}/v1/audit`)).status, 200)
    })
  })

  test("an answer is taken once, from the browser that asked for it, and unchanged", function* () {
    const server = yield* Running
    yield* Effect.promise(async () => {
      const begin = () => {
        const visitor = browser("ada")
        const callback = visitor.follow(`${server.url}/sign-in/with-provider`, `${server.url}/sign-in/callback`)
        return callback.then((url) => ({ ...visitor, url }))
      }
      const isRefused = async (visitor: ReturnType<typeof browser>, url: string) => {
        const answer = await visitor.get(url)
        assert.isNotEmpty(failureIn(visitor.locationOf(answer, server.url)))
        assert.isFalse(visitor.jar.has("lazaret_session"))
        assert.isFalse(visitor.jar.has("lazaret_sign_in"), "the attempt is over")
      }
      const first = await begin()
      await isRefused(browser("ada"), first.url)
      const planted = await begin()
      await isRefused(planted, first.url)
      const kept = first.jar.get("lazaret_sign_in") ?? ""
      await first.get(first.url)
      assert.isTrue(first.jar.has("lazaret_session"))
      const replay = browser("ada")
      replay.jar.set("lazaret_sign_in", kept)
      await isRefused(replay, first.url)
      for (const change of ["state", "code", "iss"]) {
        const visitor = await begin()
        const url = new URL(visitor.url)
        url.searchParams.set(change, change === "iss" ? "https://evil.example" : "changed")
        await isRefused(visitor, url.href)
      }
      const nonce = await begin()
      const attempt = JSON.parse(Buffer.from(nonce.jar.get("lazaret_sign_in") ?? "", "base64url").toString())
      attempt.checks.nonce = "another"
      nonce.jar.set("lazaret_sign_in", Buffer.from(JSON.stringify(attempt)).toString("base64url"))
      await isRefused(nonce, nonce.url)
    })
  })

  test("a sign-in never leads to another site", function* () {
    const server = yield* Running
    yield* Effect.promise(async () => {
      for (const path of [
        "https://evil.example",
        "//evil.example",
        "/\\evil.example",
        "/%09/evil.example",
        "/.//evil.example"
      ]) {
        const { end } = await signIn(server, "ada", path)
        assert.strictEqual(new URL(end).origin, server.url, path)
      }
    })
  })

  test("nothing secret is logged, and a provider that is down is named as the cause", function* () {
    const server = yield* Running
    yield* Effect.promise(async () => {
      const visitor = await signIn(server, "ada")
      const code = new URL(visitor.callback).searchParams.get("code") ?? ""
      const later = browser("ada")
      const answer = await later.follow(`${server.url}/sign-in/with-provider`, `${server.url}/sign-in/callback`)
      server.state.isDown = true
      const end = later.locationOf(await later.get(answer), server.url)
      server.state.isDown = false
      assert.match(failureIn(end), /does not respond/u)
      assert.isFalse(later.jar.has("lazaret_session"))
      const log = server.log.join("\n")
      for (const secret of [clientSecret, code, visitor.jar.get("lazaret_session") ?? "-"]) {
        assert.isFalse(log.includes(secret))
      }
    })
  })
})
