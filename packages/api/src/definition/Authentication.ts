/** The middleware of operations that demand a credential, and the principal that it provides (interface 5). */
import type { Credential } from "@lazaret/domain"
import { Context } from "effect"
import { HttpApiMiddleware, HttpApiSecurity } from "effect/http-api"
import * as Problem from "./Problem.ts"

/** The authenticated caller of the current request. */
export class Principal extends Context.Service<Principal, Credential.Principal>()("@lazaret/api/Principal") {}

/**
 * Authenticates the bearer token of a request against the demand of the operation, and provides the principal.
 *
 * **Details**
 *
 * It runs before anything of the request is decoded, so that an unauthorised caller cannot distinguish a valid request
 * from an invalid one, or an existing resource from a missing one.
 */
export class Authentication extends HttpApiMiddleware.Service<Authentication, { provides: Principal }>()(
  "@lazaret/api/Authentication",
  {
    requiredForClient: true,
    security: { bearer: HttpApiSecurity.bearer },
    error: [Problem.Forbidden, Problem.Unavailable, Problem.Unprocessable, Problem.TooManyRequests]
  }
) {}
