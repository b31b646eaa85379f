/** One-time codes that stand for an application key, so that a link can sign a person in without showing the key. */
import { randomBytes } from "node:crypto"
import { Clock, Context, Effect, Layer, Option, Redacted } from "effect"
import { hashOf } from "./Keys.ts"

/** How long a code can be redeemed, in milliseconds: a quarter of an hour. */
export const lifetime = 15 * 60_000

/** Who asks for more has asked by mistake: the oldest code is forgotten. */
const mostCodes = 1000

/**
 * Issues and redeems codes.
 *
 * **Details**
 *
 * Codes live in the memory of one process: a restart forgets them, and another process behind the same address does not
 * know them. A key that is revoked in the meantime is of no use to who redeems its code.
 */
export class SignInCodes extends Context.Service<
  SignInCodes,
  {
    /** A new code of 192 random bits that stands for the secret until the instant `until`, which is too late. */
    readonly issue: (secret: Redacted.Redacted) => Effect.Effect<{ readonly code: string; readonly until: number }>
    /** The secret of a code, the first time and within its lifetime. */
    readonly redeem: (code: Redacted.Redacted) => Effect.Effect<Option.Option<Redacted.Redacted>>
  }
>()("@lazaret/services/SignInCodes") {
  /** Codes in memory. */
  static readonly layer = Layer.sync(SignInCodes, () => {
    const codes = new Map<string, { readonly secret: Redacted.Redacted; readonly until: number }>()

    const issue = Effect.fnUntraced(function* (secret: Redacted.Redacted) {
      const now = yield* Clock.currentTimeMillis
      const code = randomBytes(24).toString("base64url")
      for (const [hash, { until }] of codes) if (until <= now || codes.size >= mostCodes) codes.delete(hash)
      const until = now + lifetime
      codes.set(hashOf(code), { secret, until })
      return { code, until }
    })

    const redeem = Effect.fnUntraced(function* (code: Redacted.Redacted) {
      const now = yield* Clock.currentTimeMillis
      const hash = hashOf(Redacted.value(code))
      const found = Option.fromUndefinedOr(codes.get(hash))
      codes.delete(hash)
      return Option.map(
        Option.filter(found, ({ until }) => now < until),
        ({ secret }) => secret
      )
    })

    return SignInCodes.of({ issue, redeem })
  })
}
