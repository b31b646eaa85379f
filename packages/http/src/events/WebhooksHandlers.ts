/** The handlers of the routes of outgoing webhooks: one use case each. */
import { Api, Principal } from "@lazaret/api"
import { Webhooks } from "@lazaret/services"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as ServiceErrors from "../response/ServiceErrors.ts"
import * as Webhook from "./Webhook.ts"

/** A client that goes away must not cut a write in two. */
const options = { uninterruptible: true }

/** The handlers over the service. */
export const layer = HttpApiBuilder.group(
  Api,
  "webhooks",
  Effect.fnUntraced(function* (handlers) {
    const webhooks = yield* Webhooks

    return handlers.handleAll({
      createWebhook: {
        handler: ({ params, payload }) =>
          Effect.flatMap(Principal, ({ subject }) =>
            webhooks
              .create(params, Webhook.newOf(payload, subject))
              .pipe(Effect.map(Webhook.of), ServiceErrors.toProblem)
          ),
        options
      },
      listWebhooks: ({ params }) => webhooks.list(params).pipe(Effect.map(Webhook.listOf), ServiceErrors.toProblem),
      deleteWebhook: {
        handler: ({ params }) => ServiceErrors.toProblem(webhooks.remove(params, params.webhook_id)),
        options
      },
      listDeadLetters: ({ params }) =>
        webhooks.deadLetters(params, params.webhook_id).pipe(Effect.map(Webhook.deadOf), ServiceErrors.toProblem),
      redeliverDeadLetter: {
        handler: ({ params }) =>
          ServiceErrors.toProblem(webhooks.redeliver(params, params.webhook_id, params.event_id)),
        options
      }
    })
  })
)
