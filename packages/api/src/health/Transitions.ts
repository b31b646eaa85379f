/** Health transitions on the wire (interface 2.6). */
import { HealthStatus } from "@lazaret/domain"
import { Schema } from "effect"
import { PullRef } from "../report/PullRequest.ts"
import { Timestamp } from "../definition/Timestamp.ts"

/** One edge of the health series (interface 2.6). */
export const HealthTransition = Schema.Struct({
  at: Timestamp,
  health_status: HealthStatus.HealthStatus,
  exception_type: Schema.optionalKey(Schema.NullOr(Schema.String)),
  pull_request: Schema.optionalKey(Schema.NullOr(PullRef))
}).annotate({ identifier: "HealthTransition" })

/** The edges in a window (interface 2.6). */
export const HealthTransitions = Schema.Struct({
  transitions: Schema.Array(HealthTransition),
  first_activity_at: Schema.NullOr(Timestamp)
}).annotate({ identifier: "HealthTransitions", description: "The edges of the health series, oldest first." })
