/** The routes that hosting platforms call (beyond the interface). They take no token: a delivery is signed. */
import { ByteSize } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { BodyLimit } from "../BodyLimit.ts"
import * as Problem from "../Problem.ts"
import { RequestErrors } from "../RequestErrors.ts"
import { GitHubHeaders, GitHubPayload, WebhookAnswer } from "../wire/Webhook.ts"

const receiveGitHubDelivery = HttpApiEndpoint.post("receiveGitHubDelivery", "/v1/webhooks/github", {
  headers: GitHubHeaders,
  payload: GitHubPayload,
  success: WebhookAnswer.pipe(HttpApiSchema.status(202)),
  error: [
    Problem.Forbidden,
    Problem.NotFound,
    Problem.ContentTooLarge,
    Problem.UnsupportedMediaType,
    Problem.Unprocessable,
    Problem.Unavailable
  ]
})
  .annotateMerge(
    OpenApi.annotations({
      summary: "Receive a delivery of GitHub",
      description:
        "Takes the events `pull_request`, `merge_group`, `check_run`, `check_suite`, `status` and `push`, and answers " +
        "every other one with the reason why it is not used. The same delivery again changes nothing. Not found while " +
        "the server has no webhook secret."
    })
  )
  .annotate(BodyLimit, ByteSize.mebibytes(25))

/** The group of the webhooks. */
export class WebhooksApi extends HttpApiGroup.make("webhooks", { topLevel: true })
  .add(receiveGitHubDelivery)
  .middleware(RequestErrors)
  .annotateMerge(OpenApi.annotations({ description: "What hosting platforms tell by themselves." })) {}
