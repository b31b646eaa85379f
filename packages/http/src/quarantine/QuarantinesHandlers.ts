/** The handlers of the routes of the quarantine list: one use case each. */
import { Api, Principal } from "@lazaret/api"
import { QuarantineDebts, Quarantines } from "@lazaret/services"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as Links from "../response/Links.ts"
import * as ServiceErrors from "../response/ServiceErrors.ts"
import * as Quarantine from "./Quarantine.ts"

/** A client that goes away must not cut a write in two. */
const options = { uninterruptible: true }

/** The handlers over the service. */
export const layer = HttpApiBuilder.group(
  Api,
  "quarantines",
  Effect.fnUntraced(function* (handlers) {
    const quarantines = yield* Quarantines
    const debts = yield* QuarantineDebts

    return handlers.handleAll({
      listQuarantines: ({ params, query, request }) => {
        const list = Quarantine.requestOf(query)
        const page = Quarantine.pageOf(list.perPage)
        return quarantines.list(params, list).pipe(Links.paged(request, page), ServiceErrors.toProblem)
      },
      createQuarantine: {
        handler: ({ params, payload }) =>
          Effect.flatMap(Principal, ({ subject }) =>
            quarantines.create(params, Quarantine.newOf(payload, subject)).pipe(
              Effect.map(({ id }) => ({ id })),
              ServiceErrors.toProblem
            )
          ),
        options
      },
      getQuarantine: ({ params }) =>
        quarantines.get(params, params.quarantine_id).pipe(Effect.map(Quarantine.of), ServiceErrors.toProblem),
      deleteQuarantine: {
        handler: ({ params }) =>
          Effect.flatMap(Principal, ({ subject }) =>
            ServiceErrors.toProblem(quarantines.remove(params, params.quarantine_id, subject))
          ),
        options
      },
      getQuarantineLife: ({ params }) =>
        quarantines.get(params, params.quarantine_id).pipe(Effect.map(Quarantine.livingOf), ServiceErrors.toProblem),
      listQuarantineLives: ({ params, query, request }) => {
        const list = Quarantine.requestOf(query)
        const page = Quarantine.livesOf(list.perPage)
        return quarantines.list(params, list).pipe(Links.paged(request, page), ServiceErrors.toProblem)
      },
      setQuarantineLife: {
        handler: ({ params, payload }) =>
          Effect.flatMap(Principal, ({ subject }) =>
            quarantines
              .setLife(params, params.quarantine_id, Quarantine.lifeOf(payload, subject))
              .pipe(Effect.map(Quarantine.livingOf), ServiceErrors.toProblem)
          ),
        options
      },
      changeQuarantineLife: {
        handler: ({ params, payload }) =>
          Effect.flatMap(Principal, ({ subject }) =>
            quarantines
              .setLife(params, params.quarantine_id, Quarantine.changeOf(payload, subject))
              .pipe(Effect.map(Quarantine.livingOf), ServiceErrors.toProblem)
          ),
        options
      },
      getQuarantineDebt: ({ params }) =>
        debts.report(params).pipe(Effect.map(Quarantine.debtOf), ServiceErrors.toProblem),
      checkQuarantines: ({ params, payload }) =>
        quarantines
          .check(params, payload.tests_names, payload.branch ?? null)
          .pipe(Effect.map(Quarantine.checkedOf), ServiceErrors.toProblem)
    })
  })
)
