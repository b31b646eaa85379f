/** Operations of the simulated GitLab: their requests, and the roles that may send them. */
import type { JsonObject } from "../Json.ts"
import { refusal, type Reply } from "../operations/Operation.ts"
import * as Lab from "./Lab.ts"

/** A request that the description allows; `token` is what it proves itself with, null without one. */
export interface Call {
  readonly lab: Lab.Lab
  readonly token: string | null
  readonly origin: string
  readonly path: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  readonly body: JsonObject
}

/** One operation. */
export type Operation = (call: Call) => Reply

/** The operations by id. */
export type Operations = Readonly<Record<string, Operation>>

/** A refusal in the words of the platform. */
export const missing = (what: string): Reply => refusal(404, `404 ${what} Not Found`)

/** The account of a token; undefined without a known one. */
const accountOf = ({ lab, token }: Call): Lab.Account | undefined => lab.accounts.get(token ?? "")

/** An operation of somebody. */
export const byAccount =
  (run: (account: Lab.Account, call: Call) => Reply): Operation =>
  (call) => {
    const account = accountOf(call)
    return account === undefined ? refusal(401, "401 Unauthorized") : run(account, call)
  }

/**
 * An operation on a project, for those with a role or above; 0 for everybody who sees the project.
 *
 * **Details**
 *
 * A project does not exist for those who may not see it. A token that is not known is refused. A path that a project has left
 * redirects reads to the new one.
 */
export const onProject =
  (role: number, run: (project: Lab.Project, call: Call) => Reply): Operation =>
  (call) => {
    const account = accountOf(call)
    if (call.token !== null && account === undefined) return refusal(401, "401 Unauthorized")
    const path = call.path["id"] ?? ""
    const moved = call.lab.moved.get(path.toLowerCase())
    if (moved !== undefined) {
      const location = `${call.origin}/api/v4/projects/${encodeURIComponent(moved.path)}`
      return { status: 301, headers: { location }, members: { message: "moved" } }
    }
    const project = Lab.projectAt(call.lab, path)
    const level = project?.members.get(call.token ?? "") ?? 0
    const isSeen =
      project?.visibility === "public" || level > 0 || (project?.visibility === "internal" && account !== undefined)
    if (project === undefined || !isSeen) return missing("Project")
    Lab.pass(project)
    return level < role ? refusal(account === undefined ? 401 : 403, "403 Forbidden") : run(project, call)
  }

/** One page of a list, with the header of the next one. */
export const paged = <A>({ query }: Call, list: ReadonlyArray<A>) => {
  const size = Number(query.get("per_page") ?? 20)
  const page = Number(query.get("page") ?? 1)
  const next = list.length > page * size ? String(page + 1) : ""
  return { items: list.slice((page - 1) * size, page * size), headers: { "x-next-page": next } }
}

/** An account, as the platform shows it. */
export const userJson = ({ id, username }: Lab.Account): JsonObject => ({
  id,
  username,
  name: username,
  state: "active"
})
