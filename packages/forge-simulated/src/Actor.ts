/** The sender of a request: the app itself, one of its installations, a person, or nobody. */
import { verify } from "node:crypto"
import * as Hub from "./Hub.ts"
import { isObject, type Json } from "./Json.ts"

/** The sender of a request. */
export type Actor =
  | { readonly _tag: "Anonymous" }
  | { readonly _tag: "App"; readonly app: Hub.App }
  | { readonly _tag: "Installation"; readonly app: Hub.App; readonly installation: Hub.Installation }
  | { readonly _tag: "Person"; readonly token: string }
  | { readonly _tag: "Refused"; readonly message: string }

/** The sender that an `Authorization` header proves. */
export const of = (hub: Hub.Hub, header: string | undefined): Actor => {
  if (header === undefined) return { _tag: "Anonymous" }
  const token = /^(?:bearer|token) (\S+)$/iu.exec(header)?.[1] ?? ""
  if (token.split(".").length === 3) return ofJwt(hub, token)
  if (!token.startsWith("ghs_")) return isKnown(hub, token) ? { _tag: "Person", token } : refused("Bad credentials")
  const found = hub.tokens.get(token)
  if (found === undefined || found.expiresAt <= Hub.now(hub)) return refused("Bad credentials")
  const installation = hub.installations.get(found.installation)
  const app = hub.apps.get(installation?.appId ?? 0)
  if (installation === undefined || installation.isSuspended || app === undefined) return refused("Bad credentials")
  return { _tag: "Installation", app, installation }
}

const refused = (message: string): Actor => ({ _tag: "Refused", message })

const isKnown = ({ repositories, userTokens }: Hub.Hub, token: string): boolean =>
  userTokens.has(token) || repositories.some(({ tokens }) => tokens.has(token))

/** GitHub's rules: RS256, issued in the past, at most ten minutes until the end. */
const ofJwt = (hub: Hub.Hub, token: string): Actor => {
  const [head = "", body = "", signature = ""] = token.split(".")
  const claims = decoded(body)
  const header = decoded(head)
  const issuer = isObject(claims) ? Number(claims["iss"]) : Number.NaN
  const app = hub.apps.get(issuer)
  if (!isObject(claims) || !isObject(header) || app === undefined) {
    return refused("A JSON web token could not be decoded")
  }
  const isSigned = verify(
    "RSA-SHA256",
    Buffer.from(`${head}.${body}`),
    Hub.publicKeyOf(app),
    Buffer.from(signature, "base64url")
  )
  if (header["alg"] !== "RS256" || !isSigned) return refused("A JSON web token could not be decoded")
  const seconds = Hub.now(hub) / 1000
  const { exp, iat } = claims
  if (typeof exp !== "number" || exp <= seconds) {
    return refused(
      "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires"
    )
  }
  if (exp > seconds + 600) return refused("'Expiration time' claim ('exp') is too far in the future")
  if (typeof iat !== "number" || iat > seconds) {
    return refused("'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued")
  }
  return { _tag: "App", app }
}

const decoded = (part: string): Json => {
  try {
    return JSON.parse(Buffer.from(part, "base64url").toString())
  } catch {
    return null
  }
}
