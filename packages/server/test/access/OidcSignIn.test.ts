import type { ServerResponse } from "node:http"
import { assert, layer } from "@effect/vitest"
import { stepsOf } from "@lazaret/tools/steps"
import { SimulatedProvider } from "@lazaret/forge-simulated"
import type { SignInChecks } from "@lazaret/services"
import { Context, Duration, Effect, Layer, Redacted } from "effect"
import type { JWTPayload } from "jose"
import * as OidcSignIn from "../../src/access/OidcSignIn.ts"

const clientSecret = "the secret of the client"

class Provider extends Context.Service<Provider, SimulatedProvider.SimulatedProvider>()("test/Provider") {}

const provider = Layer.effect(Provider, SimulatedProvider.start("lazaret"))

const checks: Required<SignInChecks> = { state: "the state", nonce: "the nonce", verifier: "v".repeat(43) }

/** Completes a sign-in whose ID token has these claims. */
const complete = (claims: JWTPayload, signedBy: SimulatedProvider.Next["signedBy"] = "published", patience = 10) =>
  Effect.gen(function* () {
    const { issuer, next } = yield* Provider
    Object.assign(next, { claims: { preferred_username: "ada", nonce: checks.nonce, ...claims }, signedBy })
    const signIn = yield* OidcSignIn.make({
      issuer,
      title: "Example ID",
      clientId: "lazaret",
      clientSecret: Redacted.make(clientSecret),
      scopes: "openid",
      groupsClaim: "groups",
      roles: [],
      domains: null,
      patience: Duration.seconds(patience)
    })
    const answer = new URL("https://tests.example.com/sign-in/callback?code=c&state=the+state")
    return yield* signIn.complete(answer, checks)
  })

layer(provider, { excludeTestServices: true })("the ID token of a sign-in", (it) => {
  const test = stepsOf(it)
  test("a token of this issuer for this server and this attempt names the person", function* () {
    const { issuer } = yield* Provider
    const user = yield* complete({})
    assert.deepStrictEqual(user, { id: `${issuer}#7`, login: "ada", provider: "oidc", grants: [] })
  })

  test("a token for another audience, attempt, issuer or time, or signed by another key, signs nobody in", function* () {
    const past = Math.floor(Date.now() / 1000) - 3600
    const wrong: ReadonlyArray<readonly [string, JWTPayload, SimulatedProvider.Next["signedBy"]]> = [
      ["audience", { aud: "another client" }, "published"],
      ["several audiences", { aud: ["lazaret", "another client"], azp: "another client" }, "published"],
      ["expired", { iat: past - 60, exp: past }, "published"],
      ["nonce", { nonce: "another nonce" }, "published"],
      ["no nonce", { nonce: undefined }, "published"],
      ["issuer", { iss: "https://login.example.com" }, "published"],
      ["signature", {}, "another"]
    ]
    for (const [name, claims, signedBy] of wrong) {
      const failed = yield* Effect.flip(complete(claims, signedBy))
      assert.strictEqual(failed.reason, "invalid", name)
      assert.strictEqual(failed.message, "The answer of the provider is not one for this sign-in. Sign in again.", name)
    }
  })

  test("a name in the form of an e-mail address is a login only where the provider has verified the address", function* () {
    const boss = "boss@corp.example"
    const logins: ReadonlyArray<readonly [string, JWTPayload]> = [
      ["ada", { preferred_username: "ada", email: boss, email_verified: true }],
      [boss, { preferred_username: undefined, email: boss, email_verified: true }],
      ["7", { preferred_username: undefined, email: boss, email_verified: false }],
      ["7", { preferred_username: undefined, email: boss }],
      ["Boss@corp.example", { preferred_username: "Boss@corp.example", email: boss, email_verified: true }],
      [`${boss} (unverified)`, { preferred_username: boss, email: boss, email_verified: false }],
      [`${boss} (unverified)`, { preferred_username: boss }],
      ["eve@corp.example", { preferred_username: boss, email: "eve@corp.example", email_verified: true }]
    ]
    for (const [login, claims] of logins) {
      assert.strictEqual((yield* complete(claims)).login, login, JSON.stringify(claims))
    }
  })

  test("a claim that cannot be stored signs nobody in", function* () {
    for (const text of ["a\0b", "a\ud800b"]) {
      for (const claim of ["sub", "preferred_username", "email"]) {
        const failed = yield* Effect.flip(complete({ [claim]: text }))
        assert.strictEqual(failed.reason, "invalid", `${claim} ${JSON.stringify(text)}`)
      }
    }
  })

  test("an answer of a provider that does not end, or is too long, ends the sign-in", function* () {
    const { next } = yield* Provider
    const sent = { bytes: 0 }
    const endless = (response: ServerResponse) => {
      const more = () => {
        if (response.destroyed) return
        sent.bytes += 65_536
        response.write(" ".repeat(65_536), more)
      }
      response.writeHead(200, { "content-type": "application/json" })
      more()
    }
    const silent = (response: ServerResponse) => void response.writeHead(200).write(" ")
    for (const endpoint of [endless, silent]) {
      next.endpoint = endpoint
      const failed = yield* Effect.flip(complete({}, "published", 0.5))
      next.endpoint = null
      assert.strictEqual(failed.reason, "unavailable")
    }
    assert.isBelow(sent.bytes, 16 * 1024 * 1024)
  })
})
