/** The operation on issues of tests (beyond the interface). */
import { HttpApiEndpoint } from "effect/http-api"
import * as Access from "../definition/Access.ts"
import * as Operation from "../definition/Operation.ts"
import { repositoryPath } from "../definition/paths.ts"
import * as Problem from "../definition/Problem.ts"
import { IssueList, IssuesQuery } from "./Issue.ts"
import * as Parameter from "../definition/Parameter.ts"

const listIssues = HttpApiEndpoint.get("listIssues", `${repositoryPath}/issues`, {
  params: Parameter.repository,
  query: IssuesQuery,
  success: IssueList,
  error: Problem.ofRepository
}).pipe(
  Operation.demands(Access.readsTests),
  Operation.documented({
    summary: "List issues",
    description:
      "Lists the issues of tests in the issue tracker: open ones first, then those that were opened last; at most 1,000. It also " +
      "says when tests and issues were compared last, and why that failed."
  })
)

/** The group of issues. */
export class IssuesApi extends Operation.guarded(
  "issues",
  { description: "Issues of unhealthy tests in the issue tracker." },
  listIssues
) {}
