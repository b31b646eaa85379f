/** The failures of sign-ins, as people read them. */
import { SignInFailed } from "@lazaret/services"
import { Effect } from "effect"
import * as Client from "openid-client"

/** A failure; the message is a sentence for the person. */
export const failed = (reason: SignInFailed["reason"], message: string, cause?: unknown): SignInFailed =>
  new SignInFailed({ reason, message, ...(cause === undefined ? {} : { cause }) })

/** A step of the library, with its errors as failures. */
export const attempt = <A>(ask: () => Promise<A>): Effect.Effect<A, SignInFailed> =>
  Effect.tryPromise({ try: ask, catch: reasonOf })

/** The errors of the answer to a code that is unknown, used or too old; the second one is GitHub's. */
const unknownCode: ReadonlySet<string> = new Set(["invalid_grant", "bad_verification_code"])

/** The reasons of the library: what the person or the provider refused, what was wrong with an answer, and no answer. */
const reasonOf = (cause: unknown): SignInFailed => {
  if (cause instanceof Client.AuthorizationResponseError) {
    return cause.error === "access_denied"
      ? failed("refused", "You, or the provider, refused the sign-in.", cause)
      : failed("refused", `The provider refused the sign-in: ${cause.error}.`, cause)
  }
  if (cause instanceof Client.ResponseBodyError) {
    return unknownCode.has(cause.error)
      ? failed("invalid", "The provider does not know this answer, or it was used already. Sign in again.", cause)
      : failed(
          "unavailable",
          `The provider refused this server: ${cause.error}. The operator finds more in its log.`,
          cause
        )
  }
  const code = cause instanceof Client.ClientError ? cause.code : undefined
  if (code?.startsWith("OAUTH_JWT_") === true || code === "OAUTH_INVALID_RESPONSE") {
    return failed("invalid", "The answer of the provider is not one for this sign-in. Sign in again.", cause)
  }
  return failed("unavailable", "The provider does not respond as it should. Try again later.", cause)
}
