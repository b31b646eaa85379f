/** Pins of the names in tokens of CI systems, on the wire (beyond the interface). */
import { Schema } from "effect"
import { Timestamp } from "../definition/Timestamp.ts"

/** A pin of a name. */
export const OriginPin = Schema.Struct({
  id: Schema.String,
  issuer: Schema.String.annotate({ description: "The issuer of the tokens." }),
  owner: Schema.String,
  repository: Schema.NullOr(Schema.String).annotate({ description: "The repository; null for the owner itself." }),
  platform_id: Schema.String.annotate({
    description: "The number of the owner or of the repository at the hosting platform, which no other one ever has."
  }),
  created_at: Timestamp
}).annotate({ identifier: "OriginPin", description: "What a name stands for in the tokens of an issuer." })

/** The pins within reach. */
export const OriginPinsList = Schema.Struct({ size: Schema.Int, pins: Schema.Array(OriginPin) }).annotate({
  identifier: "OriginPinsList",
  description: "The pins, oldest first."
})
