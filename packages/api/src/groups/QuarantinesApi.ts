/** The routes of the quarantine list (interface 4.1.8 to 4.1.11). */
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Authentication } from "../Authentication.ts"
import { linked } from "../Linked.ts"
import * as Problem from "../Problem.ts"
import { RequestErrors } from "../RequestErrors.ts"
import * as Parameter from "../wire/Parameter.ts"
import {
  CreatedQuarantine,
  CreateQuarantine,
  QuarantinedTest,
  QuarantinesPage,
  QuarantinesQuery
} from "../wire/Quarantine.ts"

const described = (summary: string, description: string) => OpenApi.annotations({ summary, description })

const one = { ...Parameter.repository, quarantine_id: Parameter.uuid("The identifier of a quarantine.") }

const error = [Problem.NotFound, Problem.Unprocessable, Problem.Unavailable]

/** Interface 4.1.8. */
const listQuarantines = HttpApiEndpoint.get("listQuarantines", "/quarantines", {
  params: Parameter.repository,
  query: QuarantinesQuery,
  success: linked(QuarantinesPage),
  error
}).annotateMerge(
  described(
    "List quarantined tests",
    "Lists what is quarantined now, the oldest quarantine first. Without `per_page` everything comes in one answer; " +
      "that is deprecated."
  )
)

/** Interface 4.1.9. */
const createQuarantine = HttpApiEndpoint.post("createQuarantine", "/quarantines", {
  params: Parameter.repository,
  payload: CreateQuarantine,
  success: CreatedQuarantine.pipe(HttpApiSchema.status(201)),
  error: [
    Problem.Conflict,
    Problem.ContentTooLarge,
    Problem.UnsupportedMediaType,
    Problem.Unprocessable,
    Problem.Unavailable
  ]
}).annotateMerge(
  described(
    "Create a quarantine",
    "Quarantines a test on one branch, or on every branch. A test that is quarantined there already is a conflict."
  )
)

/** Interface 4.1.10. */
const getQuarantine = HttpApiEndpoint.get("getQuarantine", "/quarantines/:quarantine_id", {
  params: one,
  success: QuarantinedTest,
  error
}).annotateMerge(described("Get a quarantined test", "Shows one quarantine, as long as it holds."))

/** Interface 4.1.11. */
const deleteQuarantine = HttpApiEndpoint.delete("deleteQuarantine", "/quarantines/:quarantine_id", {
  params: one,
  success: HttpApiSchema.NoContent.annotate({ description: "The quarantine has ended." }),
  error
}).annotateMerge(described("Remove a quarantine", "Ends a quarantine; ending it again finds nothing."))

/** The group of the routes of the quarantine list. */
export class QuarantinesApi extends HttpApiGroup.make("quarantines", { topLevel: true })
  .add(listQuarantines, createQuarantine, getQuarantine, deleteQuarantine)
  .prefix("/v1/ci/:owner/repositories/:repository")
  .middleware(RequestErrors)
  .middleware(Authentication)
  .annotateMerge(OpenApi.annotations({ description: "Tests whose failures are not held against a change." })) {}
