/** A repository in short, its tests as people look for them, and its last 30 days, on the wire (beyond the interface). */
import { Confidence, HealthStatus, Impact, Ownership, TestIdentity, TestList, TestSort, Text } from "@lazaret/domain"
import { Schema } from "effect"
import { BranchRun, confidenceMeans } from "./Explanation.ts"
import { levels, names } from "./TestFilter.ts"
import * as Parameter from "../definition/Parameter.ts"
import { Timestamp } from "../definition/Timestamp.ts"

const several = <S extends Schema.Codec<string>>(each: S, description: string) =>
  Schema.optionalKey(Schema.Array(each).check(Schema.isMaxLength(255)).annotate({ description }))

/** The parameters of the list of tests. */
export const TestListQuery = {
  search: Schema.optionalKey(
    Text.between(0, 255).annotate({
      description:
        "Only tests whose name has each of these words somewhere, in any case. `!` before a word excludes it; `*` and `?` stand " +
        "for any text and for one character. In the list of tests, a word such as `owner:@acme/web` stands for `owner`."
    })
  ),
  test_name: names.test_name,
  test_name_exclude: names.test_name_exclude,
  pipeline_pattern: names.pipeline_name,
  job_pattern: names.job_name,
  health_confidence: levels.health_confidence,
  failed_executions_impact: levels.failed_executions_impact,
  health_status: several(HealthStatus.HealthStatus, "Only tests with one of these statuses."),
  pipeline_name: several(TestIdentity.Name, "Only tests of one of these pipelines."),
  job_name: several(TestIdentity.Name, "Only tests of one of these jobs."),
  owner: several(
    Ownership.Owner,
    "Only tests whose file one of these owns, as CODEOWNERS names them, in any case. `no-owner`: tests of files that nobody " +
      "owns; `no-file`: tests whose reports name no file."
  ),
  quarantined: Schema.optionalKey(
    Schema.Literals(["true", "false"]).annotate({
      description: "`true`: only tests with a quarantine on some branch; `false`: only the others."
    })
  ),
  sort: Schema.optionalKey(
    TestList.Sort.annotate({
      description:
        "The sort key of the list. `attention`: broken before flaky before healthy, then by the ratio of failures.",
      default: "attention"
    })
  ),
  direction: Schema.optionalKey(
    TestSort.Direction.annotate({ description: "Ascending or descending.", default: "desc" })
  ),
  ...Parameter.page
}

/** The parameters of the list of tests that run on other branches only. */
export const BranchTestsQuery = { search: TestListQuery.search, ...Parameter.page }

/** An identity without a run on the default branch. Counts are of job runs of other branches in the last 30 days. */
export const BranchTest = Schema.Struct({
  test_id: Schema.String.check(Schema.isUUID(5)),
  test_name: Schema.String,
  pipeline_name: Schema.String,
  job_name: Schema.String,
  passed: Schema.Int,
  failed: Schema.Int,
  branches: Schema.Int,
  last_run: BranchRun
}).annotate({ identifier: "BranchTest" })

/** A page of the tests that run on other branches only. */
export const BranchTestsPage = Schema.Struct({
  size: Schema.Int,
  per_page: Schema.Int,
  total: Schema.Int,
  tests: Schema.Array(BranchTest)
}).annotate({ identifier: "BranchTestsPage", description: "Tests that have run on other branches only." })

/** The parameters of the list of outages. */
export const OutagesQuery = Parameter.page

/** A job run of the default branch that is an outage. */
export const OutageRun = Schema.Struct({
  pipeline_name: Schema.String,
  job_name: Schema.String,
  run_id: Schema.String,
  run_attempt: Schema.Int,
  commit: Schema.String,
  finished_at: Timestamp,
  failed: Schema.Int.annotate({ description: "The tests that failed and had passed before, over all uploads." }),
  passed_before: Schema.Int.annotate({ description: "The tests that had passed on the reference commit." }),
  excused: Schema.Boolean.annotate({ description: "Whether its failures are left out of health." }),
  sentence: Schema.String
}).annotate({ identifier: "OutageRun" })

/** A page of outages. */
export const OutagesPage = Schema.Struct({
  size: Schema.Int,
  per_page: Schema.Int,
  total: Schema.Int,
  outages: Schema.Array(OutageRun)
}).annotate({ identifier: "OutagesPage", description: "The outages of a repository, the latest first." })

const ratio = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))

