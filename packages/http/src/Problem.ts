/**
 * The failures that callers see: RFC 9457 problem documents, one class per status (our choice of body, interface 7).
 *
 * `type` is `about:blank`, which says that the status tells it all; `detail` is always a sentence that says what to do.
 * Here, and nowhere below, the errors of the services get their status.
 */
import {
  type Conflict as ServiceConflict,
  type Denied,
  Fault,
  type Invalid,
  type NotFound as Missing,
  type StoreError
} from "@lazaret/services"
import { Effect, Schema } from "effect"
import { HttpApiError } from "effect/http-api"

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

/** What a use case can fail with. */
export type ServiceError = Missing | ServiceConflict | Denied | Invalid | StoreError

/** The problem that each error of the services is. A store that failed is nobody's fault but ours: it stays a defect. */
interface ProblemOf {
  readonly NotFound: NotFound
  readonly Conflict: Conflict
  readonly Denied: Forbidden
  readonly Invalid: Unprocessable
  readonly StoreError: Unavailable | Unprocessable
}

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

/** Turns the failures of a use case into problem documents. */
export const fromService = <A, E extends ServiceError, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, ProblemOf[E["_tag"]], R> =>
  effect.pipe(Effect.catch((error: E): Effect.Effect<never, ProblemOf[E["_tag"]]> => problemOf(error)))

// The result is indexed by the tag of the error, which is what each case of the switch tests.
function problemOf<E extends ServiceError>(error: E): Effect.Effect<never, ProblemOf[E["_tag"]]>
function problemOf(error: ServiceError): Effect.Effect<never, ProblemOf[keyof ProblemOf]> {
  switch (error._tag) {
    case "NotFound":
      return Effect.fail(new NotFound({ detail: error.message }))
    case "Conflict":
      return Effect.fail(new Conflict({ detail: error.message }))
    case "Denied":
      return Effect.fail(new Forbidden({ detail: error.message }))
    case "Invalid":
      return Effect.fail(unprocessable(error.faults))
    case "StoreError":
      return storeProblem(error)
  }
}

const storeProblem = (error: StoreError): Effect.Effect<never, Unavailable | Unprocessable> => {
  switch (error.reason) {
    case "unavailable":
      return Effect.andThen(Effect.logWarning("The store cannot be reached", error), Effect.fail(unavailable))
    case "invalid":
      return Effect.fail(
        unprocessable([
          { location: "body", message: "The request holds text that cannot be stored: send valid Unicode." }
        ])
      )
    case "failed":
      return Effect.die(error)
  }
}
