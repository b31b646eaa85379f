/** The verdicts on failures on the wire (our choice: the interface has no such route). */
import { FailurePolicy, FailurePrecision, FailureVerdict, LossRecord, TestIdentity, Text } from "@lazaret/domain"
import { Schema } from "effect"
import * as Parameter from "../definition/Parameter.ts"
import { Timestamp } from "../definition/Timestamp.ts"

/** The commit, the run and the pull request of a path. */
export const triageSubject = {
  commit: Text.between(1, 255).annotate({ description: "The commit, as its reports name it." }),
  run_id: Text.between(1, 255).annotate({ description: "The id of the run, as its reports name it." }),
  number: Parameter.integer("The number of the pull request.", { minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
}

const several = <S extends Schema.Codec<string>>(each: S, description: string) =>
  Schema.optionalKey(Schema.Array(each).check(Schema.isMaxLength(255)).annotate({ description }))

/** The parameters of the lists of verdicts. */
export const TriageQuery = {
  verdict: several(FailureVerdict.Verdict, "Only failures with one of these verdicts."),
  is_blocking: Schema.optionalKey(
    Schema.Literals(["true", "false"]).annotate({
      description: "`true`: only failures that the gate stops for; `false`: only the others."
    })
  ),
  pipeline_name: several(TestIdentity.Name, "Only failures in one of these pipelines."),
  job_name: several(TestIdentity.Name, "Only failures in one of these jobs."),
  ...Parameter.page
}

const PerCause = Schema.Record(FailurePolicy.Cause, Schema.Finite)

/** A piece of evidence. */
export const FailureEvidence = Schema.Struct({
  kind: FailurePolicy.EvidenceKind,
  weight: Schema.Finite.annotate({
    description: 'Bits for the best other cause against the change: positive is "not you", negative "for you".'
  }),
  causes: PerCause.annotate({ description: "Bits for each cause; their sums over all evidence are the log-odds." }),
  sentence: Schema.String,
  rests_on: Schema.Array(
    Schema.Struct({ kind: Schema.Literals(["execution", "job", "branch", "commit"]), id: Schema.String })
  )
}).annotate({ identifier: "FailureEvidence" })

/** The statement of a person about a failure. */
export const FailureMark = Schema.Struct({
  truth: FailurePrecision.Truth,
  marked_by: Schema.String,
  marked_at: Timestamp
}).annotate({ identifier: "FailureMark", description: "The mark of a person: what the failure was." })

/** The verdict on one failure. */
export const JudgedFailure = Schema.Struct({
  execution_id: Schema.NullOr(Schema.String).annotate({
    description: "The failed execution; null for a failure that was not uploaded."
  }),
  test_id: Schema.String.check(Schema.isUUID(5)),
  test_name: Schema.String,
  pipeline_name: Schema.String,
  job_name: Schema.String,
  verdict: FailureVerdict.Verdict,
  cause: Schema.NullOr(FailurePolicy.Cause).annotate({
    description:
      "The cause behind the verdict, null where none is probable enough. An `outage` with the cause `dependency` stays when the job is run again."
  }),
  causes: PerCause.annotate({ description: "The probability of each cause. They sum to 1." }),
  probability_flaky: Schema.Finite.annotate({
    description: "The probability that the same code passes when it is run again."
  }),
  score: Schema.Finite.annotate({ description: "The sum of the weights of the evidence." }),
  title: Schema.String.annotate({ description: "The verdict in words." }),
  reason: Schema.String,
  evidence: Schema.Array(FailureEvidence),
  quarantined: Schema.Boolean,
  is_blocking: Schema.Boolean,
  gate_reason: Schema.String,
  message: Schema.NullOr(Schema.String),
  exception_type: Schema.NullOr(Schema.String),
  file: Schema.NullOr(Schema.String),
  job_url: Schema.NullOr(Schema.String),
  owners: Schema.Array(Schema.String).annotate({
    description:
      "The owners of `file` in the CODEOWNERS of the repository; `no-owner` for a file that nobody owns, `no-file` where reports " +
      "name no file. Empty without a CODEOWNERS."
  }),
  shared_cause: Schema.NullOr(
    Schema.Struct({
      id: Schema.String.check(Schema.isUUID()),
      name: Schema.String,
      tests: Schema.Int,
      failed_here: Schema.Int,
      sentence: Schema.String
    }).annotate({ identifier: "CauseLink" })
  ).annotate({
    description:
      "The cause that the test shares with others (`listCauses`), how many tests it has, and how many of them failed in this run. Null: " +
      "none is known yet."
  }),
  mark: Schema.NullOr(FailureMark).annotate({ description: "The last mark of a person; null without one." }),
  line: Schema.String
}).annotate({ identifier: "JudgedFailure", description: "The verdict on the failure, with the reason." })

/** The summary of verdicts. */
export const TriageSummary = Schema.Struct({
  conclusion: Schema.Literals(["success", "neutral", "failure"]),
  complete: Schema.Boolean,
  sentence: Schema.String,
  blocking: Schema.Int,
  unjudged: Schema.Int.annotate({
    description:
      "Failures that no verdict was made on: of a commit or a run, the first 2,000 by name are judged. They block."
  }),
  counts: Schema.Record(FailureVerdict.Verdict, Schema.Int)
}).annotate({ identifier: "TriageSummary" })

/** A job run that verdicts are about. */
export const TriagedRun = Schema.Struct({
  pipeline_name: Schema.String,
  job_name: Schema.String,
  run_id: Schema.String,
  run_attempt: Schema.Int,
  commit: Schema.String,
  branch: Schema.String,
  base_branch: Schema.NullOr(Schema.String),
  finished_at: Timestamp,
  passed: Schema.Int,
  failed: Schema.Int
}).annotate({ identifier: "TriagedRun" })

/** Tests that a run was expected to execute and did not, or jobs that did not report. */
export const MissedTests = Schema.Struct({
  kind: LossRecord.Kind.annotate({
    description:
      "`tests`; `renamed` where nearly all of them ran under other names; `jobs`: whole jobs, while others whose names count up with " +
      "theirs did report."
  }),
  pipeline_name: Schema.String,
  job_names: Schema.Array(Schema.String).annotate({
    description: "The job, or all of its shards; the jobs that did not report."
  }),
  run_id: Schema.String,
  expected: Schema.Int.annotate({
    description: "Tests, or jobs of the group, that ran in most of the latest runs on the default branch."
  }),
  missing: Schema.Int,
  skipped: Schema.Int.annotate({ description: "Missing tests that the run skipped." }),
  renamed: Schema.Int.annotate({ description: "Missing tests that ran under other names, as it seems." }),
  test_names: Schema.Array(Schema.String).annotate({ description: "The first 50 of them, without renamed ones." })
}).annotate({
  identifier: "MissedTests",
  description: "Tests that a run was expected to execute and did not, or jobs that did not report."
})

/** A page of verdicts, with what all verdicts add up to. */
export const TriagePage = Schema.Struct({
  size: Schema.Int,
  per_page: Schema.Int,
  total: Schema.Int,
  ...TriageSummary.fields,
  commit: Schema.String,
  runs: Schema.Array(TriagedRun),
  fork_runs: Schema.Array(TriagedRun).annotate({
    description:
      "Runs of forks on the commit that count for nothing here: neither failures nor conclusion take them. They count for their " +
      "pull request when the hosting platform names their repository and commit as its head. The failures of each are those of its run."
  }),
  missing: Schema.Array(MissedTests).annotate({
    description:
      "What the runs did not execute although it ran in most of the latest runs of their jobs on the default branch; empty while jobs " +
      "are running. The sentence says it as well."
  }),
  failures: Schema.Array(JudgedFailure)
}).annotate({ identifier: "TriagePage", description: "Verdicts on failures, and what all of them add up to." })

/** A mark on a failure. */
export const MarkFailure = Schema.Struct({
  truth: FailurePrecision.Truth.annotate({
    description: "`flaky`: the same code passes when it is run again. `real`: it does not."
  })
}).annotate({ identifier: "MarkFailure" })

/** The path of a failure. */
export const failurePath = {
  test_id: Parameter.testId,
  execution_id: Text.between(1, 100).annotate({ description: "The `execution_id` of a failure." })
}

/** A marked failure with the verdict that was answered first. */
export const MarkedFailure = Schema.Struct({
  test_id: Schema.String.check(Schema.isUUID(5)),
  execution_id: Schema.String,
  test_name: Schema.String,
  pipeline_name: Schema.String,
  job_name: Schema.String,
  commit: Schema.String,
  verdict: FailureVerdict.Verdict,
  probability_flaky: Schema.Finite,
  truth: FailurePrecision.Truth,
  marked_by: Schema.String,
  marked_at: Timestamp
}).annotate({ identifier: "MarkedFailure", description: "The mark of a person: what a failure was." })

/** The error of the probabilities over known outcomes that follow each other. */
const VerdictStage = Schema.Struct({
  from: Schema.Int.annotate({ description: "The number of the first of these outcomes since the first known one." }),
  to: Schema.Int.annotate({ description: "The number of the last one." }),
  until: Timestamp,
  error: Schema.Finite.annotate({ description: "Mean squared distance (Brier score) of the answered probabilities." }),
  uncalibrated: Schema.Finite.annotate({ description: "The same without what was learned from outcomes before." })
}).annotate({ identifier: "VerdictStage" })

/** How often `flaky` was right. */
export const VerdictPrecision = Schema.Struct({
  known: Schema.Int.annotate({ description: "Failures that were called flaky and whose outcome is known." }),
  right: Schema.Int.annotate({ description: "How many of them were flakes." }),
  precision: Schema.NullOr(Schema.Finite).annotate({ description: "The share of them; null without any." }),
  calibration_error: Schema.NullOr(Schema.Finite).annotate({
    description: "How far the answered probabilities were from what came out, over ten bins; null without any."
  }),
  days: Schema.Int,
  least_precision: Schema.Finite,
  least_outcomes: Schema.Int.annotate({
    description: "The number of known outcomes from which the excuses can be suspended."
  }),
  marked_flaky: Schema.Int,
  marked_real: Schema.Int,
  real_job_runs: Schema.Int.annotate({ description: "Job runs with a failure that is known to be real." }),
  retried_real_job_runs: Schema.Int.annotate({
    description:
      "How many of them `lazaret run --retry-exit-code` would have ended with its code: each of their first verdicts was `flaky`."
  }),
  retry_sentence: Schema.String,
  excuses: Schema.Literals(["on", "off"]).annotate({
    description: "`off`: at the moment no failure passes the gate by its verdict, whatever its settings."
  }),
  suspended_since: Schema.NullOr(Timestamp),
  sentence: Schema.String,
  learning: Schema.Array(VerdictStage).annotate({
    description:
      "How far the probabilities were from what came out, over the first 20 known outcomes and then each time as many as there " +
      "were before: of every verdict, of at most a year."
  })
}).annotate({ identifier: "VerdictPrecision", description: "How often the verdict `flaky` was right in the field." })

const text = (longest: number) => Schema.optionalKey(Schema.NullOr(Text.between(1, longest)))

/** Failures that no report has brought yet. */
export const AskTriage = Schema.Struct({
  pipeline_name: TestIdentity.Name,
  job_name: TestIdentity.Name,
  commit: Text.between(1, 255),
  branch: text(255),
  base_branch: text(255),
  run_id: text(255),
  run_attempt: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2_147_483_647 }))),
  job_url: text(2048),
  passed: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000_000 })).annotate({
      description: "How many tests of the job passed."
    })
  ),
  failures: Schema.Array(
    Schema.Struct({
      test_name: TestIdentity.Name,
      message: Schema.optionalKey(Schema.NullOr(Text.Storable)),
      exception_type: Schema.optionalKey(Schema.NullOr(Text.Storable)),
      file: Schema.optionalKey(Schema.NullOr(Text.Storable)),
      attempts: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1000 })))
    })
  ).check(Schema.isMaxLength(1000))
}).annotate({ identifier: "AskTriage" })

/** The verdicts on failures that no report has brought yet, in the order of the question. */
export const AskedTriage = Schema.Struct({
  ...TriageSummary.fields,
  missing: Schema.Array(MissedTests).annotate({
    description:
      "What the recorded reports of the job lack although it ran in most of its latest runs on the default branch; empty before they " +
      "are uploaded. Where `gate.missing` is `block`, the conclusion is `failure`. The sentence says it as well."
  }),
  failures: Schema.Array(JudgedFailure)
}).annotate({ identifier: "AskedTriage", description: "The verdicts, in the order of the question." })
