/** The handlers of the routes of roles. */
import { Api, Principal } from "@lazaret/api"
import { RoleAdministration } from "@lazaret/services"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as ServiceErrors from "../response/ServiceErrors.ts"
import * as AssignedRole from "./AssignedRole.ts"

/** A client that goes away must not cut a write in two. */
const options = { uninterruptible: true }

/** The handlers over the service. */
export const layer = HttpApiBuilder.group(
  Api,
  "roles",
  Effect.fnUntraced(function* (handlers) {
    const roles = yield* RoleAdministration

    return handlers.handleAll({
      listRoles: () =>
        Effect.flatMap(Principal, (caller) =>
          roles.list(caller).pipe(Effect.map(AssignedRole.listOf), ServiceErrors.toProblem)
        ),
      setRole: {
        handler: ({ payload }) =>
          Effect.flatMap(Principal, (caller) =>
            roles.set(caller, AssignedRole.newOf(payload)).pipe(Effect.map(AssignedRole.of), ServiceErrors.toProblem)
          ),
        options
      },
      removeRole: {
        handler: ({ params }) =>
          Effect.flatMap(Principal, (caller) => ServiceErrors.toProblem(roles.remove(caller, params.role_id))),
        options
      }
    })
  })
)
