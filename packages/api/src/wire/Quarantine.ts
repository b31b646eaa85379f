/** Quarantines on the wire (interface 2.9, 4.1.8 to 4.1.11). */
import { Quarantine, Text } from "@lazaret/domain"
import { Schema } from "effect"
import * as Parameter from "./Parameter.ts"
import { Timestamp } from "./Timestamp.ts"

/** The query of the list (interface 4.1.8). */
export const QuarantinesQuery = {
  branch: Schema.optionalKey(
    Text.between(1, 255).annotate({
      description:
        "Only quarantines that hold on this branch: by its name, by a matching pattern, and on every branch.",
      examples: ["main"]
    })
  ),
  test_id: Schema.optionalKey(Parameter.uuid("Only quarantines of this test.")),
  source: Schema.optionalKey(
    Quarantine.Source.annotate({
      description: "Only quarantines created by people (`manual`) or by the automation (`auto`)."
    })
  ),
  cursor: Parameter.page.cursor,
  per_page: Schema.optionalKey(
    Parameter.integer(
      "The number of quarantines on a page. Without it the response holds all of them (deprecated).",
      Parameter.perPageRange
    )
  )
}

/** A quarantine (interface 2.9). */
export const QuarantinedTest = Schema.Struct({
  id: Schema.String.check(Schema.isUUID()),
  test_name: Schema.String,
  test_id: Schema.String.check(Schema.isUUID()),
  reason: Schema.String,
  branch: Schema.NullOr(Schema.String),
  created_at: Timestamp,
  source: Schema.optionalKey(Quarantine.Source),
  is_recovered: Schema.Boolean
}).annotate({ identifier: "QuarantinedTest", description: "A quarantine that holds." })

/** A page of quarantines, or all of them; then `per_page` is null (interface 4.1.8). */
export const QuarantinesPage = Schema.Struct({
  size: Schema.Int,
  per_page: Schema.NullOr(Schema.Int),
  quarantined_tests: Schema.Array(QuarantinedTest)
}).annotate({ identifier: "QuarantinesPage", description: "A page of quarantines, or all of them." })

/** The body that creates a quarantine (interface 4.1.9): `branch` null or omitted means every branch. */
export const CreateQuarantine = Schema.Struct({
  test_name: Quarantine.TestName,
  reason: Quarantine.Reason,
  branch: Schema.optionalKey(
    Schema.NullOr(
      Quarantine.Branch.annotate({
        description:
          "A branch name, or a pattern: `*` matches any text, `?` one character. Null or omitted: every branch."
      })
    )
  )
}).annotate({ identifier: "CreateQuarantine" })

/** The identifier of a new quarantine (interface 4.1.9). */
export const CreatedQuarantine = Schema.Struct({ id: Schema.String.check(Schema.isUUID()) }).annotate({
  identifier: "CreatedQuarantine",
  description: "The quarantine was created."
})

/** The tests that a job asks about. */
export const CheckQuarantines = Schema.Struct({
  tests_names: Schema.Array(Quarantine.TestName),
  branch: Schema.optionalKey(Schema.NullOr(Text.between(1, 255)))
}).annotate({ identifier: "CheckQuarantines" })

/** The same tests, split. */
export const CheckedQuarantines = Schema.Struct({
  quarantined_tests_names: Schema.Array(Schema.String),
  non_quarantined_tests_names: Schema.Array(Schema.String)
}).annotate({ identifier: "CheckedQuarantines", description: "The names, split." })
