/** The operation that GitHub calls (beyond the interface). It accepts no token: GitHub signs the delivery. */
import { HttpApiEndpoint } from "effect/http-api"
import { BodyLimit, deliveryLimit, RawBody } from "../definition/BodyLimit.ts"
import * as Operation from "../definition/Operation.ts"
import { RequestErrors } from "../definition/RequestErrors.ts"
import { GitHubHeaders, GitHubPayload } from "./GitHubEvent.ts"
import * as Delivery from "./Delivery.ts"

const receiveGitHubEvent = HttpApiEndpoint.post("receiveGitHubEvent", "/v1/webhooks/github", {
  headers: GitHubHeaders,
  payload: GitHubPayload,
  success: Delivery.success,
  error: Delivery.error
})
  .annotate(BodyLimit, deliveryLimit)
  // The signature covers the bytes, and is verified before they are decoded.
  .annotate(RawBody, true)
  .pipe(
    Operation.isPublic,
    Operation.documented({
      summary: "Receive an event from GitHub",
      description:
        "Accepts the events `pull_request`, `merge_group`, `check_run`, `check_suite`, `status`, `push`, `issue_comment`, `workflow_run`, " +
        "`repository` and `installation`, and answers any other " +
        "event with the reason why it is ignored. The same delivery again changes nothing; one that reports a pressed button is a conflict the second time. Not found while the server has no " +
        "webhook secret of GitHub."
    })
  )

/** The group of the events from GitHub. */
export class GitHubEventsApi extends Operation.open(
  "gitHubEvents",
  { title: "GitHub events", description: "Events that GitHub sends." },
  receiveGitHubEvent
).middleware(RequestErrors) {}
