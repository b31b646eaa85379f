/**
 * The two addresses of GitHub that sign people in with an app: the page on which a person agrees, and the exchange of the code.
 *
 * GitHub publishes no description of them. Their rules here follow the page "Generating a user access token for a GitHub App" of
 * GitHub's documentation.
 */
import { createHash } from "node:crypto"
import * as Hub from "./Hub.ts"
import type { JsonObject } from "./Json.ts"

/** The path of the page. */
export const page = "/login/oauth/authorize"

/** The path of the exchange. */
export const exchange = "/login/oauth/access_token"

/** The browser is led on, or the request is one that GitHub refuses to answer so. */
export type Outcome =
  | { readonly _tag: "Redirect"; readonly location: string }
  | { readonly _tag: "Refused"; readonly fault: string }

/** The person of the browser (the cookie `person`) agrees at once; `nobody` refuses. */
export const agree = (hub: Hub.Hub, query: URLSearchParams, cookies: string): Outcome => {
  const app = [...hub.apps.values()].find(({ clientId }) => clientId === query.get("client_id"))
  const redirectUri = query.get("redirect_uri") ?? ""
  if (app === undefined) return { _tag: "Refused", fault: "client_id is unknown" }
  if (!app.callbackUrls.includes(redirectUri)) return { _tag: "Refused", fault: "redirect_uri is not one of the app" }
  const challenge = query.get("code_challenge")
  if (challenge !== null && query.get("code_challenge_method") !== "S256") {
    return { _tag: "Refused", fault: "code_challenge_method must be S256" }
  }
  const location = new URL(redirectUri)
  location.searchParams.set("state", query.get("state") ?? "")
  const user = Hub.personNamed(hub, /person=([\w-]+)/u.exec(cookies)?.[1] ?? "")
  if (user === undefined) {
    location.searchParams.set("error", "access_denied")
    return { _tag: "Redirect", location: location.href }
  }
  const code = Hub.newToken("code")
  hub.codes.set(code, { app, user: { ...user }, redirectUri, challenge })
  location.searchParams.set("code", code)
  return { _tag: "Redirect", location: location.href }
}

/** The answer to a code: a refusal has the status 200, too. A code counts once. */
export const redeem = (hub: Hub.Hub, body: string): JsonObject => {
  const form = new URLSearchParams(body)
  const code = form.get("code") ?? ""
  const found = hub.codes.get(code)
  if (found === undefined || found.app.clientId !== form.get("client_id")) return refused("bad_verification_code")
  if (found.app.clientSecret !== form.get("client_secret")) return refused("incorrect_client_credentials")
  if (found.redirectUri !== form.get("redirect_uri")) return refused("redirect_uri_mismatch")
  hub.codes.delete(code)
  const verified = createHash("sha256")
    .update(form.get("code_verifier") ?? "")
    .digest("base64url")
  if (found.challenge !== null && found.challenge !== verified) return refused("bad_verification_code")
  const token = Hub.newToken("ghu")
  hub.userTokens.set(token, found.user)
  return { access_token: token, token_type: "bearer", scope: "", expires_in: 28_800 }
}

const refused = (error: string): JsonObject => ({ error, error_description: `The request was refused: ${error}.` })
