/** One-time codes that replace an application key in a link, so that the link does not contain the key. */
import { randomBytes } from "node:crypto"
import type { ApplicationKey } from "@lazaret/domain"
import { SignInCodeStore, type StoreError } from "@lazaret/store"
import { Clock, Context, Effect, Layer, Option, Redacted } from "effect"
import { hashOf, KeyRegistry } from "./KeyRegistry.ts"

/** How long a code can be redeemed, in milliseconds: a quarter of an hour. */
const lifetime = 15 * 60_000

/** The maximum number of valid codes of one key; a further code replaces the oldest one. */
const mostOfKey = 10

/**
 * Issues and redeems codes.
 *
 * **Details**
 *
 * The hash of a code is in the store, with the id of its key: every server process redeems it, also after a restart. The code of a
 * key that was revoked meanwhile yields nothing.
 */
export class SignInCodes extends Context.Service<
  SignInCodes,
  {
    /**
     * A new code of 192 random bits for the key of the secret, valid until the instant `until` (exclusive). For a secret that is
     * not a key in force it yields nothing when it is redeemed.
     */
    readonly issue: (
      secret: Redacted.Redacted
    ) => Effect.Effect<{ readonly code: string; readonly until: number }, StoreError>
    /** The key of a code; a code can be redeemed once, within its lifetime. */
    readonly redeem: (
      code: Redacted.Redacted
    ) => Effect.Effect<Option.Option<ApplicationKey.ApplicationKey>, StoreError>
  }
>()("@lazaret/services/SignInCodes") {
  /** Codes in the store. */
  static readonly layer = Layer.effect(
    SignInCodes,
    Effect.gen(function* () {
      const store = yield* SignInCodeStore
      const keys = yield* KeyRegistry

      const issue = Effect.fn("SignInCodes.issue")(function* (secret: Redacted.Redacted) {
        const createdAt = yield* Clock.currentTimeMillis
        const code = randomBytes(24).toString("base64url")
        const key = yield* keys.authenticate(secret)
        if (Option.isSome(key)) {
          yield* store.insert(
            { hash: hashOf(code), keyId: key.value.id, createdAt },
            { createdBefore: createdAt - lifetime, mostOfKey }
          )
        }
        return { code, until: createdAt + lifetime }
      })

      const redeem = Effect.fn("SignInCodes.redeem")(function* (code: Redacted.Redacted) {
        const taken = yield* store.take(hashOf(Redacted.value(code)))
        const now = yield* Clock.currentTimeMillis
        return Option.isSome(taken) && now < taken.value.createdAt + lifetime
          ? yield* keys.inForce(taken.value.keyId)
          : Option.none()
      })

      return SignInCodes.of({ issue, redeem })
    })
  )
}
