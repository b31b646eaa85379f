/** The signature of a GitHub webhook: who does not know the secret cannot make one. */
import { createHmac, timingSafeEqual } from "node:crypto"
import { Redacted } from "effect"

/**
 * Whether a header `X-Hub-Signature-256` signs these bytes; a header that is missing or of another form does not.
 *
 * **Details**
 *
 * The time it takes says nothing about how much of a signature is right.
 */
export const signs = (header: string | undefined, secret: Redacted.Redacted, body: Uint8Array): boolean => {
  const digits = /^sha256=([0-9a-f]{64})$/iu.exec(header ?? "")?.[1]
  if (digits === undefined) return false
  const expected = createHmac("sha256", Redacted.value(secret)).update(body).digest()
  return timingSafeEqual(expected, Buffer.from(digits, "hex"))
}
