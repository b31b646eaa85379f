/** The operations on outgoing webhooks (beyond the interface). */
import { HttpApiEndpoint, HttpApiSchema } from "effect/http-api"
import * as Access from "../definition/Access.ts"
import * as Operation from "../definition/Operation.ts"
import { repositoryPath } from "../definition/paths.ts"
import * as Problem from "../definition/Problem.ts"
import * as Parameter from "../definition/Parameter.ts"
import { CreateWebhook, DeadLetters, Webhook, WebhookList } from "./Webhook.ts"

const listPath = `${repositoryPath}/webhooks` as const

const one = { ...Parameter.repository, webhook_id: Parameter.uuid("The id of a webhook.") }

const letter = { ...one, event_id: Parameter.uuid("The id of an event.") }

const readDemand = Operation.demands(Access.adminKey("read"))

const writeDemand = Operation.demands(Access.adminKey("write"))

const createWebhook = HttpApiEndpoint.post("createWebhook", listPath, {
  params: Parameter.repository,
  payload: CreateWebhook,
  success: Webhook.pipe(HttpApiSchema.status(201)),
  error: Problem.ofRepositoryBody
}).pipe(
  writeDemand,
  Operation.documented({
    summary: "Create a webhook",
    description:
      "Sends every event from now on to a URL: signed (Standard Webhooks), in order, at least once. The secret is never shown " +
      "again."
  })
)

const listWebhooks = HttpApiEndpoint.get("listWebhooks", listPath, {
  params: Parameter.repository,
  success: WebhookList,
  error: Problem.ofRepository
}).pipe(
  readDemand,
  Operation.documented({
    summary: "List webhooks",
    description: "Lists the webhooks of a repository without their secrets, oldest first."
  })
)

const deleteWebhook = HttpApiEndpoint.delete("deleteWebhook", `${listPath}/:webhook_id`, {
  params: one,
  success: HttpApiSchema.NoContent.annotate({ description: "The webhook receives no more events." }),
  error: Problem.ofRepository
}).pipe(
  writeDemand,
  Operation.documented({ summary: "Delete a webhook", description: "Deletes a webhook and its dead letters." })
)

const listDeadLetters = HttpApiEndpoint.get("listDeadLetters", `${listPath}/:webhook_id/dead-letters`, {
  params: one,
  success: DeadLetters,
  error: Problem.ofRepository
}).pipe(
  readDemand,
  Operation.documented({
    summary: "List dead letters",
    description: "Lists the events that the receiver did not accept in seven attempts, latest first."
  })
)

const redeliverDeadLetter = HttpApiEndpoint.post(
  "redeliverDeadLetter",
  `${listPath}/:webhook_id/dead-letters/:event_id/redeliver`,
  {
    params: letter,
    success: HttpApiSchema.NoContent.annotate({ description: "The receiver accepted the event." }),
    error: Problem.ofRepository
  }
).pipe(
  writeDemand,
  Operation.documented({
    summary: "Redeliver a dead letter",
    description: "Sends a dead letter once more. If the receiver does not accept it, the response is a conflict."
  })
)

/** The group of the outgoing webhooks. */
export class WebhooksApi extends Operation.guarded(
  "webhooks",
  { description: "Outgoing webhooks: receivers of the events of a repository." },
  createWebhook,
  listWebhooks,
  deleteWebhook,
  listDeadLetters,
  redeliverDeadLetter
) {}
