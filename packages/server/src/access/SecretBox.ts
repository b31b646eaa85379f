/** Secrets at rest: AES-256-GCM with keys of the operator. */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto"
import { Sealer } from "@lazaret/store"
import { Redacted, Result } from "effect"

/** The bytes of a key. */
export const keyBytes = 32

const nonceBytes = 12

const tagBytes = 16

/**
 * A sealer with keys: the first one seals, all of them open.
 *
 * **Details**
 *
 * A sealed text is `sealed:v1:`, the id of the key, and base64url of nonce, ciphertext and tag. The nonce is random: 96 bits
 * suffice for 2³² texts of one key. The place is authenticated, and so is the id of the key.
 */
export const make = (keys: ReadonlyArray<Redacted.Redacted<Uint8Array>>): Sealer.Sealer => {
  const byId = new Map(keys.map((key) => [idOf(Redacted.value(key)), key]))
  const [newest] = byId
  return {
    seal: (text, place) => (newest === undefined ? text : encrypted(newest, text, place)),
    open: (sealed, place) => {
      const key = byId.get(Sealer.keyOf(sealed))
      return key === undefined ? null : decrypted(Redacted.value(key), sealed, place)
    },
    isCurrent: (kept) =>
      newest === undefined ? !Sealer.isSealed(kept) : Sealer.isSealed(kept) && Sealer.keyOf(kept) === newest[0]
  }
}

/** The id of a key: 48 bits of a hash of it, from which the key cannot be found. */
export const idOf = (key: Uint8Array): string =>
  createHash("sha256").update("lazaret secret key\0").update(key).digest("hex").slice(0, 12)

const encrypted = (
  [id, key]: readonly [string, Redacted.Redacted<Uint8Array>],
  text: string,
  place: string
): string => {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv("aes-256-gcm", Redacted.value(key), nonce)
  cipher.setAAD(additional(id, place))
  const body = Buffer.concat([nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()])
  return `${Sealer.prefix}${id}:${body.toString("base64url")}`
}

const decrypted = (key: Uint8Array, sealed: string, place: string): string | null => {
  const id = Sealer.keyOf(sealed)
  const body = Buffer.from(sealed.slice(Sealer.prefix.length + id.length + 1), "base64url")
  if (body.length < nonceBytes + tagBytes) return null
  const decipher = createDecipheriv("aes-256-gcm", key, body.subarray(0, nonceBytes), { authTagLength: tagBytes })
  decipher.setAAD(additional(id, place))
  decipher.setAuthTag(body.subarray(-tagBytes))
  const text = decipher.update(body.subarray(nonceBytes, -tagBytes))
  // The library reports a changed text as an exception.
  return Result.getOrElse(
    Result.try(() => Buffer.concat([text, decipher.final()]).toString("utf8")),
    () => null
  )
}

const additional = (id: string, place: string): Buffer => Buffer.from(`${id}\0${place}`, "utf8")
