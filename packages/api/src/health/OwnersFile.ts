/** CODEOWNERS on the wire (beyond the interface). */
import { Text } from "@lazaret/domain"
import { Schema } from "effect"
import { Timestamp } from "../definition/Timestamp.ts"

const Dialect = Schema.Literals(["github", "gitlab"])

/** The body that uploads a CODEOWNERS. */
export const UploadOwners = Schema.Struct({
  text: Text.between(0, 1_000_000).annotate({ description: "The text of the file." }),
  dialect: Schema.optionalKey(
    Dialect.annotate({
      description: "The dialect of the file: that of the connected platform, otherwise that of GitHub."
    })
  )
}).annotate({ identifier: "UploadOwners" })

/** The CODEOWNERS that counts. */
export const OwnersState = Schema.Struct({
  source: Schema.NullOr(Schema.Literals(["platform", "uploaded"])).annotate({
    description: "The source of the CODEOWNERS that counts: the platform, otherwise an upload; null without both."
  }),
  rules: Schema.Int.annotate({ description: "The number of its rules." }),
  uploaded: Schema.NullOr(
    Schema.Struct({
      text: Schema.String,
      dialect: Dialect,
      uploaded_at: Timestamp,
      uploaded_by: Schema.String
    })
  ).annotate({ description: "The uploaded file, whether it counts or not." })
}).annotate({ identifier: "OwnersState", description: "The CODEOWNERS of a repository." })
