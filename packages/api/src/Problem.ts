/**
 * The failures that callers see: RFC 9457 problem documents, one class per status (our choice of body, interface 7).
 *
 * `type` is `about:blank`, which says that the status tells it all; `detail` is always a sentence that says what to do.
 * Here, and nowhere below, the errors of the services get their status.
 */
import { Schema } from "effect"
import { HttpApiError } from "effect/http-api"

/** One fault of a request: `location` such as `query.end`, and a sentence that says what to do. */
export const Fault = Schema.Struct({ location: Schema.String, message: Schema.String })

/** One fault of a request. */
export type Fault = typeof Fault.Type

/** The answer carries the id of its request (`Answers`); who makes a problem does not know it. */
const detail = { detail: Schema.String, request_id: Schema.optionalKey(Schema.String) }

const blank = "about:blank"

/** The credential is missing, malformed, unknown, revoked, or does not reach this (interface 5). */
export class Forbidden extends HttpApiError.Problem<Forbidden>()(
  "Forbidden",
  { type: blank, status: 403, title: "Forbidden" },
  detail
) {}

/** What the path names does not exist. */
export class NotFound extends HttpApiError.Problem<NotFound>()(
  "NotFound",
  { type: blank, status: 404, title: "Not Found" },
  detail
) {}

/** The method is none of the path's; the `Allow` header names those. */
export class MethodNotAllowed extends HttpApiError.Problem<MethodNotAllowed>()(
  "MethodNotAllowed",
  { type: blank, status: 405, title: "Method Not Allowed" },
  detail
) {}

/** The request contradicts what is stored. */
export class Conflict extends HttpApiError.Problem<Conflict>()(
  "Conflict",
  { type: blank, status: 409, title: "Conflict" },
  detail
) {}

/** The body is larger than the route takes. */
export class ContentTooLarge extends HttpApiError.Problem<ContentTooLarge>()(
  "ContentTooLarge",
  { type: blank, status: 413, title: "Content Too Large" },
  detail
) {}

/** The body is of a type or encoding that the route does not take. */
export class UnsupportedMediaType extends HttpApiError.Problem<UnsupportedMediaType>()(
  "UnsupportedMediaType",
  { type: blank, status: 415, title: "Unsupported Media Type" },
  detail
) {}

/** The request is wrong; every fault is listed. */
export class Unprocessable extends HttpApiError.Problem<Unprocessable>()(
  "Unprocessable",
  { type: blank, status: 422, title: "Unprocessable Content" },
  { ...detail, errors: Schema.Array(Fault) }
) {}

/** The caller has sent more requests than the server takes; the `Retry-After` header says when to try again. */
export class TooManyRequests extends HttpApiError.Problem<TooManyRequests>()(
  "TooManyRequests",
  { type: blank, status: 429, title: "Too Many Requests" },
  detail
) {}

/** Something is broken here; `request_id` finds it in the log. */
export class Internal extends HttpApiError.Problem<Internal>()(
  "Internal",
  { type: blank, status: 500, title: "Internal Server Error" },
  detail
) {}

/** The request can succeed later; the `Retry-After` header says when to try again. */
export class Unavailable extends HttpApiError.Problem<Unavailable>()(
  "Unavailable",
  { type: blank, status: 503, title: "Service Unavailable" },
  detail
) {}

/** A request that is wrong in these ways. */
export const unprocessable = (faults: ReadonlyArray<Fault>): Unprocessable =>
  new Unprocessable({
    detail:
      faults.length === 1
        ? "The request has a fault: correct what `errors` names and send it again."
        : `The request has ${faults.length} faults: correct what \`errors\` names and send it again.`,
    errors: faults
  })

/**
 * A request without a credential that reaches what it asks for. It says no more, so that an unfit caller learns nothing.
 */
export const forbidden = new Forbidden({
  detail: "Send the header `Authorization: Bearer <token>` with a token that may do this in this repository."
})

/** The store cannot be reached just now. */
export const unavailable = new Unavailable({
  detail: "The storage cannot be reached at the moment. Send the same request again after a pause."
})
