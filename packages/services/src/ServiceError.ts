/** The errors of the use cases: what a caller can mend. Everything else is a `StoreError`. */
import { Schema } from "effect"

/** What was asked for does not exist, or may not be seen. */
export class NotFound extends Schema.TaggedError<NotFound>()("NotFound", {
  resource: Schema.Literals(["repository", "test", "failure", "quarantine", "pause", "pull_request", "key", "webhook"]),
  message: Schema.String
}) {}

/** Who asks may not do this, and may know why. */
export class Denied extends Schema.TaggedError<Denied>()("Denied", {
  message: Schema.String
}) {}

/** What was asked for contradicts what is stored. */
export class Conflict extends Schema.TaggedError<Conflict>()("Conflict", {
  message: Schema.String
}) {}

/** One fault of a request: `location` such as `query.end`, and a sentence that says what to do. */
export const Fault = Schema.Struct({ location: Schema.String, message: Schema.String })

/** One fault of a request. */
export type Fault = typeof Fault.Type

/** The request is understood and cannot be right; every fault is listed. */
export class Invalid extends Schema.TaggedError<Invalid>()("Invalid", {
  faults: Schema.Array(Fault)
}) {}
