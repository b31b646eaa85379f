/**
 * A simulated provider of OpenID Connect for tests: it asks nobody for a password, and a test chooses its next ID token.
 *
 * @example
 * ```ts
 * import { SimulatedProvider } from "@lazaret/forge-simulated"
 * import { Effect } from "effect"
 *
 * const clients = Effect.map(SimulatedProvider.start("lazaret"), ({ issuer, next }) => {
 *   next.claims = { sub: "7", preferred_username: "ada" }
 *   return new URL(issuer).hostname
 * })
 * await Effect.runPromise(Effect.scoped(clients)) // => "127.0.0.1"
 * ```
 */
import { randomUUID } from "node:crypto"
import type { ServerResponse } from "node:http"
import { Effect } from "effect"
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose"
import * as Listener from "./Listener.ts"

/** The next ID token: its claims in addition to issuer, audience, times and nonce; and the key that signs it. */
export interface Next {
  claims: JWTPayload
  signedBy: "published" | "another"
  /** Answers instead of the token endpoint, where it is not null. */
  endpoint: ((response: ServerResponse) => void) | null
}

/** A running provider with one client, whose secret it does not check. */
export interface SimulatedProvider {
  readonly issuer: string
  readonly next: Next
}

/** Starts one on a free port; it stops with the scope. */
export const start = Effect.fnUntraced(function* (clientId: string) {
  const pair = Effect.promise(() => generateKeyPair("RS256", { extractable: true }))
  const pairs = { published: yield* pair, another: yield* pair }
  const jwk = yield* Effect.promise(() => exportJWK(pairs.published.publicKey))
  const next: Next = { claims: {}, signedBy: "published", endpoint: null }
  const nonces = new Map<string, string>()

  const tokenOf = (issuer: string, code: string): Promise<string> => {
    const now = Math.floor(Date.now() / 1000)
    const nonce = nonces.get(code)
    const claims = { iss: issuer, aud: clientId, sub: "7", iat: now, exp: now + 60, ...(nonce && { nonce }) }
    return new SignJWT({ ...claims, ...next.claims })
      .setProtectedHeader({ alg: "RS256", kid: "k1" })
      .sign(pairs[next.signedBy].privateKey)
  }

  const issuer = yield* Listener.listen((address, { body, request, response }) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", address)
    const send = (answer: object) =>
      void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer))
    if (pathname === "/keys") return send({ keys: [{ ...jwk, kid: "k1", alg: "RS256", use: "sig" }] })
    if (pathname === "/authorize") {
      const code = randomUUID()
      nonces.set(code, searchParams.get("nonce") ?? "")
      return void response.writeHead(303, { location: answerTo(searchParams, code) }).end()
    }
    if (pathname !== "/token") return send(described(address))
    if (next.endpoint !== null) return next.endpoint(response)
    void tokenOf(address, new URLSearchParams(body).get("code") ?? "").then((token) =>
      send({ access_token: "a", token_type: "Bearer", id_token: token })
    )
  })
  return { issuer, next } satisfies SimulatedProvider
})

/** The address that takes the browser back, with a code. */
const answerTo = (asked: URLSearchParams, code: string): string => {
  const answer = new URL(asked.get("redirect_uri") ?? "")
  answer.searchParams.set("state", asked.get("state") ?? "")
  answer.searchParams.set("code", code)
  return answer.href
}

const described = (issuer: string) => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  jwks_uri: `${issuer}/keys`,
  response_types_supported: ["code"],
  subject_types_supported: ["public"],
  id_token_signing_alg_values_supported: ["RS256"]
})
