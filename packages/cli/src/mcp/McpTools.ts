/** The tools that `lazaret mcp` offers to agents: their names, parameters and descriptions. */
import { Schema } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { CommandFailure } from "../terminal/CommandFailure.ts"

const repository = Schema.optionalKey(
  Schema.String.annotate({
    description: "The repository as owner/name. Leave it out for the one of this server's configuration."
  })
)

const test = Schema.String.check(Schema.isNonEmpty()).annotate({
  description: "The full name of the test, or its test_id."
})

const limit = Schema.optionalKey(
  Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100 })).annotate({
    description: "The maximum number of rows (20)."
  })
)

/** The result of every tool: answers as the HTTP interface sends them, and failures as a sentence. */
const result = { success: Schema.JsonObject, failure: CommandFailure }

const searchTests = Tool.make("search_tests", {
  description:
    "Find tests of a repository with their health (healthy, flaky, broken), confidence (how often reruns have tested the status; a flaky test of low confidence is proven) and impact. A test has one row for each " +
    "pipeline and job that runs it on the default branch.",
  parameters: Schema.Struct({
    repository,
    search: Schema.optionalKey(
      Schema.String.annotate({ description: "Parts of the name in any order and case. Without: all tests." })
    ),
    names: Schema.optionalKey(
      Schema.Array(Schema.String).annotate({
        description: "Whole names of tests, case-sensitive, with * and ? as wildcards."
      })
    ),
    health: Schema.optionalKey(Schema.Array(Schema.Literals(["healthy", "flaky", "broken"]))),
    limit
  }),
  ...result
})
  .annotate(Tool.Title, "Search tests")
  .annotate(Tool.Readonly, true)
  .annotate(Tool.Destructive, false)
  .annotate(Tool.Strict, true)

const explainTest = Tool.make("explain_test", {
  description:
    "Explain why a test is healthy, flaky or broken: the rule, the executions and commits that led to it, and what is missing " +
    "for recovery. `stress_runs` says how often it passed in stress runs on one commit.",
  parameters: Schema.Struct({ repository, test }),
  ...result
})
  .annotate(Tool.Title, "Explain a test")
  .annotate(Tool.Readonly, true)
  .annotate(Tool.Destructive, false)
  .annotate(Tool.Strict, true)

const testFailures = Tool.make("test_failures", {
  description:
    "Show how a test fails: its groups of failures, the latest first, each with its message, its latest stack trace, file and log.",
  parameters: Schema.Struct({
    repository,
    test,
    groups: Schema.optionalKey(
      Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 20 })).annotate({
        description: "The maximum number of groups that are shown with a stack trace (3)."
      })
    )
  }),
  ...result
})
  .annotate(Tool.Title, "Latest messages and stack traces of a test")
  .annotate(Tool.Readonly, true)
  .annotate(Tool.Destructive, false)
  .annotate(Tool.Strict, true)

const judgeFailures = Tool.make("judge_failures", {
  description:
    "Judge each failure of a commit or a pull request: flaky, broken on the base branch, an outage, a new failure, or a new " +
    "test; each with its probability, its evidence, and whether it stops the gate. Name a commit or a pull request.",
  parameters: Schema.Struct({
    repository,
    commit: Schema.optionalKey(Schema.String.check(Schema.isNonEmpty())),
    pull_request: Schema.optionalKey(Schema.Int.check(Schema.isGreaterThan(0))),
    limit
  }),
  ...result
})
  .annotate(Tool.Title, "Judge the failures of a commit or a pull request")
  .annotate(Tool.Readonly, true)
  .annotate(Tool.Destructive, false)
  .annotate(Tool.Strict, true)

const listCauses = Tool.make("list_causes", {
  description:
    "List what failures of a repository have in common: tests that fail together for one cause, and outages; those that made most job " +
    "runs red first, each with its tests, message, weeks and owner. With a test: the cause of that test.",
  parameters: Schema.Struct({ repository, test: Schema.optionalKey(test), limit }),
  ...result
})
  .annotate(Tool.Title, "Causes that tests share")
  .annotate(Tool.Readonly, true)
  .annotate(Tool.Destructive, false)
  .annotate(Tool.Strict, true)

