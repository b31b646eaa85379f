/** Health transitions on the wire (interface 2.6). */
import type { Schemas } from "@lazaret/api"
import type { Transitions } from "@lazaret/services"

/** The edges as the wire shows them. */
export const of = (found: Transitions): typeof Schemas.HealthTransitions.Type => ({
  transitions: found.transitions.map((edge) => ({
    at: edge.at,
    health_status: edge.status,
    exception_type: edge.exceptionType,
    pull_request: edge.pull
  })),
  first_activity_at: found.firstActivityAt
})
