/** The operations on the quarantine list (interface 4.1.8 to 4.1.11). */
import { HttpApi, HttpApiEndpoint, HttpApiSchema } from "effect/http-api"
import * as Access from "../definition/Access.ts"
import { linked } from "../definition/Linked.ts"
import * as Operation from "../definition/Operation.ts"
import { repositoryPath } from "../definition/paths.ts"
import * as Problem from "../definition/Problem.ts"
import * as Parameter from "../definition/Parameter.ts"
import {
  CheckedQuarantines,
  CheckQuarantines,
  CreatedQuarantine,
  ChangeQuarantineLife,
  CreateQuarantine,
  QuarantinedTest,
  QuarantineDebt,
  QuarantineLife,
  QuarantineLivesPage,
  QuarantinesPage,
  QuarantinesQuery,
  SetQuarantineLife
} from "./Quarantine.ts"

const listPath = `${repositoryPath}/quarantines` as const

const one = { ...Parameter.repository, quarantine_id: Parameter.uuid("The id of a quarantine.") }

/** Interface 4.1.8. */
const listQuarantines = HttpApiEndpoint.get("listQuarantines", listPath, {
  params: Parameter.repository,
  query: QuarantinesQuery,
  success: linked(QuarantinesPage),
  error: Problem.ofRepository
}).pipe(
  Operation.revalidated,
  Operation.demands(Access.readsTests),
  Operation.documented({
    summary: "List quarantined tests",
    description:
      "Lists the active quarantines, oldest first. Without `per_page` the response holds all of them; this is deprecated."
  })
)

/** Interface 4.1.9. */
const createQuarantine = HttpApiEndpoint.post("createQuarantine", listPath, {
  params: Parameter.repository,
  payload: CreateQuarantine,
  success: CreatedQuarantine.pipe(HttpApiSchema.status(201)),
  error: Problem.ofRepositoryBody
}).pipe(
  Operation.demands(Access.anyCredential("write")),
  Operation.documented({
    summary: "Create a quarantine",
    description:
      "Quarantines a test on one branch, on the branches that match a pattern, or on every branch. A second quarantine of " +
      "the same test and branch is a conflict."
  })
)

/** Interface 4.1.10. */
const getQuarantine = HttpApiEndpoint.get("getQuarantine", `${listPath}/:quarantine_id`, {
  params: one,
  success: QuarantinedTest,
  error: Problem.ofRepository
}).pipe(
  Operation.revalidated,
  Operation.demands(Access.readsTests),
  Operation.documented({
    summary: "Get a quarantined test",
    description: "Shows one active quarantine."
  })
)

/** Interface 4.1.11. */
const deleteQuarantine = HttpApiEndpoint.delete("deleteQuarantine", `${listPath}/:quarantine_id`, {
  params: one,
  success: HttpApiSchema.NoContent.annotate({ description: "The quarantine has ended." }),
  error: Problem.ofRepository
}).pipe(
  Operation.demands(Access.anyCredential("write")),
  Operation.documented({
    summary: "Remove a quarantine",
    description: "Ends a quarantine. An ended quarantine is not found."
  })
)

const lifePath = `${listPath}/:quarantine_id/life` as const

const getQuarantineLife = HttpApiEndpoint.get("getQuarantineLife", lifePath, {
  params: one,
  success: QuarantineLife,
  error: Problem.ofRepository
}).pipe(
  Operation.demands(Access.readsTests),
  Operation.documented({
    summary: "Get the life of a quarantine",
    description: "Shows the end, the runs, the owner and the ticket of an active quarantine."
  })
)

const listQuarantineLives = HttpApiEndpoint.get("listQuarantineLives", `${repositoryPath}/quarantine-lives`, {
  params: Parameter.repository,
  query: QuarantinesQuery,
  success: linked(QuarantineLivesPage),
  error: Problem.ofRepository
}).pipe(
  Operation.demands(Access.readsTests),
  Operation.documented({
    summary: "List the lives of quarantines",
    description:
      "Shows until when each active quarantine holds, and in which runs: in the order and on the pages of the quarantines."
  })
)

const setQuarantineLife = HttpApiEndpoint.put("setQuarantineLife", lifePath, {
  params: one,
  payload: SetQuarantineLife,
  success: QuarantineLife,
  error: Problem.ofRepositoryBody
}).pipe(
  Operation.demands(Access.anyCredential("write")),
  Operation.documented({
    summary: "Give a quarantine another life",
    description:
      "Replaces the end, the owner, the ticket and the scope of an active quarantine. From its end on, failures of its test " +
      "block again, and the quarantine is not found. The same body twice changes nothing."
  })
)

const changeQuarantineLife = HttpApiEndpoint.patch("changeQuarantineLife", lifePath, {
  params: one,
  payload: ChangeQuarantineLife,
  success: QuarantineLife,
  error: Problem.ofRepositoryBody
})
  .annotate(HttpApi.PayloadParseOptions, Operation.strict)
  .pipe(
    Operation.demands(Access.anyCredential("write")),
    Operation.documented({
      summary: "Change the life of a quarantine",
      description:
        "Changes the fields that the body names, in one transaction; null clears a field. The others stay, also when somebody else " +
        "changes them at the same time."
    })
  )

const getQuarantineDebt = HttpApiEndpoint.get("getQuarantineDebt", `${repositoryPath}/quarantine-debt`, {
  params: Parameter.repository,
  success: QuarantineDebt,
  error: Problem.ofRepository
}).pipe(
  Operation.demands(Access.readsTests),
  Operation.documented({
    summary: "Get the debt of quarantines",
    description:
      "Lists the active quarantines, at most the 500 oldest, with their age and owners, the CI runs of the default branch of the " +
      "last 30 days that each would have blocked, and the kinds of failure that its test has had only since it began. Those " +
      "that would have blocked most come first."
  })
)

const checkQuarantines = HttpApiEndpoint.post("checkQuarantines", `${repositoryPath}/quarantines/check`, {
  params: Parameter.repository,
  payload: CheckQuarantines,
  success: CheckedQuarantines,
  error: Problem.ofRepositoryBody
}).pipe(
  Operation.demands(Access.anyCredential("read")),
  Operation.documented({
    summary: "Check which tests are quarantined",
    description: "Splits test names into those that are quarantined on a branch and the others."
  })
)

/** The group of the operations on the quarantine list. */
export class QuarantinesApi extends Operation.guarded(
  "quarantines",
  { description: "Tests whose failures do not block a change." },
  listQuarantines,
  createQuarantine,
  getQuarantine,
  deleteQuarantine,
  getQuarantineLife,
  listQuarantineLives,
  setQuarantineLife,
  changeQuarantineLife,
  getQuarantineDebt,
  checkQuarantines
) {}
