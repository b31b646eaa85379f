/** A repository in short, its tests as people look for them, and its last 30 days, on the wire. */
import type { Schemas } from "@lazaret/api"
import { Instant, Ownership, TestFilter, type TestList, JobRunEvents } from "@lazaret/domain"
import type {
  BranchTest,
  BranchTestsRequest,
  ListedTest,
  ListedTests,
  Listing,
  OutageRun,
  OwnerOverview,
  RepositoryTrend,
  Summary,
  TestListRequest
} from "@lazaret/services"
import type { Schema } from "effect"
import * as Explanation from "./Explanation.ts"
import * as Parameter from "../request/Parameter.ts"

type Query = Schema.Struct.Type<typeof Schemas.TestListQuery>

/** The list that a query asks for: what needs attention first. */
export const requestOf = (query: Query): TestListRequest => {
  const { owners, search } = Ownership.split(query.search ?? "")
  return { ...listOf(query, search), owners: [...(query.owner ?? []), ...owners] }
}

const listOf = (query: Query, search: string): Omit<TestListRequest, "owners"> => ({
  filter: {
    search,
    healthStatus: query.health_status ?? [],
    pipelineName: query.pipeline_name ?? [],
    jobName: query.job_name ?? [],
    isQuarantined: query.quarantined === undefined ? null : query.quarantined === "true",
    match: TestFilter.make({
      testName: { include: query.test_name ?? [], exclude: query.test_name_exclude ?? [] },
      pipelineName: { include: query.pipeline_pattern ?? [] },
      jobName: { include: query.job_pattern ?? [] },
      healthConfidence: { include: query.health_confidence ?? [] },
      failedExecutionsImpact: { include: query.failed_executions_impact ?? [] }
    })
  },
  sort: query.sort ?? "attention",
  direction: query.direction ?? "desc",
  ...Parameter.pageOf(query)
})

/** The page of a listing. */
export const pageOf = (found: ListedTests, perPage: number): typeof Schemas.TestListPage.Type => ({
  size: found.rows.length,
  per_page: perPage,
  offset: found.offset,
  total: found.total,
  tests: found.rows.map(testOf),
  facets: facetsOf(found.facets)
})

/** A repository in short; it names no queue to a caller that may not read merge queues. */
export const summaryOf = (summary: Summary, mayReadQueues: boolean): typeof Schemas.RepositorySummary.Type => ({
  owner: summary.owner,
  repository: summary.repository,
  tests: summary.tests,
  quarantines: summary.quarantines,
  last_upload_at: summary.lastUploadAt,
  links:
    summary.links === null
      ? null
      : {
          commit: summary.links.commit,
          comparison: summary.links.comparison,
          pull_request: summary.links.pullRequest,
          file: summary.links.file
        },
  has_queue: summary.hasQueue && mayReadQueues
})

/** The last 30 days. */
export const trendOf = ({ days, executions }: RepositoryTrend): typeof Schemas.RepositoryTrend.Type => ({
  executions,
  failed_executions: days.reduce((sum, { failedExecutions }) => sum + failedExecutions, 0),
  days: days.map((day) => ({
    start: day.day * Instant.day,
    flaky_tests: day.flaky,
    broken_tests: day.broken,
    quarantines: day.quarantined,
    failed_executions: day.failedExecutions,
    job_runs: day.runs,
    red_job_runs: day.red,
    outages: day.outages,
    flaky_job_runs: day.flakyRuns,
    flaky_job_run_seconds: day.flakyUs / 1_000_000
  }))
})

const testOf = (test: ListedTest): typeof Schemas.ListedTest.Type => ({
  test_id: test.testId,
  test_name: test.testName,
  pipeline_name: test.pipelineName,
  job_name: test.jobName,
  health_status: test.healthStatus,
  health_confidence: test.healthConfidence,
  failed_executions_impact: test.failedExecutionsImpact,
  failure_ratio: test.failedExecutionsRatio,
  executions_count: test.executionsCount,
  failed_count: test.failedCount,
  mean_duration: test.meanDuration,
  first_seen_at: test.firstSeenAt,
  last_failure_at: test.lastFailureAt,
  since: test.since,
  failures_in_a_row: test.failuresInARow,
  is_quarantined: test.isQuarantined,
  file: test.file,
  owners: test.owners
})

/** The tests of each owner. */
export const ownersOf = ({ owners, source }: OwnerOverview): typeof Schemas.OwnerList.Type => ({
  source,
  owners
})

const facetsOf = (facets: TestList.Facets): (typeof Schemas.TestListPage.Type)["facets"] => ({
  health_status: facets.healthStatus,
  pipeline_name: facets.pipelineName,
  job_name: facets.jobName,
  quarantined: facets.isQuarantined
})

/** The list of tests on other branches that a query asks for. */
export const branchRequestOf = (query: Schema.Struct.Type<typeof Schemas.BranchTestsQuery>): BranchTestsRequest => ({
  search: query.search ?? "",
  ...Parameter.pageOf(query)
})

/** The page of a listing of tests on other branches. */
export const branchTestsOf =
  (perPage: number) =>
  ({ rows, total }: Listing.Listing<BranchTest>): typeof Schemas.BranchTestsPage.Type => ({
    size: rows.length,
    per_page: perPage,
    total,
    tests: rows.map((row) => ({
      test_id: row.testId,
      test_name: row.testName,
      pipeline_name: row.pipelineName,
      job_name: row.jobName,
      passed: row.passed,
      failed: row.failed,
      branches: row.branches,
      last_run: Explanation.branchRunOf(row.last)
    }))
  })

/** The page of a listing of outages. */
export const outagesOf =
  (perPage: number) =>
  ({ rows, total }: Listing.Listing<OutageRun>): typeof Schemas.OutagesPage.Type => ({
    size: rows.length,
    per_page: perPage,
    total,
    outages: rows.map((row) => ({
      pipeline_name: row.pipelineName,
      job_name: row.jobName,
      run_id: row.runId,
      run_attempt: row.runAttempt,
      commit: row.commit,
      finished_at: row.at,
      failed: row.failed,
      passed_before: row.passedBefore,
      excused: row.excused,
      sentence: JobRunEvents.outageSentence(row)
    }))
  })