const listSlower = Tool.make("list_slower", {
  description:
    "List tests and jobs of a repository that take longer than before and still do, those that add most time each week first: the " +
    "durations before and after, the last commit before and the first one with the change.",
  parameters: Schema.Struct({ repository, limit }),
  ...result
})
  .annotate(Tool.Title, "What became slower")
  .annotate(Tool.Readonly, true)
  .annotate(Tool.Destructive, false)
  .annotate(Tool.Strict, true)

const listMissing = Tool.make("list_missing", {
  description:
    "List tests and jobs of a repository that did not run on the default branch although they ran in most of the runs before, the latest " +
    "first, with the run, the commit, names and suites; also tests that seem to be renamed.",
  parameters: Schema.Struct({
    repository,
    open: Schema.optionalKey(
      Schema.Boolean.annotate({ description: "Only what was missing in the last run (false)." })
    ),
    limit
  }),
  ...result
})
  .annotate(Tool.Title, "Tests that did not run")
  .annotate(Tool.Readonly, true)
  .annotate(Tool.Destructive, false)
  .annotate(Tool.Strict, true)

const listCosts = Tool.make("list_costs", {
  description:
    "Show what the flaky tests of a repository cost: minutes of jobs that only flakes made red or that ran again for them, and minutes " +
    "for which commits waited, by cause, test, owner or week, the most expensive first; and the share of commits and pull requests that " +
    "only flakes made red. Use it to decide what to mend first.",
  parameters: Schema.Struct({
    repository,
    by: Schema.optionalKey(
      Schema.Literals(["cause", "test", "owner", "week"]).annotate({ description: "The rows of the table (cause)." })
    ),
    weeks: Schema.optionalKey(
      Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 12 })).annotate({
        description: "How many weeks back to look, this one included (4)."
      })
    ),
    limit
  }),
  ...result
})
  .annotate(Tool.Title, "What flaky tests cost")
  .annotate(Tool.Readonly, true)
  .annotate(Tool.Destructive, false)
  .annotate(Tool.Strict, true)

const queueHistory = Tool.make("queue_history", {
  description:
    "Say why a pull request left the merge queue, or how the gate kept it in it: the reason, the checks and tests that failed with their " +
    "verdicts, the attempts, and the sentences of the log about it, newest first. Needs an admin key or a token of the hosting platform.",
  parameters: Schema.Struct({ repository, pull_request: Schema.Int.check(Schema.isGreaterThan(0)) }),
  ...result
})
  .annotate(Tool.Title, "Why a pull request left the merge queue")
  .annotate(Tool.Readonly, true)
  .annotate(Tool.Destructive, false)
  .annotate(Tool.Strict, true)

const listQuarantines = Tool.make("list_quarantines", {
  description:
    "List the quarantined tests of a repository: tests whose failures do not fail a job, each with its reason.",
  parameters: Schema.Struct({ repository, limit }),
  ...result
})
  .annotate(Tool.Title, "List quarantined tests")
  .annotate(Tool.Readonly, true)
  .annotate(Tool.Destructive, false)
  .annotate(Tool.Strict, true)

const quarantineTest = Tool.make("quarantine_test", {
  description:
    "Quarantine a test: its failures no longer fail a job. Do it only when a person has asked for it. The reason is read by people: say " +
    "what is known and where it is tracked.",
  parameters: Schema.Struct({
    repository,
    test: Schema.String.check(Schema.isNonEmpty()).annotate({ description: "The full name of the test." }),
    force: Schema.optionalKey(
      Schema.Boolean.annotate({
        description: "Quarantine it even when it has not run on the default branch, or is broken (false)."
      })
    ),
    reason: Schema.String.check(Schema.isNonEmpty()),
    branch: Schema.optionalKey(
      Schema.String.annotate({ description: "A branch, or a pattern such as release/*. Without: every branch." })
    )
  }),
  ...result
})
  .annotate(Tool.Title, "Quarantine a test")
  .annotate(Tool.Readonly, false)
  .annotate(Tool.Destructive, false)
  .annotate(Tool.Strict, true)

/** The tools that read. Every tool refuses unknown parameters: a model would take an ignored one for applied. */
export const reading = Toolkit.make(
  searchTests,
  explainTest,
  testFailures,
  judgeFailures,
  listCauses,
  listSlower,
  listMissing,
  listCosts,
  queueHistory,
  listQuarantines
)

/** The tools that change something: only for keys that may quarantine. */
export const writing = Toolkit.make(quarantineTest)
