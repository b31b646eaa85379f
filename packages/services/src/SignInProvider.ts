/** The port of a provider that signs people in: it leads the browser away, and says who comes back. */
import type { Credential } from "@lazaret/domain"
import { Context, type Effect, Option, Schema } from "effect"

/**
 * A person was not signed in; `message` is a sentence for the person.
 *
 * **Details**
 *
 * - `unavailable`: the provider does not respond, or not as its standard says.
 * - `refused`: the person or the provider refused.
 * - `invalid`: the answer is not one to the question that this browser asked, or it is not for this server, or too old.
 * - `not_allowed`: the person is known, and may not sign in here.
 */
export class SignInFailed extends Schema.TaggedError<SignInFailed>()("SignInFailed", {
  reason: Schema.Literals(["unavailable", "refused", "invalid", "not_allowed"]),
  message: Schema.String,
  cause: Schema.optionalKey(Schema.Defect())
}) {}

/** The secrets of one attempt; only the browser that began it has them. */
export const SignInChecks = Schema.Struct({ state: Schema.String, nonce: Schema.String, verifier: Schema.String })

/** The secrets of one attempt. */
export type SignInChecks = typeof SignInChecks.Type

/** A provider: `title` is its name on the button. */
export interface SignInProvider {
  readonly title: string
  /** The address at the provider to which the browser is led; it comes back to `callback`. */
  readonly begin: (
    callback: string
  ) => Effect.Effect<{ readonly url: string; readonly checks: SignInChecks }, SignInFailed>
  /** The person who comes back to an address with the answer of the provider. */
  readonly complete: (answer: URL, checks: SignInChecks) => Effect.Effect<Credential.User, SignInFailed>
}

/** The provider of the server, if one is set. */
export const SignInProvider: Context.Reference<Option.Option<SignInProvider>> = Context.Reference<
  Option.Option<SignInProvider>
>("@lazaret/services/SignInProvider", { defaultValue: () => Option.none() })
