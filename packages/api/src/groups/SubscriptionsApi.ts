/** The routes of outgoing webhooks. */
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Authentication } from "../Authentication.ts"
import * as Problem from "../Problem.ts"
import { RequestErrors } from "../RequestErrors.ts"
import * as Parameter from "../wire/Parameter.ts"
import { CreateWebhook, DeadLetters, Webhook, WebhookList } from "../wire/Subscription.ts"

const described = (summary: string, description: string) => OpenApi.annotations({ summary, description })

const one = { ...Parameter.repository, webhook_id: Parameter.uuid("The identifier of a webhook.") }

const letter = { ...one, event_id: Parameter.uuid("The identifier of an event.") }

const error = [Problem.NotFound, Problem.Unprocessable, Problem.Unavailable]

const createWebhook = HttpApiEndpoint.post("createWebhook", "/webhooks", {
  params: Parameter.repository,
  payload: CreateWebhook,
  success: Webhook.pipe(HttpApiSchema.status(201)),
  error: [Problem.ContentTooLarge, Problem.UnsupportedMediaType, Problem.Unprocessable, Problem.Unavailable]
}).annotateMerge(
  described(
    "Create a webhook",
    "Sends the events that happen from now on to a URL: signed, in order, at least once. The secret is never shown again."
  )
)

const listWebhooks = HttpApiEndpoint.get("listWebhooks", "/webhooks", {
  params: Parameter.repository,
  success: WebhookList,
  error
}).annotateMerge(described("List webhooks", "Lists where the events of the repository are sent, without the secrets."))

const deleteWebhook = HttpApiEndpoint.delete("deleteWebhook", "/webhooks/:webhook_id", {
  params: one,
  success: HttpApiSchema.NoContent.annotate({ description: "Nothing is sent any more." }),
  error
}).annotateMerge(described("Delete a webhook", "Ends a webhook with its dead letters."))

const listDeadLetters = HttpApiEndpoint.get("listDeadLetters", "/webhooks/:webhook_id/dead-letters", {
  params: one,
  success: DeadLetters,
  error
}).annotateMerge(
  described("List dead letters", "Lists the events that the receiver did not take in seven attempts, the latest first.")
)

const redeliverDeadLetter = HttpApiEndpoint.post(
  "redeliverDeadLetter",
  "/webhooks/:webhook_id/dead-letters/:event_id/redeliver",
  {
    params: letter,
    success: HttpApiSchema.NoContent.annotate({ description: "The receiver has taken the event." }),
    error: [Problem.Conflict, ...error]
  }
).annotateMerge(
  described("Redeliver a dead letter", "Sends a dead letter once more; a receiver that does not take it is a conflict.")
)

/** The group of the routes of outgoing webhooks. */
export class SubscriptionsApi extends HttpApiGroup.make("subscriptions", { topLevel: true })
  .add(createWebhook, listWebhooks, deleteWebhook, listDeadLetters, redeliverDeadLetter)
  .prefix("/v1/ci/:owner/repositories/:repository")
  .middleware(RequestErrors)
  .middleware(Authentication)
  .annotateMerge(OpenApi.annotations({ title: "outgoing webhooks", description: "Who is told of events." })) {}
