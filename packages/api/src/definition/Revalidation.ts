/** The middleware of operations whose answers have an entity tag (RFC 9110, section 8.8.3). */
import { Context } from "effect"
import { HttpApiMiddleware } from "effect/http-api"
import type { Principal } from "./Authentication.ts"

/**
 * Answers a request whose `If-None-Match` names the current answer with 304, and gives answers their `ETag`.
 *
 * **Details**
 *
 * It runs after authentication, so that a 304 tells a caller nothing that it may not read, and before anything of the request
 * is decoded. Operations without the annotation `Revalidated` are left alone.
 */
export class Revalidation extends HttpApiMiddleware.Service<Revalidation, { requires: Principal }>()(
  "@lazaret/api/Revalidation"
) {}

/** The endpoint annotation of an operation whose answers have an entity tag. */
export const Revalidated = Context.Reference("@lazaret/api/Revalidated", { defaultValue: () => false })

/** The endpoint annotation of an operation whose answers depend on the caller alone: not on the request, nor on what is stored. */
export const OfCaller = Context.Reference("@lazaret/api/OfCaller", { defaultValue: () => false })
