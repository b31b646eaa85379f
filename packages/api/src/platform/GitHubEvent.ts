/** Events from GitHub: headers and payload (beyond the interface). */
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"

/** The headers of a delivery. None is required by the schema: the signature is verified before anything else. */
export const GitHubHeaders = {
  "x-github-event": Schema.optionalKey(
    Schema.String.annotate({ description: "What the delivery is about.", examples: ["merge_group"] })
  ),
  "x-github-delivery": Schema.optionalKey(
    Schema.String.annotate({ description: "The id of the delivery, for the log." })
  ),
  "x-hub-signature-256": Schema.optionalKey(
    Schema.String.annotate({
      description: "`sha256=` and the HMAC-SHA256 of the body under the shared secret, in hexadecimal digits. Required."
    })
  )
}

/** The body of a delivery, in both forms that GitHub offers. The payload is GitHub's and shown no further. */
export const GitHubPayload = [
  Schema.Struct({
    action: Schema.optionalKey(Schema.String.annotate({ description: "What happened; most events say it." }))
  }),
  Schema.Struct({ payload: Schema.String.annotate({ description: "The payload as JSON." }) }).pipe(
    HttpApiSchema.asFormUrlEncoded()
  )
] as const
