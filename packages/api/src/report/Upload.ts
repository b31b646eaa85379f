/** Uploads on the wire: what a CI job says about its run, and the answer it gets. */
import { PullRef, Report, Text } from "@lazaret/domain"
import { Effect, Option, Schema, SchemaIssue, SchemaTransformation } from "effect"
import * as Parameter from "../definition/Parameter.ts"
import * as Timestamp from "../definition/Timestamp.ts"

const optional = (longest: number, description: string) =>
  Schema.optionalKey(Text.between(1, longest).annotate({ description }))

const context = Report.RunContext.fields

const pullRefOf = Schema.decodeUnknownOption(Schema.fromJsonString(PullRef.PullRef))

const isNumber = (text: string): boolean => /^[0-9]{1,16}$/u.test(text) && Number.isSafeInteger(Number(text))

const noPullRequest = "must be a pull request as JSON with id, number, title and user, or its number"

/**
 * A pull request is a whole `PullRef` (interface 2.2), or its number where the CI system knows nothing else.
 */
const pullRequest = Schema.String.annotate({
  description: "The pull request of the commit: as JSON where all of it is known, else its number alone.",
  examples: [`{"id":901,"number":42,"title":"Pay with a card","user":{"id":7,"login":"octocat"}}`]
}).pipe(
  Schema.decodeTo(
    Schema.Union([Schema.String, Schema.toType(PullRef.PullRef)]),
    SchemaTransformation.transformEffect({
      decode: (given: string, options): Effect.Effect<string | PullRef.PullRef, SchemaIssue.Issue> => {
        const pull = pullRefOf(given)
        if (Option.isSome(pull)) return Effect.succeed(pull.value)
        if (isNumber(given)) return Effect.succeed(given)
        return Effect.fail(new SchemaIssue.InvalidValue({ message: noPullRequest }, given, options))
      },
      encode: (pull) => Effect.succeed(typeof pull === "string" ? pull : JSON.stringify(pull))
    })
  )
)

/** The parameters of an upload that describe its run. */
export const ReportQuery = {
  pipeline_name: context.pipelineName.annotate({ description: "The pipeline (workflow) that ran the tests." }),
  job_name: context.jobName.annotate({ description: "The job within the pipeline." }),
  commit: context.commit.annotate({ description: "The commit that was tested." }),
  branch: optional(255, "The branch that was tested; the default branch unless it is given."),
  base_branch: optional(255, "The branch that a pull request goes to; given only for the run of a pull request."),
  run_id: optional(255, "The id of the run of the pipeline; without it, the commit counts as the run."),
  run_attempt: Schema.optionalKey(
    Parameter.integer("Which attempt of the run this is; 1 unless it is given.", { minimum: 1, maximum: 2_147_483_647 })
  ),
  job_url: Schema.optionalKey(Text.AddressParameter.annotate({ description: "Where people read the log of the job." })),
  pull_request: Schema.optionalKey(pullRequest),
  framework: optional(255, "The test framework, such as vitest."),
  framework_version: optional(255, "The version of the test framework."),
  language: optional(255, "The programming language of the tests."),
  finished_at: Schema.optionalKey(
    Timestamp.parameter(
      "When the run finished; the arrival unless it is given. Test cases for which the report has a time keep that.",
      "2026-01-31T12:00:00Z"
    )
  ),
  tests_ended: Schema.optionalKey(
    Parameter.integer(
      "The exit code of the tests, where it is known that no report of the job run lists a failed test. Unless it is 0, the failed case " +
        "`test run` is recorded; 0 records it as passed while it is not healthy.",
      { minimum: -2_147_483_648, maximum: 4_294_967_295 }
    )
  ),
  checkout: optional(
    1000,
    "The absolute path of the checkout on the machine of the tests: it is taken off paths and names that begin with it."
  ),
  idempotency_key: optional(1000, "The same key never counts twice; derived from run and content unless it is given.")
}

const Query = Schema.Struct(ReportQuery)

/** The parameters of an upload that describe its run. */
export type ReportQuery = typeof Query.Type

/** The answer to an upload. */
export const Receipt = Schema.Struct({
  report_id: Schema.String.check(Schema.isUUID(5)),
  executions: Schema.Struct({
    received: Schema.Int.annotate({
      description: "Test cases that the report lists, each attempt of an execution included."
    }),
    recorded: Schema.Int,
    duplicates: Schema.Int,
    skipped: Schema.Int
  }),
  identities: Schema.Int,
  warnings: Schema.Array(Schema.String)
}).annotate({ identifier: "UploadReceipt", description: "The outcome of the report." })
