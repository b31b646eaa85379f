/** The answer to events from the hosting platform (beyond the interface). */
import { Schema } from "effect"
import { QueueOutcome } from "./QueueFeed.ts"

const Accepted = Schema.Struct({
  accepted: Schema.Literal(true),
  outcomes: Schema.Array(QueueOutcome),
  notes: Schema.Array(Schema.String)
})

const Ignored = Schema.Struct({ accepted: Schema.Literal(false), reason: Schema.String })

/** The outcome of a delivery. A delivery that is not used is answered as well: platforms show anything else as a failure. */
export const PlatformEventAnswer = Schema.Union([Accepted, Ignored]).annotate({
  identifier: "PlatformEventAnswer",
  description: "The outcome of the delivery."
})
