/** The port of the providers that sign people in: each leads the browser away, and says who comes back. */
import type { AssignedRole, Credential } from "@lazaret/domain"
import { Context, Effect, Schema } from "effect"

/**
 * A person was not signed in; `message` is a sentence for the person.
 *
 * **Details**
 *
 * - `unavailable`: the provider does not respond, or not as its standard says.
 * - `refused`: the person or the provider refused.
 * - `invalid`: the answer is not one to the question that this browser asked, or it is not for this server, or too old.
 * - `not_allowed`: the person is known, and may not sign in here.
 *
 * **To do:** Show `message`. For `unavailable` try again later; for `invalid` start the sign-in again.
 */
export class SignInFailed extends Schema.TaggedError<SignInFailed>()("SignInFailed", {
  reason: Schema.Literals(["unavailable", "refused", "invalid", "not_allowed"]),
  message: Schema.String,
  cause: Schema.optionalKey(Schema.Defect())
}) {}

/** The secrets of one attempt; only the browser that began it has them. Without an ID token there is no `nonce`. */
export const SignInChecks = Schema.Struct({
  state: Schema.String,
  nonce: Schema.optionalKey(Schema.String),
  verifier: Schema.String
})

/** The secrets of one attempt. */
export type SignInChecks = typeof SignInChecks.Type

/** A provider: `title` is its name on the button. */
export interface SignInProvider {
  readonly kind: AssignedRole.Provider
  readonly title: string
  /** The address at the provider to which the browser is led; it comes back to `callback`. */
  readonly begin: (
    callback: string
  ) => Effect.Effect<{ readonly url: string; readonly checks: SignInChecks }, SignInFailed>
  /** The person who comes back to an address with the answer of the provider, with the roles that the provider's groups give. */
  readonly complete: (answer: URL, checks: SignInChecks) => Effect.Effect<Credential.User, SignInFailed>
}

/** The providers of the server now: an app that is created from the dashboard adds one. */
export const SignInProviders: Context.Reference<Effect.Effect<ReadonlyArray<SignInProvider>>> = Context.Reference<
  Effect.Effect<ReadonlyArray<SignInProvider>>
>("@lazaret/services/SignInProviders", { defaultValue: () => Effect.succeed([]) })
