/** The signature of a GitHub webhook: who does not know the secret cannot make one. */
import { createHmac, timingSafeEqual } from "node:crypto"
import { Option, Redacted } from "effect"

/** Takes the pieces of a body, and says at the end whether the signature signs them. */
export interface Check {
  readonly update: (piece: Uint8Array) => void
  readonly isRight: () => boolean
}

/**
 * The check of a header `X-Hub-Signature-256`; none for a header that is missing or of another form.
 *
 * **Details**
 *
 * The time it takes says nothing about how much of a signature is right.
 */
export const check = (header: string | undefined, secret: Redacted.Redacted): Option.Option<Check> => {
  const digits = /^sha256=([0-9a-f]{64})$/iu.exec(header ?? "")?.[1]
  if (digits === undefined) return Option.none()
  const hmac = createHmac("sha256", Redacted.value(secret))
  return Option.some({
    update: (piece) => void hmac.update(piece),
    isRight: () => timingSafeEqual(hmac.digest(), Buffer.from(digits, "hex"))
  })
}
