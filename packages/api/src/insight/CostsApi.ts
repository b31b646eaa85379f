/** The operation on costs (beyond the interface). */
import { HttpApiEndpoint } from "effect/http-api"
import * as Access from "../definition/Access.ts"
import { linked } from "../definition/Linked.ts"
import * as Operation from "../definition/Operation.ts"
import * as Parameter from "../definition/Parameter.ts"
import { repositoryPath } from "../definition/paths.ts"
import * as Problem from "../definition/Problem.ts"
import { CostsPage, CostsQuery } from "./Cost.ts"

const listCosts = HttpApiEndpoint.get("listCosts", `${repositoryPath}/costs`, {
  params: Parameter.repository,
  query: CostsQuery,
  success: linked(CostsPage),
  error: Problem.ofRepository
}).pipe(
  Operation.demands(Access.readsTests),
  Operation.documented({
    summary: "Show what flaky tests cost",
    description:
      "Shows the time of machines and people that flaky tests cost, by cause, test, owner or week, the most expensive first, and how " +
      "many commits and pull requests only flakes made red. Costs are computed in the background, minutes after reports; " +
      "`computed_at` says when."
  })
)

/** The group of costs. */
export class CostsApi extends Operation.guarded("costs", { description: "What flaky tests cost." }, listCosts) {}
