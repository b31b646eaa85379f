/** The operations that look over a repository (beyond the interface). */
import { HttpApiEndpoint } from "effect/http-api"
import * as Access from "../definition/Access.ts"
import { linked } from "../definition/Linked.ts"
import * as Operation from "../definition/Operation.ts"
import { repositoryPath } from "../definition/paths.ts"
import * as Problem from "../definition/Problem.ts"
import {
  BranchTestsPage,
  BranchTestsQuery,
  OwnerList,
  OutagesPage,
  OutagesQuery,
  RepositorySummary,
  RepositoryTrend,
  TestListPage,
  TestListQuery,
  TestOwners
} from "./Overview.ts"
import * as Parameter from "../definition/Parameter.ts"

const error = Problem.ofRepository

const listTests = HttpApiEndpoint.get("listTests", `${repositoryPath}/tests`, {
  params: Parameter.repository,
  query: TestListQuery,
  success: linked(TestListPage),
  error
}).pipe(
  Operation.revalidated,
  Operation.demands(Access.readsTests),
  Operation.documented({
    summary: "List tests",
    description:
      "Lists the identities (test, pipeline and job) that ran on the default branch in the last 30 days, for people:  " +
      "what needs attention first, found by parts of the name in any case, with the number of tests for each value of a filter."
  })
)

const getSummary = HttpApiEndpoint.get("getSummary", `${repositoryPath}/summary`, {
  params: Parameter.repository,
  success: RepositorySummary,
  error
}).pipe(
  Operation.revalidated,
  Operation.demands(Access.readsTests),
  Operation.documented({
    summary: "Get a repository in short",
    description:
      "Counts the identities that ran in the last 30 days by status, and says when the latest upload arrived and where the " +
      "hosting platform shows the repository."
  })
)

const getTrend = HttpApiEndpoint.get("getTrend", `${repositoryPath}/trend`, {
  params: Parameter.repository,
  success: RepositoryTrend,
  error
}).pipe(
  Operation.revalidated,
  Operation.demands(Access.administrative("read")),
  Operation.documented({
    summary: "Get the last 30 days of a repository",
    description:
      "Shows per UTC day how many tests were flaky and broken and how many quarantines there were at its end, and how many job " +
      "runs of the default branch were red. A change of a verdict belongs to the day on which its run finished. Counts of a day to " +
      "which the log of events does not reach back are null."
  })
)

const listOwners = HttpApiEndpoint.get("listOwners", `${repositoryPath}/owners`, {
  params: Parameter.repository,
  success: OwnerList,
  error
}).pipe(
  Operation.revalidated,
  Operation.demands(Access.readsTests),
  Operation.documented({
    summary: "List owners and their tests",
    description:
      "Counts the identities that ran in the last 30 days for each owner of their files, those with most unhealthy tests first. A " +
      "test with several owners counts for each. Tests without an owner, and tests without a file, come last."
  })
)

const getTestOwners = HttpApiEndpoint.get("getTestOwners", `${repositoryPath}/tests/:test_id/owners`, {
  params: { ...Parameter.repository, test_id: Parameter.testId },
  success: TestOwners,
  error
}).pipe(
  Operation.demands(Access.readsTests),
  Operation.documented({
    summary: "Get the owners of a test",
    description:
      "Shows who owns the file of a test. The list is empty when reports name no file, when nobody owns it, and without a CODEOWNERS."
  })
)

const listBranchTests = HttpApiEndpoint.get("listBranchTests", `${repositoryPath}/branch-tests`, {
  params: Parameter.repository,
  query: BranchTestsQuery,
  success: linked(BranchTestsPage),
  error
}).pipe(
  Operation.demands(Access.readsTests),
  Operation.documented({
    summary: "List tests that run on other branches only",
    description:
      "Lists the identities that have never run on the default branch, with their job runs on other branches in the last 30 days, " +
      "among the latest 200 of each job. They have no health yet. Those with the most runs come first."
  })
)

const listOutages = HttpApiEndpoint.get("listOutages", `${repositoryPath}/outages`, {
  params: Parameter.repository,
  query: OutagesQuery,
  success: linked(OutagesPage),
  error
}).pipe(
  Operation.demands(Access.readsTests),
  Operation.documented({
    summary: "List outages",
    description:
      "Lists the job runs of the default branch in which many tests failed at once that had passed before, the latest first, at most " +
      "1,000. Unlike the event `job_run.outage`, the counts are those of all uploads of the run."
  })
)

/** The group of the operations that look over a repository. */
export class OverviewApi extends Operation.guarded(
  "overview",
  { description: "A summary of a repository, and the search for people." },
  listTests,
  getSummary,
  getTrend,
  listOwners,
  getTestOwners,
  listBranchTests,
  listOutages
) {}
