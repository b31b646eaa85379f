/** Issues of tests on the wire (beyond the interface). */
import { TestId, TestIssue } from "@lazaret/domain"
import { Schema } from "effect"
import * as Parameter from "../definition/Parameter.ts"
import { Timestamp } from "../definition/Timestamp.ts"

/** The issue of a test. */
export const Issue = Schema.Struct({
  test_id: TestId.TestId,
  test_name: Schema.String,
  issue: Schema.String.annotate({ description: "The name of the issue in its tracker, such as `12`." }),
  url: Schema.String,
  is_open: Schema.Boolean,
  opened_at: Timestamp.annotate({ description: "When it was opened last, reopening included." }),
  closed_at: Schema.NullOr(Timestamp),
  closed_by: Schema.NullOr(TestIssue.Closer).annotate({
    description: "`lazaret`, a `person`, or `deleted`: it does not exist any more. Null while it is open."
  })
}).annotate({ identifier: "Issue" })

/** Issues of tests, and the last comparison of the repository with the tracker. */
export const IssueList = Schema.Struct({
  total: Schema.Int,
  issues: Schema.Array(Issue),
  checked_at: Schema.NullOr(Timestamp).annotate({
    description: "When tests and issues were compared last; null before the first time."
  }),
  next_at: Schema.NullOr(Timestamp).annotate({ description: "When they are compared next at the latest." }),
  failure: Schema.NullOr(Schema.String).annotate({
    description: "Why the last comparison failed; null after a success."
  })
}).annotate({ identifier: "IssueList", description: "Issues of tests, and whether the tracker can be reached." })

/** The parameters of the list of issues. */
export const IssuesQuery = Schema.Struct({
  test_id: Schema.optionalKey(Parameter.testId)
})
