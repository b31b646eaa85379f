/** The operations on causes (beyond the interface). */
import { HttpApiEndpoint } from "effect/http-api"
import * as Access from "../definition/Access.ts"
import { linked } from "../definition/Linked.ts"
import * as Operation from "../definition/Operation.ts"
import * as Parameter from "../definition/Parameter.ts"
import { repositoryPath } from "../definition/paths.ts"
import * as Problem from "../definition/Problem.ts"
import {
  CausesPage,
  CausesQuery,
  CauseTestsPage,
  ChangeCause,
  QuarantineCause,
  QuarantinedCause,
  SharedCause
} from "./Cause.ts"

const listPath = `${repositoryPath}/causes` as const

const onePath = `${listPath}/:cause_id` as const

const one = { ...Parameter.repository, cause_id: Parameter.uuid("The id of a cause.") }

const listCauses = HttpApiEndpoint.get("listCauses", listPath, {
  params: Parameter.repository,
  query: CausesQuery,
  success: linked(CausesPage),
  error: Problem.ofRepository
}).pipe(
  Operation.demands(Access.readsTests),
  Operation.documented({
    summary: "List causes of failures",
    description:
      "Lists what failures have in common: tests that fail together, and outages; those that made most job runs red first. Causes are " +
      "computed in the background, minutes after reports with failures; `computed_at` says when."
  })
)

const getCause = HttpApiEndpoint.get("getCause", onePath, {
  params: one,
  success: SharedCause,
  error: Problem.ofRepository
}).pipe(
  Operation.demands(Access.readsTests),
  Operation.documented({
    summary: "Get a cause",
    description: "Shows one cause: since when, how often, in which jobs, and the latest job runs with it."
  })
)

const listCauseTests = HttpApiEndpoint.get("listCauseTests", `${onePath}/tests`, {
  params: one,
  query: Parameter.page,
  success: linked(CauseTestsPage),
  error: Problem.ofRepository
}).pipe(
  Operation.demands(Access.readsTests),
  Operation.documented({
    summary: "List the tests of a cause",
    description: "Lists the tests that fail with a cause, those that fail most often first, at most 5,000."
  })
)

const changeCause = HttpApiEndpoint.patch("changeCause", onePath, {
  params: one,
  payload: ChangeCause,
  success: SharedCause,
  error: Problem.ofRepositoryBody
}).pipe(
  Operation.demands(Access.anyCredential("write")),
  Operation.documented({
    summary: "Own, ticket, silence or close a cause",
    description: "Stores decisions about a cause. A field that is left out stays as it is."
  })
)

const quarantineCause = HttpApiEndpoint.post("quarantineCause", `${onePath}/quarantine`, {
  params: one,
  payload: QuarantineCause,
  success: QuarantinedCause,
  error: Problem.ofRepositoryBody
}).pipe(
  Operation.demands(Access.anyCredential("write")),
  Operation.documented({
    summary: "Quarantine the tests of a cause",
    description: "Quarantines each test of a cause that has no such quarantine yet, at most 500."
  })
)

/** The group of causes. */
export class CausesApi extends Operation.guarded(
  "causes",
  { description: "What failures have in common." },
  listCauses,
  getCause,
  listCauseTests,
  changeCause,
  quarantineCause
) {}
