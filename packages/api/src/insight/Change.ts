/** The change that made a test or a cause fail, on the wire (beyond the interface). */
import { Schema } from "effect"
import { Timestamp } from "../definition/Timestamp.ts"

/** The commits among which a test, or the tests of a cause, began to fail. */
export const FoundChange = Schema.Struct({
  sentence: Schema.String.annotate({ description: "The answer in one sentence." }),
  runs: Schema.Int.annotate({ description: "How many runs of the default branch were evaluated." }),
  failed_runs: Schema.Int.annotate({ description: "How many of them failed." }),
  missing_runs: Schema.Int.annotate({
    description: "How many more runs are needed before commits are named; 0 when there are enough."
  }),
  first_failure: Schema.NullOr(
    Schema.Struct({ commit: Schema.String, at: Timestamp }).annotate({ identifier: "FirstFailure" })
  ).annotate({ description: "The first run that failed. A rare flake began before it, most often." }),
  intervals: Schema.Array(
    Schema.Struct({
      level: Schema.Finite.annotate({ description: "The least probability: 0.5, 0.9 or 0.99." }),
      probability: Schema.Finite.annotate({
        description: "The probability that one of these commits brought the change."
      }),
      after: Schema.NullOr(Schema.String).annotate({
        description: "The last commit before them; null where the change may be older than all runs that are known."
      }),
      last: Schema.String.annotate({ description: "The last of them." }),
      commits: Schema.Int.annotate({ description: "Their number, of those with runs." }),
      url: Schema.NullOr(Schema.String).annotate({
        description: "The changes at the hosting platform; null when it is not known."
      })
    }).annotate({ identifier: "ChangeInterval" })
  ).annotate({
    description: "The smallest first, each within the next; empty without enough runs, and for a healthy test."
  })
}).annotate({
  identifier: "FoundChange",
  description: "The commits among which a test, or the tests of a cause, began to fail more often."
})
