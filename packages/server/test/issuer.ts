/** An issuer of CI tokens on this machine, whose keys rotate. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect } from "effect"
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from "jose"

/** How a test makes a token; what it leaves out is as the issuer does it. */
export interface Signing {
  readonly issuer?: string
  readonly audience?: string | ReadonlyArray<string>
  /** A time span from now, such as `-60s`. */
  readonly expires?: string
  readonly kid?: string
}

/** The address that tokens of tests are for. */
export const audience = "https://tests.example.com"

/** An issuer that publishes one key at a time, closed with the scope. */
export const make = (path: "/_services/token" | "") =>
  Effect.gen(function* () {
    const state = { keys: new Array<JWK>(), asked: 0, isDown: false }
    const server = createServer((request, response) => {
      state.asked += 1
      const body =
        request.url === `${path}/.well-known/openid-configuration`
          ? { issuer, jwks_uri: `${issuer}/keys` }
          : { keys: state.keys }
      response.writeHead(state.isDown ? 503 : 200, { "content-type": "application/json" }).end(JSON.stringify(body))
    })
    yield* Effect.acquireRelease(
      Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
      () => Effect.sync(() => server.close())
    )
    // A server that listens on a port has an address with a port.
    const { port } = server.address() as AddressInfo
    const issuer = `http://127.0.0.1:${port}${path}`

    const key = Effect.fnUntraced(function* (kid: string) {
      const pair = yield* Effect.promise(() => generateKeyPair("RS256", { extractable: true }))
      const jwk = yield* Effect.promise(() => exportJWK(pair.publicKey))
      return { pair, jwk: { ...jwk, kid, alg: "RS256", use: "sig" } }
    })

    let current = yield* key("k1")
    state.keys = [current.jwk]

    return {
      issuer,
      state,
      publicKey: () => current.jwk,
      rotate: Effect.fnUntraced(function* (kid: string) {
        current = yield* key(kid)
        state.keys = [current.jwk]
      }),
      sign: (claims: JWTPayload, signing: Signing = {}) =>
        Effect.promise(() =>
          new SignJWT(claims)
            .setProtectedHeader({ alg: "RS256", kid: signing.kid ?? current.jwk.kid })
            .setIssuer(signing.issuer ?? issuer)
            .setAudience([signing.audience ?? audience].flat())
            .setIssuedAt()
            .setExpirationTime(signing.expires ?? "300s")
            .sign(current.pair.privateKey)
        )
    }
  })

/** The claims of a workflow run that a push started. */
export const push = {
  sub: "repo:acme/widgets:ref:refs/heads/main",
  repository: "acme/widgets",
  repository_id: "71",
  repository_owner_id: "11",
  repository_visibility: "public",
  event_name: "push",
  ref: "refs/heads/main",
  sha: "4f1c",
  actor: "ada",
  run_id: "7",
  run_attempt: "1"
}

/** The claims of a workflow run of a pull request. */
export const pull = {
  ...push,
  event_name: "pull_request",
  ref: "refs/pull/3/merge",
  head_ref: "topic",
  base_ref: "main"
}

/** The claims of a GitLab job that a push started. */
export const job = {
  sub: "project_path:acme/widgets:ref_type:branch:ref:main",
  project_path: "acme/widgets",
  project_id: "72",
  namespace_id: "12",
  pipeline_source: "push",
  pipeline_id: "9",
  ref: "main",
  ref_type: "branch",
  ref_path: "refs/heads/main",
  sha: "4f1c",
  user_login: "ada"
}
