/** Deliveries of GitHub, signed as GitHub signs them. */
import { createHmac } from "node:crypto"
import { Option, Redacted } from "effect"
import type { Call } from "./wire.ts"

/** The secret that GitHub and the servers of a test share. */
export const secret = "It's a Secret to Everybody"

/** The settings of a server that takes deliveries. */
export const takesDeliveries = { gitHubWebhookSecret: Option.some(Redacted.make(secret)) }

/** The value of `X-Hub-Signature-256`. */
export const signature = (body: string, key = secret): string =>
  `sha256=${createHmac("sha256", key).update(body).digest("hex")}`

/** A delivery as GitHub sends it. */
export const delivery = (event: string, payload: unknown): Call => {
  const body = typeof payload === "string" ? payload : JSON.stringify(payload)
  return {
    method: "POST",
    token: null,
    headers: {
      "content-type": "application/json",
      "x-github-event": event,
      "x-github-delivery": "72d3162e-cc78-11e3-81ab-4c9367dc0958",
      "x-hub-signature-256": signature(body)
    },
    body
  }
}
