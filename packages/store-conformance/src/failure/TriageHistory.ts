/** Generated job runs for the law of triage. */
import { Instant, type Report } from "@lazaret/domain"
import { Schema } from "effect"
import * as Sample from "../law/Sample.ts"

const whole = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

/** A job run. Few commits, branches, jobs and tests, so that reruns, flakes, breaks and outages meet. */
export const Run = Schema.Struct({
  commit: whole(0, 5),
  job: whole(0, 2),
  branch: Schema.Literals([
    "main",
    "main",
    "main",
    "release",
    "topic",
    "pull",
    "pull",
    "other pull",
    "queue",
    "fork",
    "own fork"
  ]),
  attempt: whole(1, 3),
  hour: whole(0, 40),
  results: Schema.Array(
    Schema.Struct({
      test: whole(0, 4),
      outcome: Schema.Literals(["passed", "passed", "failed", "failed", "flaky", "skipped"]),
      message: Schema.NullOr(Schema.Literals(["timeout after 3 s", "1 is not 2", ""])),
      minute: whole(0, 3)
    })
  ).check(Schema.isBetweenLength(1, 8))
})

const branches: Readonly<Record<(typeof Run.Type)["branch"], Partial<Report.RunContext>>> = {
  main: { branch: "main" },
  release: { branch: "release" },
  topic: { branch: "topic" },
  pull: { branch: "pull", baseBranch: "main" },
  "other pull": { branch: "other", baseBranch: "release" },
  fork: { branch: "mallory:pull", baseBranch: "topic" },
  "own fork": { branch: "ada:main" },
  queue: { branch: "gh-readonly-queue/main/pr-1" }
}

/** The report of a job run, under a key. */
export const reportOf = (
  { attempt, branch, commit, hour, job, results }: typeof Run.Type,
  key: string
): Report.Report =>
  Sample.report(
    key,
    {
      ...branches[branch],
      commit: `c${commit}`,
      runId: `run ${commit} ${branch}`,
      runAttempt: attempt,
      jobName: `job ${job}`
    },
    results.map(({ message, minute, outcome, test }) => ({
      testName: `test ${test}`,
      at: Sample.daysAgo(2) + hour * Instant.hour + minute * Instant.minute,
      conclusion: outcome === "flaky" ? "passed" : outcome,
      flaky: outcome === "flaky",
      reruns: outcome === "flaky" ? 1 : 0,
      exception: outcome === "failed" || outcome === "flaky" ? { type: null, message, stacktrace: null } : null
    }))
  )
