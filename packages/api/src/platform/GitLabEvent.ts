/** Events from GitLab: headers and payload (beyond the interface). */
import { Schema } from "effect"

/** The headers of a delivery. None is required by the schema: the secret is compared before anything else. */
export const GitLabHeaders = {
  "x-gitlab-token": Schema.optionalKey(Schema.String.annotate({ description: "The secret of the webhook. Required." })),
  "x-gitlab-event-uuid": Schema.optionalKey(
    Schema.String.annotate({ description: "The id of the delivery, for the log." })
  )
}

/** The body of a delivery. The payload is GitLab's and shown no further. */
export const GitLabPayload = Schema.Struct({
  object_kind: Schema.optionalKey(
    Schema.String.annotate({ description: "What the delivery is about.", examples: ["merge_request"] })
  )
})
