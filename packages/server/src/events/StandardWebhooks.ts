/** The headers of a signed webhook request by the specification Standard Webhooks 1.0. */
import { createHmac } from "node:crypto"

/** A request to be signed; `sentAt` is in milliseconds since the Unix epoch. */
export interface Message {
  readonly id: string
  readonly secret: string
  readonly sentAt: number
  readonly body: string
}

/**
 * The headers that identify, date and sign a message.
 *
 * **Details**
 *
 * - The signature is the HMAC-SHA256 of id, time in seconds and body, joined by dots, in Base64 after `v1,`.
 * - The key of a secret `whsec_…` is its Base64-decoded rest, as the specification says; the key of any other secret is
 *   its UTF-8 bytes.
 */
export const headers = ({ body, id, secret, sentAt }: Message): Readonly<Record<string, string>> => {
  const timestamp = `${Math.floor(sentAt / 1000)}`
  const signature = createHmac("sha256", keyOf(secret)).update(`${id}.${timestamp}.${body}`).digest("base64")
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": `v1,${signature}` }
}

const prefix = "whsec_"

const keyOf = (secret: string): Buffer =>
  secret.startsWith(prefix) ? Buffer.from(secret.slice(prefix.length), "base64") : Buffer.from(secret)
