/** The handlers of the routes of notifiers: one use case each. */
import { Api, Principal } from "@lazaret/api"
import { Notifications, WideNotifications } from "@lazaret/services"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as ServiceErrors from "../response/ServiceErrors.ts"
import * as Notifier from "./Notifier.ts"

/** A client that goes away must not cut a write in two. */
const options = { uninterruptible: true }

/** The handlers over the service. */
export const layer = HttpApiBuilder.group(
  Api,
  "notifiers",
  Effect.fnUntraced(function* (handlers) {
    const notifications = yield* Notifications
    const wide = yield* WideNotifications

    return handlers.handleAll({
      createNotifier: {
        handler: ({ params, payload }) =>
          Effect.flatMap(Principal, ({ subject }) =>
            notifications
              .create(params, Notifier.newOf(payload, subject))
              .pipe(Effect.map(Notifier.of), ServiceErrors.toProblem)
          ),
        options
      },
      listNotifiers: ({ params }) =>
        notifications.list(params).pipe(
          Effect.map((all) => ({ notifiers: all.map(Notifier.of) })),
          ServiceErrors.toProblem
        ),
      deleteNotifier: {
        handler: ({ params }) => ServiceErrors.toProblem(notifications.remove(params, params.notifier_id)),
        options
      },
      testNotifier: {
        handler: ({ params }) => ServiceErrors.toProblem(notifications.test(params, params.notifier_id)),
        options
      },
      createWideNotifier: {
        handler: ({ payload }) =>
          Effect.flatMap(Principal, (caller) =>
            wide.create(caller, Notifier.newWideOf(payload)).pipe(Effect.map(Notifier.wideOf), ServiceErrors.toProblem)
          ),
        options
      },
      listWideNotifiers: () =>
        Effect.flatMap(Principal, (caller) =>
          wide.list(caller).pipe(
            Effect.map((all) => ({ notifiers: all.map(Notifier.wideOf) })),
            ServiceErrors.toProblem
          )
        ),
      deleteWideNotifier: {
        handler: ({ params }) =>
          Effect.flatMap(Principal, (caller) => ServiceErrors.toProblem(wide.remove(caller, params.notifier_id))),
        options
      },
      testWideNotifier: {
        handler: ({ params }) =>
          Effect.flatMap(Principal, (caller) => ServiceErrors.toProblem(wide.test(caller, params.notifier_id))),
        options
      }
    })
  })
)
