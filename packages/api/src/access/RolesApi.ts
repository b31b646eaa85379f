/** The operations on roles that people are given by hand (beyond the interface). */
import { HttpApi, HttpApiEndpoint, HttpApiSchema } from "effect/http-api"
import * as Access from "../definition/Access.ts"
import * as Operation from "../definition/Operation.ts"
import * as Problem from "../definition/Problem.ts"
import { AssignedRole, AssignedRolesList, SetRole } from "./AssignedRole.ts"
import * as Parameter from "../definition/Parameter.ts"

const listRoles = HttpApiEndpoint.get("listRoles", "/v1/roles", {
  success: AssignedRolesList,
  error: Problem.Unavailable
}).pipe(
  Operation.demands(Access.adminKey("read")),
  Operation.documented({
    summary: "List roles",
    description:
      "Lists the roles that people were given by hand, oldest first. An admin of one owner sees those of this owner and its repositories."
  })
)

const setRole = HttpApiEndpoint.put("setRole", "/v1/roles", {
  payload: SetRole,
  success: AssignedRole,
  error: [Problem.ContentTooLarge, Problem.UnsupportedMediaType, Problem.Unprocessable, Problem.Unavailable]
})
  .annotate(HttpApi.PayloadParseOptions, Operation.strict)
  .pipe(
    Operation.demands(Access.adminKey("write")),
    Operation.documented({
      summary: "Give a person a role",
      description:
        "Gives the person with a login a role in a repository, in all of an owner, or everywhere. It counts at once, in open sessions, too, " +
        "and replaces the role that the person was given for the same place. The first person who uses the role keeps it: a login that the " +
        "provider gives to somebody else later does not have it. A login in the form of an e-mail address is that of the person whose address the " +
        "provider has verified. An admin of one owner gives roles for this owner only."
    })
  )

const removeRole = HttpApiEndpoint.delete("removeRole", "/v1/roles/:role_id", {
  params: { role_id: Parameter.uuid("The id of a role.") },
  success: HttpApiSchema.NoContent.annotate({ description: "The role has been taken away." }),
  error: [Problem.NotFound, Problem.Unprocessable, Problem.Unavailable]
}).pipe(
  Operation.demands(Access.adminKey("write")),
  Operation.documented({
    summary: "Take a role away",
    description: "Takes a role away at once, in open sessions, too. Roles that the person has from other sources stay."
  })
)

/** The group of the operations on roles. */
export class RolesApi extends Operation.guarded(
  "roles",
  { description: "The roles that people are given by hand." },
  listRoles,
  setRole,
  removeRole
) {}
