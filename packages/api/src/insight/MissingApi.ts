/** The operation on losses (beyond the interface). */
import { HttpApiEndpoint } from "effect/http-api"
import * as Access from "../definition/Access.ts"
import { linked } from "../definition/Linked.ts"
import * as Operation from "../definition/Operation.ts"
import * as Parameter from "../definition/Parameter.ts"
import { repositoryPath } from "../definition/paths.ts"
import * as Problem from "../definition/Problem.ts"
import { LossesPage, LossesQuery } from "./Missing.ts"

const listLosses = HttpApiEndpoint.get("listLosses", `${repositoryPath}/losses`, {
  params: Parameter.repository,
  query: LossesQuery,
  success: linked(LossesPage),
  error: Problem.ofRepository
}).pipe(
  Operation.demands(Access.readsTests),
  Operation.documented({
    summary: "List tests and jobs that did not run",
    description:
      "Lists losses on the default branch, the latest first: tests that ran in most of the latest runs of their job and did not run, and " +
      "jobs that did not report while others did. They are searched for in the background, a quarter of an hour after a run; " +
      "`computed_at` says when."
  })
)

/** The group of losses. */
export class MissingApi extends Operation.guarded(
  "missing",
  { description: "What did not run although it was expected." },
  listLosses
) {}
