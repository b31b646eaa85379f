/** The handlers of the routes of the audit log. */
import { Api } from "@lazaret/api"
import { Audits } from "@lazaret/services"
import { Effect, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import * as Caller from "./Caller.ts"
import * as Links from "../response/Links.ts"
import * as ServiceErrors from "../response/ServiceErrors.ts"
import * as Audit from "./Audit.ts"
import * as Parameter from "../request/Parameter.ts"

/** The handlers over the service. */
export const layer = HttpApiBuilder.group(
  Api,
  "audit",
  Effect.fnUntraced(function* (handlers) {
    const audits = yield* Audits

    return handlers.handleAll({
      listAudit: ({ query, request }) => {
        const list = Parameter.pageOf(query)
        return Effect.flatMap(Caller.administered, (owners) =>
          audits
            .list(owners, { ...Audit.filterOf(query), ...list })
            .pipe(Links.paged(request, Audit.pageOf(list.perPage)), ServiceErrors.toProblem)
        )
      },
      exportAudit: ({ query }) =>
        Effect.map(Caller.administered, (owners) =>
          HttpServerResponse.stream(
            Stream.encodeText(Stream.map(audits.all(owners, Audit.filterOf(query)), Audit.lineOf)),
            {
              contentType: "application/x-ndjson",
              headers: { "content-disposition": 'attachment; filename="audit.ndjson"' }
            }
          )
        )
    })
  })
)
