/** Health transitions on the wire (interface 2.6). */
import { HealthStatus } from "@lazaret/domain"
import type { Transitions } from "@lazaret/services"
import { Schema } from "effect"
import { PullRef } from "./PullRequest.ts"
import { Timestamp } from "./Timestamp.ts"

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

/** The edges as the wire shows them. */
export const of = (found: Transitions): typeof HealthTransitions.Type => ({
  transitions: found.transitions.map((edge) => ({
    at: edge.at,
    health_status: edge.status,
    exception_type: edge.exceptionType,
    pull_request: edge.pull
  })),
  first_activity_at: found.firstActivityAt
})
