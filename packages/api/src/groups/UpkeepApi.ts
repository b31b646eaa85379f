/** The routes of operators who doubt what is stored (beyond the interface). */
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authentication } from "../Authentication.ts"
import * as Problem from "../Problem.ts"
import { RequestErrors } from "../RequestErrors.ts"
import * as Parameter from "../wire/Parameter.ts"
import { Refolded, Verification } from "../wire/Upkeep.ts"

const prefix = "/v1/ci/:owner/repositories/:repository"

const params = Parameter.repository

const error = [Problem.NotFound, Problem.Unprocessable, Problem.Unavailable]

const slow = "An answer that takes longer than ten seconds begins with line breaks; one that breaks off has failed."

const refoldRepository = HttpApiEndpoint.post("refoldRepository", `${prefix}/refold`, {
  params,
  success: Refolded,
  error
}).annotateMerge(
  OpenApi.annotations({
    summary: "Compute a repository anew",
    description: `Folds everything again from the kept executions, while uploads go on. ${slow}`
  })
)

const verifyRepository = HttpApiEndpoint.post("verifyRepository", `${prefix}/verify`, {
  params,
  success: Verification,
  error
}).annotateMerge(
  OpenApi.annotations({
    summary: "Compare what is stored with what the executions say",
    description: `Folds everything again without storing it, and names every difference. ${slow}`
  })
)

/** The group of the routes of upkeep. */
export class UpkeepApi extends HttpApiGroup.make("upkeep", { topLevel: true })
  .add(refoldRepository, verifyRepository)
  .middleware(RequestErrors)
  .middleware(Authentication)
  .annotateMerge(OpenApi.annotations({ description: "What operators do who doubt what is stored." })) {}
