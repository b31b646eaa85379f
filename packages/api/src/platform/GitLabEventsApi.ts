/** The operation that GitLab calls (beyond the interface). It accepts no key: GitLab sends the secret of its webhook. */
import { HttpApiEndpoint } from "effect/http-api"
import { BodyLimit, deliveryLimit, RawBody } from "../definition/BodyLimit.ts"
import * as Operation from "../definition/Operation.ts"
import { RequestErrors } from "../definition/RequestErrors.ts"
import { GitLabHeaders, GitLabPayload } from "./GitLabEvent.ts"
import * as Delivery from "./Delivery.ts"

const receiveGitLabEvent = HttpApiEndpoint.post("receiveGitLabEvent", "/v1/webhooks/gitlab", {
  headers: GitLabHeaders,
  payload: GitLabPayload,
  success: Delivery.success,
  error: Delivery.error
})
  .annotate(BodyLimit, deliveryLimit)
  // The secret is compared before the body is read.
  .annotate(RawBody, true)
  .pipe(
    Operation.isPublic,
    Operation.documented({
      summary: "Receive an event from GitLab",
      description:
        "Accepts events about merge requests and pipelines, and answers any other event with the reason why it is ignored. The same " +
        "delivery again changes nothing. Not found while the server has no webhook secret of GitLab."
    })
  )

/** The group of the events from GitLab. */
export class GitLabEventsApi extends Operation.open(
  "gitLabEvents",
  { title: "GitLab events", description: "Events that GitLab sends." },
  receiveGitLabEvent
).middleware(RequestErrors) {}