/** One identity of the list. Counts, ratio and mean duration (in seconds) are of the last 30 days. */
export const ListedTest = Schema.Struct({
  test_id: Schema.String.check(Schema.isUUID(5)),
  test_name: Schema.String,
  pipeline_name: Schema.String,
  job_name: Schema.String,
  health_status: HealthStatus.HealthStatus,
  health_confidence: Confidence.Confidence.annotate({ description: confidenceMeans }),
  failed_executions_impact: Schema.NullOr(Impact.Impact),
  failure_ratio: ratio,
  executions_count: Schema.Int,
  failed_count: Schema.Int,
  mean_duration: Schema.NullOr(Schema.Finite),
  first_seen_at: Schema.NullOr(Timestamp),
  last_failure_at: Schema.NullOr(Timestamp),
  since: Schema.NullOr(Timestamp).annotate({
    description: "When the run finished that gave the test its health status."
  }),
  failures_in_a_row: Schema.Int.annotate({
    description: "Failures since the last pass, at any time, without those that an outage excuses."
  }),
  is_quarantined: Schema.Boolean,
  file: Schema.NullOr(Schema.String).annotate({
    description: "The file of the test; null when its reports name none."
  }),
  owners: Schema.Array(Schema.String).annotate({
    description: "The owners of the file, by the CODEOWNERS that counts."
  })
}).annotate({ identifier: "ListedTest" })

const countsOf = <S extends Schema.Constraint>(value: S) => Schema.Array(Schema.Struct({ value, count: Schema.Int }))

/** A page of the list. `offset` is the number of listed tests before this page. */
export const TestListPage = Schema.Struct({
  size: Schema.Int,
  per_page: Schema.Int,
  offset: Schema.Int,
  total: Schema.Int,
  tests: Schema.Array(ListedTest),
  facets: Schema.Struct({
    health_status: countsOf(HealthStatus.HealthStatus),
    pipeline_name: countsOf(Schema.String),
    job_name: countsOf(Schema.String),
    quarantined: countsOf(Schema.Boolean)
  }).annotate({
    description:
      "How many tests have each value of a filter when all other filters hold; of pipelines and jobs the 50 with most tests."
  })
}).annotate({ identifier: "TestListPage", description: "A page of tests, and how many there are by filter." })

/** A repository in short. */
export const RepositorySummary = Schema.Struct({
  owner: Schema.String,
  repository: Schema.String,
  tests: Schema.Struct({ healthy: Schema.Int, flaky: Schema.Int, broken: Schema.Int }),
  quarantines: Schema.Int,
  last_upload_at: Schema.NullOr(Timestamp),
  links: Schema.NullOr(
    Schema.Struct({
      commit: Schema.String,
      comparison: Schema.String,
      pull_request: Schema.String,
      file: Schema.String
    })
  ).annotate({
    description:
      "Where the hosting platform shows commits, the changes between two of them, pull requests and files: addresses with `{commit}`, " +
      "`{base}` and `{head}`, `{number}` and `{path}`. " +
      "By the setting `repository_url`, else by the latest uploads of GitHub Actions or GitLab CI; null without both."
  }),
  has_queue: Schema.Boolean.annotate({
    description: "Whether it has a merge queue that the credential may read."
  })
}).annotate({ identifier: "RepositorySummary", description: "A repository in short." })

const source = Schema.NullOr(Schema.Literals(["platform", "uploaded"])).annotate({
  description: "The source of the CODEOWNERS that counts; null when the repository has none."
})

/** The tests of each owner. */
export const OwnerList = Schema.Struct({
  source,
  owners: Schema.Array(
    Schema.Struct({
      owner: Schema.String.annotate({
        description:
          "As CODEOWNERS names it; `no-owner`: files that nobody owns; `no-file`: tests whose reports name no file."
      }),
      healthy: Schema.Int,
      flaky: Schema.Int,
      broken: Schema.Int,
      quarantined: Schema.Int.annotate({ description: "How many of these tests have a quarantine on some branch." })
    }).annotate({ identifier: "OwnedTests" })
  )
}).annotate({ identifier: "OwnerList", description: "The tests of each owner." })

/** The owners of a test. */
export const TestOwners = Schema.Struct({
  source,
  file: Schema.NullOr(Schema.String),
  owners: Schema.Array(Schema.String).annotate({
    description: "The owners of `file` in the CODEOWNERS that counts."
  })
}).annotate({ identifier: "TestOwners", description: "The file of a test and its owners." })

const known = Schema.NullOr(Schema.Int)

/** The last 30 days of a repository. */
export const RepositoryTrend = Schema.Struct({
  executions: Schema.Int.annotate({ description: "Passed and failed executions of the 30 days." }),
  failed_executions: Schema.Int,
  days: Schema.Array(
    Schema.Struct({
      start: Timestamp,
      flaky_tests: known,
      broken_tests: known,
      quarantines: known,
      failed_executions: Schema.Int,
      job_runs: Schema.Int,
      red_job_runs: Schema.Int,
      outages: Schema.Int,
      flaky_job_runs: Schema.Int.annotate({
        description:
          "Red job runs, outages left out, in which only tests failed that are flaky now. Costs (`listCosts`) count fewer or more: those " +
          "whose failures were proven or judged to be flakes at that time, in whole weeks."
      }),
      flaky_job_run_seconds: Schema.Finite.annotate({
        description:
          "How long the passed and failed executions of these job runs took, added up: tests that ran side by side count each, " +
          "the set-up of the job does not, and a report without durations adds nothing. Costs count the time that the hosting platform says, where it says one."
      })
    }).annotate({ identifier: "TrendDay" })
  )
}).annotate({ identifier: "RepositoryTrend", description: "The last 30 UTC days, oldest first, today last." })
