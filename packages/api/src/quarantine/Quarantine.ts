/** Quarantines on the wire (interface 2.9, 4.1.8 to 4.1.11). */
import { HealthStatus, Quarantine, QuarantineLife as Life, Text } from "@lazaret/domain"
import { Schema } from "effect"
import * as Parameter from "../definition/Parameter.ts"
import { Timestamp } from "../definition/Timestamp.ts"

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
  created_by: Schema.optionalKey(Schema.String).annotate({
    description: "The login of the person, or the key, that created it; `auto` for the automation."
  }),
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

/** The life of a quarantine (beyond the interface). */
export const QuarantineLife = Schema.Struct({
  quarantine_id: Schema.String.check(Schema.isUUID()),
  test_name: Schema.String,
  branch: Schema.NullOr(Schema.String),
  expires_at: Schema.NullOr(Timestamp).annotate({
    description: "Its end: the first instant at which failures block again. Null: it has no end."
  }),
  remind_at: Schema.NullOr(Timestamp).annotate({
    description: "When the event `quarantine.expiring` follows. Null: never, or it has happened."
  }),
  owner: Schema.NullOr(Schema.String),
  ticket: Schema.NullOr(Schema.String),
  scope: Life.Scope
}).annotate({
  identifier: "QuarantineLife",
  description: "The end, the scope, the owner and the ticket of a quarantine."
})

/** A page of the lives of quarantines, or all of them; then `per_page` is null (beyond the interface). */
export const QuarantineLivesPage = Schema.Struct({
  size: Schema.Int,
  per_page: Schema.NullOr(Schema.Int),
  lives: Schema.Array(QuarantineLife)
}).annotate({
  identifier: "QuarantineLivesPage",
  description: "The lives of a page of quarantines, or of all of them."
})

const terms = {
  expires_at: Schema.NullOr(Timestamp).annotate({
    description: "Its end, in the future. Null: it has no end."
  }),
  owner: Schema.NullOr(
    Life.Owner.annotate({ description: "The team or person who is responsible, such as `@acme/web`. Null: none." })
  ),
  ticket: Schema.NullOr(
    Life.Ticket.annotate({
      description: "Where the work on the test is written down. Null: nowhere.",
      examples: ["https://example.com"]
    })
  ),
  scope: Life.Scope.annotate({
    description: "The runs in which it holds: every run (`every_run`), or only runs of a merge queue (`merge_queue`)."
  })
}

/** The body that gives a quarantine another life: all of it, so that no field is cleared by being left out (beyond the interface). */
export const SetQuarantineLife = Schema.Struct(terms).annotate({ identifier: "SetQuarantineLife" })

/** The body that changes some terms of the life of a quarantine (beyond the interface). */
export const ChangeQuarantineLife = Schema.Struct({
  expires_at: Schema.optionalKey(terms.expires_at),
  owner: Schema.optionalKey(terms.owner),
  ticket: Schema.optionalKey(terms.ticket),
  scope: Schema.optionalKey(terms.scope)
}).annotate({ identifier: "ChangeQuarantineLife" })

/** The debt of quarantines (beyond the interface). */
export const QuarantineDebt = Schema.Struct({
  total: Schema.Int.annotate({ description: "The number of active quarantines." }),
  size: Schema.Int.annotate({ description: "The number of listed ones: at most 500, the oldest." }),
  blocked_runs: Schema.Int.annotate({
    description: "The failed tests of the listed quarantines in CI runs of the default branch of the last 30 days."
  }),
  owners: Schema.Array(
    Schema.Struct({
      owner: Schema.NullOr(Schema.String),
      quarantines: Schema.Int,
      blocked_runs: Schema.Int,
      oldest_created_at: Timestamp
    }).annotate({ identifier: "OwnerDebt" })
  ),
  quarantines: Schema.Array(
    Schema.Struct({
      id: Schema.String.check(Schema.isUUID()),
      test_name: Schema.String,
      test_id: Schema.String.check(Schema.isUUID()),
      reason: Schema.String,
      branch: Schema.NullOr(Schema.String),
      scope: Life.Scope,
      source: Quarantine.Source,
      created_by: Schema.String,
      created_at: Timestamp,
      age_days: Schema.Int,
      expires_at: Schema.NullOr(Timestamp),
      ticket: Schema.NullOr(Schema.String),
      owner: Schema.NullOr(Schema.String),
      owners: Schema.Array(Schema.String),
      health_status: Schema.NullOr(HealthStatus.HealthStatus),
      blocked_runs: Schema.Int,
      last_blocked_at: Schema.NullOr(Timestamp),
      new_failures: Schema.Int,
      latest_failure: Schema.NullOr(Schema.String)
    }).annotate({ identifier: "QuarantineDebtItem" })
  )
}).annotate({ identifier: "QuarantineDebt", description: "What the active quarantines cost." })
