/** Aliases of tests on the wire (beyond the interface). */
import { TestAlias as Domain } from "@lazaret/domain"
import { Schema } from "effect"
import * as Timestamp from "../definition/Timestamp.ts"
import * as Parameter from "../definition/Parameter.ts"

const kind = Domain.Kind.annotate({
  description:
    "`name`: the test `from` is now called `to`. `mask`: every name with the mask `from`, in which `<*>` stands for ids, times, " +
    "ports and addresses, is the test `to`."
})

/** An alias. */
export const TestAlias = Schema.Struct({
  id: Schema.String,
  kind,
  from: Schema.String,
  to: Schema.String,
  stands_for: Schema.String.annotate({
    description: "The name of the test in all answers: `to`, or the name that stands for that by another alias."
  }),
  test_id: Schema.String.annotate({ description: "The id of that test." }),
  created_at: Timestamp.Timestamp,
  created_by: Schema.String,
  revoked_at: Schema.NullOr(Timestamp.Timestamp),
  revoked_by: Schema.NullOr(Schema.String)
}).annotate({ identifier: "TestAlias" })

/** A list of aliases. */
export const TestAliasList = Schema.Struct({ size: Schema.Int, test_aliases: Schema.Array(TestAlias) }).annotate({
  identifier: "TestAliasList",
  description: "Aliases, oldest first."
})

/** The parameters of the list. */
export const TestAliasQuery = {
  test_id: Schema.optionalKey(Parameter.testId.annotate({ description: "Only aliases of this test." })),
  revoked: Schema.optionalKey(
    Schema.Literals(["true", "false"]).annotate({ description: "List the revoked aliases instead.", default: "false" })
  )
}

/** An alias to make. */
export const NewTestAlias = Schema.Struct({
  kind: Schema.optionalKey(kind.annotate({ default: "name" })),
  from: Domain.Link.fields.from.annotate({ description: "The name in reports, or the mask of names." }),
  to: Schema.optionalKey(
    Domain.Link.fields.to.annotate({
      description: "The name that stands for it; for a mask the mask itself by default."
    })
  )
}).annotate({ identifier: "NewTestAlias" })

/** Aliases to make, all or none. */
export const CreateTestAliases = Schema.Struct({
  test_aliases: Schema.Array(NewTestAlias).check(Schema.isBetweenLength(1, 1000))
}).annotate({ identifier: "CreateTestAliases" })

/** A proposed rename. */
export const TestRename = Schema.Struct({
  from: Schema.String,
  to: Schema.String,
  first_seen_at: Timestamp.Timestamp.annotate({ description: "When the new name ran first." }),
  shared_by: Schema.Int.annotate({
    description: "How many proposals of the same job and time replace the same part of their names."
  })
}).annotate({ identifier: "TestRename" })

/** Proposed renames. */
export const TestRenameList = Schema.Struct({ size: Schema.Int, test_renames: Schema.Array(TestRename) }).annotate({
  identifier: "TestRenameList",
  description: "Proposed renames, the surest first."
})
