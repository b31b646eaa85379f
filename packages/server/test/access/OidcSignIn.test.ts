import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, layer } from "@effect/vitest"
import type { SignInChecks } from "@lazaret/services"
import { Context, Effect, Layer, Redacted } from "effect"
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose"
import * as OidcSignIn from "../../src/access/OidcSignIn.ts"

const clientSecret = "the secret of the client"

type Pair = Awaited<ReturnType<typeof generateKeyPair>>

/** The next ID token of the provider: its claims in addition to those of a good one, and the key that signs it. */
interface Next {
  claims: JWTPayload
  signedBy: "published" | "another"
}

class Provider extends Context.Service<Provider, { readonly issuer: string; readonly next: Next }>()("test/Provider") {}

/** A provider that answers every code with one ID token. */
const provider = Layer.effect(
  Provider,
  Effect.gen(function* () {
    const pairs: Readonly<Record<Next["signedBy"], Pair>> = {
      published: yield* Effect.promise(() => generateKeyPair("RS256", { extractable: true })),
      another: yield* Effect.promise(() => generateKeyPair("RS256", { extractable: true }))
    }
    const jwk = yield* Effect.promise(() => exportJWK(pairs.published.publicKey))
    const next: Next = { claims: {}, signedBy: "published" }
    const tokenOf = (issuer: string) => {
      const now = Math.floor(Date.now() / 1000)
      const claims = { iss: issuer, aud: "lazaret", sub: "7", preferred_username: "ada", iat: now, exp: now + 60 }
      return new SignJWT({ ...claims, ...next.claims })
        .setProtectedHeader({ alg: "RS256", kid: "k1" })
        .sign(pairs[next.signedBy].privateKey)
    }
    const server = createServer((request, response) => {
      const { port } = server.address() as AddressInfo
      const issuer = `http://127.0.0.1:${port}`
      const send = (body: object) =>
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body))
      if (request.url === "/keys") return void send({ keys: [{ ...jwk, kid: "k1", alg: "RS256", use: "sig" }] })
      if (request.url === "/token") {
        return void tokenOf(issuer).then((token) => send({ access_token: "a", token_type: "Bearer", id_token: token }))
      }
      send({
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
        response_types_supported: ["code"],
        subject_types_supported: ["public"],
        id_token_signing_alg_values_supported: ["RS256"]
      })
    })
    yield* Effect.acquireRelease(
      Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
      () => Effect.sync(() => server.close())
    )
    return { issuer: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, next }
  })
)

const checks: Required<SignInChecks> = { state: "the state", nonce: "the nonce", verifier: "v".repeat(43) }

/** Completes a sign-in whose ID token has these claims. */
const complete = (claims: JWTPayload, signedBy: Next["signedBy"] = "published") =>
  Effect.gen(function* () {
    const { issuer, next } = yield* Provider
    Object.assign(next, { claims: { nonce: checks.nonce, ...claims }, signedBy })
    const signIn = yield* OidcSignIn.make({
      issuer,
      title: "Example ID",
      clientId: "lazaret",
      clientSecret: Redacted.make(clientSecret),
      scopes: "openid",
      groupsClaim: "groups",
      roles: [],
      domains: null
    })
    const answer = new URL("https://tests.example.com/sign-in/callback?code=c&state=the+state")
    return yield* signIn.complete(answer, checks)
  })

layer(provider, { excludeTestServices: true })("the ID token of a sign-in", (it) => {
  it.effect("a token of this issuer for this server and this attempt names the person", () =>
    Effect.gen(function* () {
      const { issuer } = yield* Provider
      const user = yield* complete({})
      assert.deepStrictEqual(user, { id: `${issuer}#7`, login: "ada", provider: "oidc", grants: [] })
    })
  )

  it.effect("a token for another audience, attempt, issuer or time, or signed by another key, signs nobody in", () =>
    Effect.gen(function* () {
      const past = Math.floor(Date.now() / 1000) - 3600
      const wrong: ReadonlyArray<readonly [string, JWTPayload, Next["signedBy"]]> = [
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
        assert.strictEqual(
          failed.message,
          "The answer of the provider is not one for this sign-in. Sign in again.",
          name
        )
      }
    })
  )
})
