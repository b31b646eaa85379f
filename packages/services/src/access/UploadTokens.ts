/** The port of tokens that CI systems issue for their jobs: uploads without an application key. */
import type { UploadOrigin } from "@lazaret/domain"
import { Context, Effect, type Option, type Redacted } from "effect"
import type { IssuerUnavailable, TokenRefused } from "../answer/ServiceError.ts"

/** Verifies tokens of CI systems. */
export interface Verifier {
  /**
   * The run that a token proves; none when no issuer is trusted.
   *
   * `TokenRefused` says what is wrong with the token, `IssuerUnavailable` that its issuer does not respond.
   */
  readonly originOf: (
    token: Redacted.Redacted
  ) => Effect.Effect<Option.Option<UploadOrigin.TokenOrigin>, TokenRefused | IssuerUnavailable>
}

/** The verifier of the server; by default no issuer is trusted. */
export const UploadTokens = Context.Reference<Verifier>("@lazaret/services/UploadTokens", {
  defaultValue: () => ({ originOf: () => Effect.succeedNone })
})
