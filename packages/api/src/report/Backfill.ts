/** Reading the artifacts of past runs on the wire (beyond the interface). */
import { Schema } from "effect"
import { Timestamp } from "../definition/Timestamp.ts"

/** The body that starts a step: a page of runs is read, the newest first. */
export const Backfill = Schema.Struct({
  from: Timestamp.annotate({ description: "Runs from before are not read." }),
  page: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100_000 })).annotate({
      description: "The page of runs: the `next_page` of the step before. Without: the first."
    })
  )
}).annotate({ identifier: "Backfill" })

/** The reports that a step has read. */
export const BackfillStep = Schema.Struct({
  runs: Schema.Int,
  artifacts: Schema.Int.annotate({ description: "The artifacts whose names match the setting `artifacts`." }),
  executions: Schema.Struct({ recorded: Schema.Int, duplicates: Schema.Int }),
  problems: Schema.Array(Schema.String).annotate({ description: "What cannot be read, at most 100 sentences." }),
  next_page: Schema.NullOr(Schema.Int).annotate({
    description: "The page of the next step; null when nothing is left."
  })
}).annotate({ identifier: "BackfillStep", description: "The step was made." })
