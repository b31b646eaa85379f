/** One-time codes that replace an application key in a link, so that the link does not contain the key. */
import { randomBytes } from "node:crypto"
import { Clock, Context, Effect, Layer, Option, Redacted } from "effect"
import { hashOf } from "./KeyRegistry.ts"

interface Issued {
  /** The hash of the secret. */
  readonly key: string
  readonly secret: Redacted.Redacted
  readonly until: number
}

/** How long a code can be redeemed, in milliseconds: a quarter of an hour. */
export const lifetime = 15 * 60_000

/** The maximum number of valid codes of one key; a further code replaces the oldest one. */
const mostOfKey = 10

/** The maximum number of valid codes; a further code replaces the oldest one. A thousand keys are needed to reach it. */
const mostCodes = 1000 * mostOfKey

/**
 * Issues and redeems codes.
 *
 * **Details**
 *
 * Codes are kept in the memory of one process: a restart loses them, and other processes behind the same address reject
 * them. The code of a key that was revoked meanwhile yields the revoked key, which grants nothing.
 */
export class SignInCodes extends Context.Service<
  SignInCodes,
  {
    /** A new code of 192 random bits for the secret, valid until the instant `until` (exclusive). */
    readonly issue: (secret: Redacted.Redacted) => Effect.Effect<{ readonly code: string; readonly until: number }>
    /** The secret of a code; a code can be redeemed once, within its lifetime. */
    readonly redeem: (code: Redacted.Redacted) => Effect.Effect<Option.Option<Redacted.Redacted>>
  }
>()("@lazaret/services/SignInCodes") {
  /** Codes in memory. */
  static readonly layer = Layer.sync(SignInCodes, () => {
    const codes = new Map<string, Issued>()
    /** The hashes of the codes of each key, the oldest first. */
    const ofKeys = new Map<string, Set<string>>()

    const drop = (hash: string): void => {
      const key = codes.get(hash)?.key ?? ""
      codes.delete(hash)
      ofKeys.get(key)?.delete(hash)
      if (ofKeys.get(key)?.size === 0) ofKeys.delete(key)
    }

    const issue = Effect.fnUntraced(function* (secret: Redacted.Redacted) {
      const now = yield* Clock.currentTimeMillis
      const code = randomBytes(24).toString("base64url")
      const key = hashOf(Redacted.value(secret))
      // All codes live equally long: the oldest is the first to end.
      for (const [hash, { until }] of codes) {
        if (until > now && codes.size < mostCodes) break
        drop(hash)
      }
      const own = ofKeys.get(key) ?? new Set()
      for (const oldest of own) {
        if (own.size < mostOfKey) break
        drop(oldest)
      }
      const until = now + lifetime
      const hash = hashOf(code)
      codes.set(hash, { key, secret, until })
      ofKeys.set(key, own.add(hash))
      return { code, until }
    })

    const redeem = Effect.fnUntraced(function* (code: Redacted.Redacted) {
      const now = yield* Clock.currentTimeMillis
      const hash = hashOf(Redacted.value(code))
      const found = Option.fromUndefinedOr(codes.get(hash))
      drop(hash)
      return Option.map(
        Option.filter(found, ({ until }) => now < until),
        ({ secret }) => secret
      )
    })

    return SignInCodes.of({ issue, redeem })
  })
}
