/**
 * The errors of the API: RFC 9457 problem documents, one class per status (our choice of body, interface 7).
 *
 * `type` is `about:blank`: the status says everything that a program needs. `detail` is a sentence that says what to do.
 */
import { Schema } from "effect"
import { HttpApiError } from "effect/http-api"

/** One fault of a request: `location` such as `query.end`, and a sentence that says what to do. */
export const Fault = Schema.Struct({ location: Schema.String, message: Schema.String })

/** One fault of a request. */
export type Fault = typeof Fault.Type

/** The members of every problem document. The response middleware adds `request_id`. */
const detail = { detail: Schema.String, request_id: Schema.optionalKey(Schema.String) }

/** The members that say which problem it is: the phrase of the status is the title (RFC 9457, section 4.2.1). */
const head = <const Status extends number, const Title extends string>(status: Status, title: Title) =>
  ({ type: "about:blank", status, title }) as const

/** The credential is missing, malformed, unknown, revoked or insufficient (interface 5). */
export class Forbidden extends HttpApiError.Problem<Forbidden>()("Forbidden", head(403, "Forbidden"), detail) {}

/** The resource that the path names does not exist. */
export class NotFound extends HttpApiError.Problem<NotFound>()("NotFound", head(404, "Not Found"), detail) {}

/** The path does not have this method; the `Allow` header lists the methods that it has. */
export class MethodNotAllowed extends HttpApiError.Problem<MethodNotAllowed>()(
  "MethodNotAllowed",
  head(405, "Method Not Allowed"),
  detail
) {}

/** The request contradicts what is stored. */
export class Conflict extends HttpApiError.Problem<Conflict>()("Conflict", head(409, "Conflict"), detail) {}

/** The body is larger than the operation accepts. */
export class ContentTooLarge extends HttpApiError.Problem<ContentTooLarge>()(
  "ContentTooLarge",
  head(413, "Content Too Large"),
  detail
) {}

/** The operation does not accept the type or the encoding of the body. */
export class UnsupportedMediaType extends HttpApiError.Problem<UnsupportedMediaType>()(
  "UnsupportedMediaType",
  head(415, "Unsupported Media Type"),
  detail
) {}

/** The request is invalid; `errors` lists every fault. */
export class Unprocessable extends HttpApiError.Problem<Unprocessable>()(
  "Unprocessable",
  head(422, "Unprocessable Content"),
  { ...detail, errors: Schema.Array(Fault) }
) {}

/** The caller exceeds its rate limit; the `Retry-After` header says when to try again. */
export class TooManyRequests extends HttpApiError.Problem<TooManyRequests>()(
  "TooManyRequests",
  head(429, "Too Many Requests"),
  detail
) {}

/** The server failed; `request_id` identifies the failure in its log. */
export class Internal extends HttpApiError.Problem<Internal>()(
  "Internal",
  head(500, "Internal Server Error"),
  detail
) {}

/** The request can succeed later; the `Retry-After` header says when to try again. */
export class Unavailable extends HttpApiError.Problem<Unavailable>()(
  "Unavailable",
  head(503, "Service Unavailable"),
  detail
) {}

/** Every problem document. */
export const all = [
  Forbidden,
  NotFound,
  MethodNotAllowed,
  Conflict,
  ContentTooLarge,
  UnsupportedMediaType,
  Unprocessable,
  TooManyRequests,
  Internal,
  Unavailable
] as const

/** The problems that every operation on a repository declares, in addition to those of its middleware (interface 7). */
export const ofRepository = [NotFound, Conflict, Unprocessable, Unavailable] as const

/** The problems that every operation on a repository with a body declares. */
export const ofRepositoryBody = [...ofRepository, ContentTooLarge, UnsupportedMediaType] as const

/** The problem document of a request with these faults. */
export const unprocessable = (faults: ReadonlyArray<Fault>): Unprocessable =>
  new Unprocessable({
    detail:
      faults.length === 1
        ? "The request has a fault: correct what `errors` names and send it again."
        : `The request has ${faults.length} faults: correct what \`errors\` names and send it again.`,
    errors: faults
  })

/** The problem document for every unauthorised request. It is the same for all causes, so that it reveals nothing. */
export const forbidden = new Forbidden({
  detail: "Send the header `Authorization: Bearer <token>` with a token that may do this in this repository."
})

/** The problem document for a caller who may not do something that concerns an owner, or the whole server. */
export const forbiddenHere = new Forbidden({
  detail:
    "Send the header `Authorization: Bearer <token>` with an application key that may do this, or sign in as a person who may. It " +
    "concerns an owner or the whole server: a key of one repository's CI, or a role in one repository, is not enough."
})

/** The problem document while the storage does not respond. */
export const unavailable = new Unavailable({
  detail: "The storage does not respond. Send the same request again later."
})

/** The problem document where what is stored for a request cannot be read until an operator repairs it. */
export const damaged = new Unavailable({
  detail:
    "What is stored about a test of this request is damaged. The whole request is refused, and no part of it is stored; " +
    "requests about other tests are answered. " +
    "An operator finds the damage in the log of the server, and repairs it with `lazaret repo refold`."
})
