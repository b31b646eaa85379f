/** Drivers that record something else than what was reported. */
import { Instant } from "@lazaret/domain"
import { type Broken, withReports, withOutcomes, withExecutions } from "./Broken.ts"

/** Drivers that record something else than what was reported. */
export const ofReports: ReadonlyArray<Broken> = [
  {
    fault: "never says that no default branch is known",
    law: "the outcome of an append says when no default branch is known",
    change: (driver) =>
      withOutcomes(driver, (outcome) =>
        outcome._tag === "Recorded" ? { _tag: outcome._tag, reportId: outcome.reportId } : outcome
      )
  },
  {
    fault: "records a report again under another key",
    law: "the same content of the same job run under another key is a duplicate of the first",
    change: (driver) => {
      let uploads = 0
      return withReports(driver, (report) => ({ ...report, digest: `${report.digest} ${uploads++}` }))
    }
  },
  {
    fault: "says that a duplicate was recorded",
    law: "the same report again is a duplicate with the id of the first, and changes nothing",
    change: (driver) =>
      withOutcomes(driver, (outcome) => (outcome._tag === "Duplicate" ? { ...outcome, _tag: "Recorded" } : outcome))
  },
  {
    fault: "drops the last execution of a report",
    law: "a test that a report names twice has two executions",
    change: (driver) =>
      withReports(driver, (report) => ({
        ...report,
        executions: report.executions.slice(0, Math.max(1, report.executions.length - 1))
      }))
  },
  {
    fault: "takes forks for branches of the repository",
    law: "forks add a limited number of tests to a repository on one day, and one more is refused",
    change: (driver) =>
      withReports(driver, (report) => ({
        ...report,
        run: { ...report.run, branch: report.run.branch?.replace(":", "/") ?? null }
      }))
  },
  {
    fault: "takes every branch for the default branch",
    law: "main counts, and runs without a branch; pull requests, queues and other branches do not",
    change: (driver) =>
      withReports(driver, (report) => ({ ...report, run: { ...report.run, branch: null, baseBranch: null } }))
  },
  {
    fault: "takes all jobs for one",
    law: "the same content of another pipeline, job, run or attempt is another report",
    change: (driver) => withReports(driver, (report) => ({ ...report, run: { ...report.run, jobName: "unit" } }))
  },
  {
    fault: "takes every attempt for the first",
    law: "runs that differ in run id, attempt, commit or branch are not one run",
    change: (driver) => withReports(driver, (report) => ({ ...report, run: { ...report.run, runAttempt: 1 } }))
  },
  {
    fault: "rounds instants to seconds",
    law: "instants survive to the millisecond, on both sides of midnight and of a leap day",
    change: (driver) => withExecutions(driver, ({ at }) => ({ at: Math.floor(at / Instant.second) * Instant.second }))
  },
  {
    fault: "drops that an execution was flaky",
    law: "a failure that a pass contradicts is flaky, also when the pass lies outside the window",
    change: (driver) => withExecutions(driver, () => ({ flaky: false }))
  },
  {
    fault: "drops reruns",
    law: "confidence counts the reruns since the verdict last moved: low below 10, medium below 30, then high",
    change: (driver) => withExecutions(driver, () => ({ reruns: 0 }))
  },
  {
    fault: "takes skipped executions for passed ones",
    law: "only the failed executions of an outage are excused",
    change: (driver) =>
      withExecutions(driver, ({ conclusion }) => ({ conclusion: conclusion === "skipped" ? "passed" : conclusion }))
  },
  {
    fault: "folds the case of test names",
    law: "names that look alike are different tests",
    change: (driver) => withExecutions(driver, ({ testName }) => ({ testName: testName.toLowerCase() }))
  },
  {
    fault: "cuts stack traces",
    law: "messages and stack traces are kept as they are, long ones and line breaks too",
    change: (driver) =>
      withExecutions(driver, ({ exception }) => ({
        exception: exception === null ? null : { ...exception, stacktrace: null }
      }))
  },
  {
    fault: "keeps the exceptions of failed executions only",
    law: "a flaky pass belongs to the group of its failed attempt, which shows its message and its stack trace",
    change: (driver) =>
      withExecutions(driver, ({ conclusion, exception }) => ({ exception: conclusion === "failed" ? exception : null }))
  },
  {
    fault: "takes the branch of a fork for one of the repository",
    law: "a fork's failure does not replace the failures of other branches, nor choose commits and bases",
    change: (driver) =>
      withReports(driver, ({ run, ...report }) => ({
        ...report,
        run: { ...run, branch: run.branch?.replace(":", "-") ?? null }
      }))
  },
  {
    fault: "takes the attempts of a run for runs of their own",
    law: "failing and passing in one run of another branch makes a test flaky that has failed on the default branch",
    change: (driver) =>
      withReports(driver, ({ run, ...report }) => ({
        ...report,
        run: { ...run, runId: `${run.runId} ${run.runAttempt}` }
      }))
  },
  {
    fault: "takes the runs of a branch for one run",
    law: "other run ids, commits and branches, skipped executions and forks contradict nothing",
    change: (driver) =>
      withReports(driver, ({ run, ...report }) => ({
        ...report,
        run: { ...run, runId: run.branch === "topic" ? "1" : run.runId }
      }))
  }
]
