/** The operations that judge failures (beyond the interface). */
import { HttpApiEndpoint } from "effect/http-api"
import * as Access from "../definition/Access.ts"
import { CommitsPage, CommitsQuery } from "./Commit.ts"
import { triageExamples } from "./TriageExamples.ts"
import { linked } from "../definition/Linked.ts"
import * as Operation from "../definition/Operation.ts"
import { repositoryPath } from "../definition/paths.ts"
import * as Problem from "../definition/Problem.ts"
import * as Parameter from "../definition/Parameter.ts"
import {
  AskedTriage,
  AskTriage,
  failurePath,
  MarkedFailure,
  MarkFailure,
  TriagePage,
  TriageQuery,
  triageSubject,
  VerdictPrecision
} from "./Triage.ts"

const demand = Operation.demands(Access.readsTests)

const about =
  "One row for each test, pipeline and job that failed, those that the gate stops for first. `conclusion`, `counts` and " +
  "`sentence` are about all failures, whatever the filter and the page. `complete` is false while a job is running or " +
  "missing. The verdict may change when more results arrive."

const list = { query: TriageQuery, success: linked(TriagePage), error: Problem.ofRepository }

const listCommitFailures = HttpApiEndpoint.get("listCommitFailures", `${repositoryPath}/commits/:commit/failures`, {
  params: { ...Parameter.repository, commit: triageSubject.commit },
  ...list
}).pipe(
  demand,
  Operation.documented({
    summary: "Judge the failures of a commit",
    description: `Judges each failure on a commit, over all runs and jobs. ${about}`,
    example: triageExamples.listFailures
  })
)

const listRunFailures = HttpApiEndpoint.get("listRunFailures", `${repositoryPath}/runs/:run_id/failures`, {
  params: { ...Parameter.repository, run_id: triageSubject.run_id },
  ...list
}).pipe(
  demand,
  Operation.documented({
    summary: "Judge the failures of a run",
    description: `Judges each failure of a run; \`job_name\` selects one job run. ${about}`,
    example: triageExamples.listFailures
  })
)

const listPullRequestFailures = HttpApiEndpoint.get(
  "listPullRequestFailures",
  `${repositoryPath}/pulls/:number/failures`,
  {
    params: { ...Parameter.repository, number: triageSubject.number },
    ...list
  }
).pipe(
  demand,
  Operation.documented({
    summary: "Judge the failures of a pull request",
    description: `Judges each failure on the latest commit of a pull request. ${about}`,
    example: triageExamples.listFailures
  })
)

const askTriage = HttpApiEndpoint.post("askTriage", `${repositoryPath}/failures/triage`, {
  params: Parameter.repository,
  payload: AskTriage,
  success: AskedTriage,
  error: Problem.ofRepositoryBody
}).pipe(
  demand,
  Operation.documented({
    summary: "Judge failures that were not uploaded",
    description:
      "Judges each failure of a job, before or without an upload of its report. Nothing is stored. In a repository " +
      "without reports, every failure is one of a new test."
  })
)

const markFailure = HttpApiEndpoint.put(
  "markFailure",
  `${repositoryPath}/tests/:test_id/executions/:execution_id/mark`,
  {
    params: { ...Parameter.repository, ...failurePath },
    payload: MarkFailure,
    success: MarkedFailure,
    error: Problem.ofRepositoryBody
  }
).pipe(
  Operation.demands(Access.anyCredential("write")),
  Operation.documented({
    summary: "Say what a failure was",
    description:
      "Marks a failure as flaky or as real, with the caller as its author. The last mark of a failure counts; it takes precedence over the " +
      "reruns in the precision of the verdicts. A failure without a verdict is not found: ask for the verdicts first."
  })
)

const getVerdictPrecision = HttpApiEndpoint.get("getVerdictPrecision", `${repositoryPath}/failures/precision`, {
  params: Parameter.repository,
  success: VerdictPrecision,
  error: Problem.ofRepository
}).pipe(
  demand,
  Operation.documented({
    summary: "Get the precision of verdicts",
    description:
      "How often `flaky` was right in the last 30 days: by later runs of the same code, and by marks. Below " +
      "`gate.least_precision` of the settings the gate excuses nothing by verdict."
  })
)

const commits = {
  params: Parameter.repository,
  query: CommitsQuery,
  success: linked(CommitsPage),
  error: Problem.ofRepository
}

const listCommits = HttpApiEndpoint.get("listCommits", `${repositoryPath}/commits`, commits).pipe(
  demand,
  Operation.documented({
    summary: "List commits",
    description:
      "Lists the commits with a job run in the last 30 days, on every branch, the latest first, at most 1,000. Of each job, the " +
      "latest run counts."
  })
)

const listPullRequests = HttpApiEndpoint.get("listPullRequests", `${repositoryPath}/pulls`, commits).pipe(
  demand,
  Operation.documented({
    summary: "List pull requests",
    description:
      "Lists the latest commit of each pull request among the commits of the last 30 days, the latest first. The number is null " +
      "where no upload and no hosting platform has named it.",
    example: triageExamples.listCommits
  })
)

/** The group of the operations that judge failures. */
export class TriageApi extends Operation.guarded(
  "triage",
  { description: "The verdict on each failure, with its evidence: is it mine?" },
  listCommits,
  listPullRequests,
  listCommitFailures,
  listRunFailures,
  listPullRequestFailures,
  askTriage,
  markFailure,
  getVerdictPrecision
) {}
