/** Merge queues on the wire (interface 2.11, 4.2). */
import type { Schemas } from "@lazaret/api"
import type { BranchesRequest } from "@lazaret/services"
import type { Schema } from "effect"

type Query = Schema.Struct.Type<typeof Schemas.BranchesQuery>

/** The span that a query asks for. */
export const branchesOf = (query: Query): BranchesRequest => ({
  startAt: query.start_at,
  endAt: query.end_at
})
