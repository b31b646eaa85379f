/** CODEOWNERS on the wire (beyond the interface). */
import { Text } from "@lazaret/domain"
import { Schema } from "effect"
import { Timestamp } from "./Timestamp.ts"

const Dialect = Schema.Literals(["github", "gitlab"])

/** The body that uploads a CODEOWNERS. */
export const UploadOwners = Schema.Struct({
  text: Text.between(0, 1_000_000).annotate({ description: "The text of the file." }),
  dialect: Schema.optionalKey(
    Dialect.annotate({ description: "Whose rules the file follows; those of the connected platform, else GitHub's." })
  )
}).annotate({ identifier: "UploadOwners" })

/** The CODEOWNERS that counts. */
export const OwnersState = Schema.Struct({
  source: Schema.NullOr(Schema.Literals(["platform", "uploaded"])).annotate({
    description:
      "Where the CODEOWNERS that counts comes from: that of the platform before an uploaded one; null without either."
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
