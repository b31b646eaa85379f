/** The routes that read tests (interface 4.1.1 to 4.1.7, 4.1.12). */
import { Statistic } from "@lazaret/domain"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authentication } from "../Authentication.ts"
import { linked } from "../Linked.ts"
import * as Problem from "../Problem.ts"
import { RequestErrors } from "../RequestErrors.ts"
import { ExplainedTestBody } from "../wire/Explanation.ts"
import * as Parameter from "../wire/Parameter.ts"
import { TestDetails } from "../wire/TestDetails.ts"
import { ExecutionsPage, ExecutionsQuery } from "../wire/TestExecutions.ts"
import { TestFailureDetail, TestFailures } from "../wire/TestFailure.ts"
import * as TestFilter from "../wire/TestFilter.ts"
import { SearchPage, SearchQuery } from "../wire/TestSearch.ts"
import { RepositoryStatistic, TestStatistic } from "../wire/TestStatistic.ts"
import { bounds } from "../wire/Timestamp.ts"
import { HealthTransitions } from "../wire/Transitions.ts"

const error = [Problem.NotFound, Problem.Unprocessable, Problem.Unavailable]

const test = { ...Parameter.repository, test_id: Parameter.testId }

const described = (summary: string, description: string) => OpenApi.annotations({ summary, description })

/** Interface 4.1.1. */
const searchTests = HttpApiEndpoint.get("searchTests", "/search/tests", {
  params: Parameter.repository,
  query: SearchQuery,
  success: linked(SearchPage),
  error
}).annotateMerge(
  described(
    "Search tests",
    "Lists the identities (test, pipeline and job) that ran on the default branch in the last 30 days. Values of one " +
      "parameter are alternatives, parameters must all hold, and `_exclude` removes."
  )
)

/** Interface 4.1.2. */
const getTest = HttpApiEndpoint.get("getTest", "/tests/:test_id", {
  params: test,
  success: TestDetails,
  error
}).annotateMerge(
  described(
    "Get test details",
    "Shows a test over all its identities. Ratios are fractions of the passed and failed executions of the last 30 days."
  )
)

/** Interface 4.1.3. */
const getTestStatistic = HttpApiEndpoint.get("getTestStatistic", "/tests/:test_id/stats/:stat", {
  params: { ...test, stat: Statistic.TestStatistic.annotate({ description: "Which statistic." }) },
  query: bounds,
  success: TestStatistic,
  error
}).annotateMerge(
  described(
    "Get one test statistic as a time series",
    "Counts executions, or averages their duration in seconds, over a window and per bucket of it. Buckets of 1 hour, " +
      "4 hours, 1 day or 2 days fit the window, are aligned to the Unix epoch, and are there when they are empty. " +
      "`value` sums up exactly the buckets that are shown."
  )
)

/** Interface 4.1.4. */
const getHealthTransitions = HttpApiEndpoint.get("getHealthTransitions", "/tests/:test_id/health-transitions", {
  params: test,
  query: bounds,
  success: HealthTransitions,
  error
}).annotateMerge(
  described(
    "Get health transitions",
    "Shows when the verdict on a test changed. Each point is the verdict at the end of its bucket, from every run " +
      "before that moment; `at` is the start of the bucket."
  )
)

/** Not in the interface. */
const explainTest = HttpApiEndpoint.get("explainTest", "/tests/:test_id/explain", {
  params: test,
  success: ExplainedTestBody,
  error
}).annotateMerge(
  described(
    "Explain the verdict on a test",
    "Shows, per identity, which executions led to its status, by which rule, how sure that is, and what is missing for " +
      "recovery. `evidence` are the executions without which the status would be another one, `context` the earlier ones " +
      "that they contradict; of each, and of the changes, the latest 100. With 95 % confidence the true flake rate is " +
      "below `flake_rate_bound`, judged by the clean reruns since the last failure."
  )
)

/** Interface 4.1.5. */
const listTestFailures = HttpApiEndpoint.get("listTestFailures", "/tests/:test_id/failures", {
  params: test,
  success: TestFailures,
  error
}).annotateMerge(
  described("List test failures", "Groups the failures of a test by exception; the group that failed last comes first.")
)

/** Interface 4.1.6. */
const getTestFailure = HttpApiEndpoint.get("getTestFailure", "/tests/:test_id/failures/:failure_id", {
  params: { ...test, failure_id: Parameter.failureId },
  success: TestFailureDetail,
  error
}).annotateMerge(described("Get a test failure", "Shows one group of failures with its latest events, newest first."))

/** Interface 4.1.7. */
const listTestExecutions = HttpApiEndpoint.get("listTestExecutions", "/tests/:test_id/executions", {
  params: test,
  query: ExecutionsQuery,
  success: linked(ExecutionsPage),
  error
}).annotateMerge(
  described(
    "List a test's executions",
    "Lists the identities under which a test ran on the default branch in a window, and how often."
  )
)

/** Interface 4.1.12. */
const getRepositoryStatistic = HttpApiEndpoint.get("getRepositoryStatistic", "/tests/stats/:stat", {
  params: {
    ...Parameter.repository,
    stat: Statistic.RepositoryStatistic.annotate({ description: "Which statistic." })
  },
  query: { ...TestFilter.names, ...TestFilter.levels },
  success: RepositoryStatistic,
  error
}).annotateMerge(
  described(
    "Get a repository test statistic",
    "Counts the tests of a repository now, or their failed executions of the last 30 UTC days. The series is always " +
      "failed executions per day, of the tests that the statistic counts."
  )
)

/** The group of the routes that read tests. */
export class TestsApi extends HttpApiGroup.make("tests", { topLevel: true })
  .add(
    searchTests,
    getTest,
    getTestStatistic,
    getHealthTransitions,
    explainTest,
    listTestFailures,
    getTestFailure,
    listTestExecutions,
    getRepositoryStatistic
  )
  .prefix("/v1/ci/:owner/repositories/:repository")
  .middleware(RequestErrors)
  .middleware(Authentication)
  .annotateMerge(OpenApi.annotations({ description: "Health, statistics and failures of tests." })) {}
