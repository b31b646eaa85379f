/** The operations that read tests (interface 4.1.1 to 4.1.7, 4.1.12). */
import { Statistic } from "@lazaret/domain"
import { HttpApiEndpoint } from "effect/http-api"
import * as Access from "../definition/Access.ts"
import { linked } from "../definition/Linked.ts"
import * as Operation from "../definition/Operation.ts"
import { repositoryPath } from "../definition/paths.ts"
import * as Problem from "../definition/Problem.ts"
import { ExplainedTest } from "./Explanation.ts"
import * as Parameter from "../definition/Parameter.ts"
import { TestDetails } from "./TestDetails.ts"
import { ExecutionsPage, ExecutionsQuery } from "./TestExecutions.ts"
import { TestFailureDetail, TestFailures } from "./TestFailure.ts"
import { FlakyDetectionContext } from "./FlakyDetection.ts"
import * as TestFilter from "./TestFilter.ts"
import { SearchPage, SearchQuery } from "./TestSearch.ts"
import { RepositoryStatistic, TestStatistic } from "./TestStatistic.ts"
import { bounds } from "../definition/Timestamp.ts"
import { HealthTransitions } from "./Transitions.ts"

const error = Problem.ofRepository

const test = { ...Parameter.repository, test_id: Parameter.testId }

const testPath = `${repositoryPath}/tests/:test_id` as const

const demand = Operation.demands(Access.readsTests)

/** Interface 4.1.1. */
const searchTests = HttpApiEndpoint.get("searchTests", `${repositoryPath}/search/tests`, {
  params: Parameter.repository,
  query: SearchQuery,
  success: linked(SearchPage),
  error
}).pipe(
  Operation.revalidated,
  demand,
  Operation.documented({
    summary: "Search tests",
    description:
      "Lists the identities (test, pipeline and job) that ran on the default branch in the last 30 days. The values of one " +
      "parameter are alternatives, all parameters must match, and `_exclude` parameters remove identities."
  })
)

/** Interface 4.1.2. */
const getTest = HttpApiEndpoint.get("getTest", testPath, { params: test, success: TestDetails, error }).pipe(
  Operation.revalidated,
  demand,
  Operation.documented({
    summary: "Get test details",
    description:
      "Shows a test over all its identities. Ratios are fractions of the passed and failed executions of the last 30 days."
  })
)

/** Interface 4.1.3. */
const getTestStatistic = HttpApiEndpoint.get("getTestStatistic", `${testPath}/stats/:stat`, {
  params: { ...test, stat: Statistic.TestStatistic.annotate({ description: "The statistic." }) },
  query: bounds,
  success: TestStatistic,
  error
}).pipe(
  demand,
  Operation.documented({
    summary: "Get one test statistic as a time series",
    description:
      "Counts executions, or averages their duration in seconds, over a window and per bucket. A bucket lasts 1 hour, 4 hours, " +
      "1 day or 2 days, depending on the window, and is aligned to the Unix epoch. Empty buckets are included. `value` sums " +
      "up the buckets."
  })
)

/** Interface 4.1.4. */
const getHealthTransitions = HttpApiEndpoint.get("getHealthTransitions", `${testPath}/health-transitions`, {
  params: test,
  query: bounds,
  success: HealthTransitions,
  error
}).pipe(
  demand,
  Operation.documented({
    summary: "Get health transitions",
    description:
      "Shows when the verdict on a test changed. Each point is the verdict at the end of its bucket, computed from every run " +
      "before that moment; `at` is the start of the bucket."
  })
)

/** Beyond the interface. */
const explainTest = HttpApiEndpoint.get("explainTest", `${testPath}/explain`, {
  params: test,
  success: ExplainedTest,
  error
}).pipe(
  demand,
  Operation.documented({
    summary: "Explain the verdict on a test",
    description:
      "Shows for each identity which executions led to its status, by which rule, with which confidence, and what is missing " +
      "for recovery. `evidence` holds the executions without which the status would differ, `context` the earlier executions " +
      "that they contradict; both lists and `changes` hold the latest 100. With 95 % confidence the true flake rate is below " +
      "`flake_rate_bound`, which follows from the clean reruns since the last failure."
  })
)

/** Interface 4.1.5. */
const listTestFailures = HttpApiEndpoint.get("listTestFailures", `${testPath}/failures`, {
  params: test,
  success: TestFailures,
  error
}).pipe(
  Operation.revalidated,
  demand,
  Operation.documented({
    summary: "List test failures",
    description: "Groups the failures of a test by exception; the group with the latest failure comes first."
  })
)

/** Interface 4.1.6. */
const getTestFailure = HttpApiEndpoint.get("getTestFailure", `${testPath}/failures/:failure_id`, {
  params: { ...test, failure_id: Parameter.failureId },
  success: TestFailureDetail,
  error
}).pipe(
  Operation.revalidated,
  demand,
  Operation.documented({
    summary: "Get a test failure",
    description: "Shows one group of failures with its latest 10 events, newest first."
  })
)

/** Interface 4.1.7. */
const listTestExecutions = HttpApiEndpoint.get("listTestExecutions", `${testPath}/executions`, {
  params: test,
  query: ExecutionsQuery,
  success: linked(ExecutionsPage),
  error
}).pipe(
  demand,
  Operation.documented({
    summary: "List a test's executions",
    description:
      "Lists the identities under which a test ran on the default branch in a window, with the number of executions of each."
  })
)

/** Interface 4.1.12. */
const getRepositoryStatistic = HttpApiEndpoint.get("getRepositoryStatistic", `${repositoryPath}/tests/stats/:stat`, {
  params: { ...Parameter.repository, stat: Statistic.RepositoryStatistic.annotate({ description: "The statistic." }) },
  query: { ...TestFilter.names, ...TestFilter.levels },
  success: RepositoryStatistic,
  error
}).pipe(
  Operation.revalidated,
  Operation.demands(Access.administrative("read")),
  Operation.documented({
    summary: "Get a repository test statistic",
    description:
      "Counts the tests of a repository now, or their failed executions of the last 30 UTC days. The series always holds the " +
      "failed executions per day of the tests that the statistic counts."
  })
)

const getFlakyDetectionContext = HttpApiEndpoint.get(
  "getFlakyDetectionContext",
  `${repositoryPath}/flaky-detection-context`,
  { params: Parameter.repository, success: FlakyDetectionContext, error: Problem.ofRepository }
).pipe(
  Operation.demands(Access.anyCredential("read")),
  Operation.documented({
    summary: "Get the context of flaky detection",
    description:
      "Lists the known, the flaky and the broken tests, and the time budget of reruns. Not found when flaky detection is off."
  })
)

/** The group of the operations that read tests. */
export class TestsApi extends Operation.guarded(
  "tests",
  { description: "Health, statistics and failures of tests." },
  searchTests,
  getTest,
  getTestStatistic,
  getHealthTransitions,
  explainTest,
  listTestFailures,
  getTestFailure,
  listTestExecutions,
  getRepositoryStatistic,
  getFlakyDetectionContext
) {}
