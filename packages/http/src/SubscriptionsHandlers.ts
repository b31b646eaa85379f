/** The handlers of the routes of outgoing webhooks: one use case each. */
import { Api, Principal } from "@lazaret/api"
import { Subscriptions } from "@lazaret/services"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as ServiceErrors from "./ServiceErrors.ts"
import * as Subscription from "./wire/Subscription.ts"

/** A client that goes away must not cut a write in two. */
const options = { uninterruptible: true }

/** The handlers over the service. */
export const layer = HttpApiBuilder.group(
  Api,
  "subscriptions",
  Effect.fnUntraced(function* (handlers) {
    const subscriptions = yield* Subscriptions

    return handlers.handleAll({
      createWebhook: {
        handler: ({ params, payload }) =>
          Effect.flatMap(Principal, ({ subject }) =>
            subscriptions
              .create(params, Subscription.newOf(payload, subject))
              .pipe(Effect.map(Subscription.of), ServiceErrors.toProblem)
          ),
        options
      },
      listWebhooks: ({ params }) =>
        subscriptions.list(params).pipe(Effect.map(Subscription.listOf), ServiceErrors.toProblem),
      deleteWebhook: {
        handler: ({ params }) => ServiceErrors.toProblem(subscriptions.remove(params, params.webhook_id)),
        options
      },
      listDeadLetters: ({ params }) =>
        subscriptions
          .deadLetters(params, params.webhook_id)
          .pipe(Effect.map(Subscription.deadOf), ServiceErrors.toProblem),
      redeliverDeadLetter: {
        handler: ({ params }) =>
          ServiceErrors.toProblem(subscriptions.redeliver(params, params.webhook_id, params.event_id)),
        options
      }
    })
  })
)
