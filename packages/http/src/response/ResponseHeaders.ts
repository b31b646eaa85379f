/** The headers that every response has. */
import { HttpServerResponse } from "effect/http"

type Response = HttpServerResponse.HttpServerResponse

/** The header that carries the request id. */
export const requestIdHeader = "x-request-id"

/**
 * A response with the headers that it has for every request.
 *
 * **Details**
 *
 * - No cache keeps an answer, and no browser guesses its type, unless the route says otherwise.
 * - A response of a deprecated operation has a `Deprecation` header (RFC 9745).
 */
export const standing = (response: Response, isDeprecated: boolean): Response =>
  HttpServerResponse.setHeaders(response, {
    "x-content-type-options": "nosniff",
    ...(response.headers["cache-control"] === undefined ? { "cache-control": "no-store" } : {}),
    ...(isDeprecated ? { deprecation: deprecatedSince } : {}),
    ...(response.status === 503 ? { "retry-after": retryAfterSeconds } : {})
  })

/** A response with the id of its request. */
export const identified = (response: Response, requestId: string): Response =>
  HttpServerResponse.setHeader(response, requestIdHeader, requestId)

/** The operations are deprecated since the first version: 1 January 2026. */
const deprecatedSince = "@1767225600"

/** A restarted storage responds again after about this many seconds; reporters retry for half a minute. */
const retryAfterSeconds = "2"
