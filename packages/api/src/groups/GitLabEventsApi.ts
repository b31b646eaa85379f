/** The operation that GitLab calls (beyond the interface). It accepts no key: GitLab sends the secret of its webhook. */
import { ByteSize } from "effect"
import { HttpApiEndpoint, HttpApiSchema } from "effect/http-api"
import { BodyLimit, RawBody } from "../BodyLimit.ts"
import { examples } from "../examples/Examples.ts"
import * as Operation from "../Operation.ts"
import * as Problem from "../Problem.ts"
import { RequestErrors } from "../RequestErrors.ts"
import { GitHubEventAnswer } from "../wire/GitHubEvent.ts"
import { GitLabHeaders, GitLabPayload } from "../wire/GitLabEvent.ts"

const receiveGitLabEvent = HttpApiEndpoint.post("receiveGitLabEvent", "/v1/webhooks/gitlab", {
  headers: GitLabHeaders,
  payload: GitLabPayload,
  success: GitHubEventAnswer.pipe(HttpApiSchema.status(202)),
  error: [
    Problem.Forbidden,
    Problem.NotFound,
    Problem.Conflict,
    Problem.ContentTooLarge,
    Problem.UnsupportedMediaType,
    Problem.Unprocessable,
    Problem.Unavailable
  ]
})
  .annotate(BodyLimit, ByteSize.mebibytes(25))
  // The secret is compared before the body is read.
  .annotate(RawBody, true)
  .pipe(
    Operation.isPublic,
    Operation.documented({
      summary: "Receive an event from GitLab",
      description:
        "Accepts events about merge requests and pipelines, and answers any other event with the reason why it is ignored. The same " +
        "delivery again changes nothing. Not found while the server has no webhook secret of GitLab.",
      example: examples.receiveGitLabEvent
    })
  )

/** The group of the events from GitLab. */
export class GitLabEventsApi extends Operation.open(
  "gitLabEvents",
  { title: "GitLab events", description: "Events that GitLab sends." },
  receiveGitLabEvent
).middleware(RequestErrors) {}
