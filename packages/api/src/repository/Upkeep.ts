/** Upkeep on the wire. */
import { Schema } from "effect"

const Ref = { owner: Schema.String, repository: Schema.String }

/** A repository that was recomputed. */
export const Refolded = Schema.Struct(Ref).annotate({
  identifier: "Refolded",
  description: "The repository that was recomputed."
})

/** The differences between stored and computed data: the first ones, and their number. */
export const Verification = Schema.Struct({
  ...Ref,
  differences: Schema.Array(
    Schema.Struct({
      kind: Schema.String.annotate({ description: "What differs." }),
      place: Schema.String.annotate({ description: "Where." })
    }).annotate({ identifier: "Difference" })
  ),
  total: Schema.Int.annotate({ description: "How many differences there are; the first 1000 are named." })
}).annotate({ identifier: "Verification", description: "Without differences all is well." })
