/** The operations that verify and recompute stored verdicts (beyond the interface). */
import { HttpApiEndpoint } from "effect/http-api"
import * as Access from "../definition/Access.ts"
import * as Operation from "../definition/Operation.ts"
import { repositoryPath } from "../definition/paths.ts"
import * as Problem from "../definition/Problem.ts"
import * as Parameter from "../definition/Parameter.ts"
import { Refolded, Verification } from "./Upkeep.ts"

const params = Parameter.repository

const error = Problem.ofRepository

const demand = Operation.demands(Access.adminKey("write"))

const slow =
  "If the operation takes longer than ten seconds, the response starts with line breaks; a response that ends early has failed."

const refoldRepository = HttpApiEndpoint.post("refoldRepository", `${repositoryPath}/refold`, {
  params,
  success: Refolded,
  error
}).pipe(
  demand,
  Operation.documented({
    summary: "Recompute a repository",
    description: `Recomputes every verdict from the stored executions while uploads continue. ${slow}`
  })
)

const verifyRepository = HttpApiEndpoint.post("verifyRepository", `${repositoryPath}/verify`, {
  params,
  success: Verification,
  error
}).pipe(
  demand,
  Operation.documented({
    summary: "Compare stored verdicts with the executions",
    description: `Recomputes every verdict without storing it, and lists the differences. ${slow}`
  })
)

/** The group of the upkeep operations. */
export class UpkeepApi extends Operation.guarded(
  "upkeep",
  { description: "Verification and recomputation of stored verdicts." },
  refoldRepository,
  verifyRepository
) {}
