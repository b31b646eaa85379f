/** The handlers of the routes of open sessions. */
import { Api, Principal, type Schemas } from "@lazaret/api"
import { type ListedSession, Sessions } from "@lazaret/services"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as ServiceErrors from "../response/ServiceErrors.ts"

/** The handlers over the service. */
export const layer = HttpApiBuilder.group(
  Api,
  "sessions",
  Effect.fnUntraced(function* (handlers) {
    const sessions = yield* Sessions

    return handlers.handleAll({
      listSessions: () =>
        Effect.gen(function* () {
          const caller = yield* Principal
          const found = yield* ServiceErrors.toProblem(sessions.list(caller))
          return { size: found.length, sessions: found.map((session) => of(session, caller.sessionId)) }
        }),
      revokeSession: ({ params }) =>
        Effect.flatMap(Principal, (caller) => ServiceErrors.toProblem(sessions.revoke(caller, params.session_id)))
    })
  })
)

const of = (session: ListedSession, current: string | undefined): typeof Schemas.Session.Type => ({
  id: session.id,
  kind: session.kind,
  name: session.name,
  owner: session.owner,
  created_at: session.createdAt,
  seen_at: session.seenAt,
  ends_at: session.endsAt,
  address: session.address,
  agent: session.agent,
  is_current: session.id === current
})
