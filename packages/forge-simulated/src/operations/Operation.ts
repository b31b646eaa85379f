/** The input and the answer of an operation of the simulated GitHub. */
import type { Actor } from "../Actor.ts"
import * as Hub from "../Hub.ts"
import { isObject, type Json, type JsonObject } from "../Json.ts"

/** A request that the description allows; `origin` is the address of the simulated platform. */
export interface Call {
  readonly hub: Hub.Hub
  readonly actor: Actor
  readonly origin: string
  readonly path: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  readonly body: JsonObject
}

/**
 * An answer. `members` are those that matter: the platform's description completes them to a whole answer. `raw` is a body
 * that is not JSON.
 */
export interface Reply {
  readonly status: number
  readonly members?: Json
  readonly headers?: Readonly<Record<string, string>>
  readonly raw?: Uint8Array
}

/** One operation. */
export type Operation = (call: Call) => Reply

/** The operations by id. */
export type Operations = Readonly<Record<string, Operation>>

/** A refusal in the words of the platform. */
export const refusal = (status: number, message: string): Reply => ({ status, members: { message } })

/** The answer for whatever the caller may not see. */
export const notFound = refusal(404, "Not Found")

/** An operation of the app itself, which proves itself with a JWT. */
export const byApp =
  (run: (app: Hub.App, call: Call) => Reply): Operation =>
  (call) =>
    call.actor._tag === "App" ? run(call.actor.app, call) : refusal(401, "A JSON web token could not be decoded")

/**
 * A permission of the app, and how far it must reach; of several permissions one suffices.
 *
 * **Details**
 *
 * The operations name them as GitHub publishes them (github/docs, src/github-apps/data/fpt-2022-11-28,
 * server-to-server-permissions.json), which lists operations on comments and issues under both Issues and Pull requests.
 */
export interface Need {
  readonly permission: Hub.Permission | ReadonlyArray<Hub.Permission>
  readonly access: "read" | "write"
}

/**
 * An operation on a repository.
 *
 * **Details**
 *
 * A private repository does not exist for those who may not read it. Public ones are open to reads. An archived one is
 * read-only (docs.github.com, "Archiving repositories").
 */
export const onRepository =
  ({ access, permission }: Need, run: (repository: Hub.Repository, call: Call) => Reply): Operation =>
  (call) => {
    const { owner = "", repo = "" } = call.path
    const repository = Hub.repositoryNamed(call.hub, owner, repo)
    if (repository === undefined) return notFound
    const reach = reachOf(call, repository, permission)
    if (repository.isPrivate && reach === "none") return notFound
    if (access === "write" && reach !== "write") return refusal(403, notAccessible(call.actor))
    if (access === "write" && repository.isArchived === true)
      return refusal(403, "Repository was archived so is read-only.")
    return run(repository, call)
  }

const notAccessible = ({ _tag }: Actor): string =>
  _tag === "Installation" ? "Resource not accessible by integration" : "Must have push access to repository."

const reachOf = ({ actor }: Call, repository: Hub.Repository, permission: Need["permission"]) => {
  if (actor._tag === "Person") return repository.tokens.get(actor.token) ?? "none"
  if (actor._tag !== "Installation") return "none"
  const isOwn = actor.installation.owner.toLowerCase() === repository.owner.toLowerCase()
  const granted = [permission].flat().map((each) => (isOwn ? actor.app.permissions[each] : undefined))
  return granted.includes("write") ? "write" : granted.includes("read") ? "read" : "none"
}

/** One page of a list, with the `Link` header of the platform. */
export const paged = <A>({ origin, query }: Call, list: ReadonlyArray<A>, address: string) => {
  const size = Number(query.get("per_page") ?? 30)
  const page = Number(query.get("page") ?? 1)
  const hasNext = list.length > page * size
  const next = new URLSearchParams([...query].filter(([key]) => key !== "page"))
  next.set("page", String(page + 1))
  return {
    items: list.slice((page - 1) * size, page * size),
    headers: hasNext ? { link: `<${origin}${address}?${next.toString()}>; rel="next"` } : {}
  }
}

/** A member that is a text. */
export const text = (body: JsonObject, key: string): string => (typeof body[key] === "string" ? body[key] : "")

/** A member that is an object. */
export const object = (body: JsonObject, key: string): JsonObject => {
  const found = body[key]
  return isObject(found) ? found : {}
}

/** An account, as the platform shows it. */
export const userJson = ({ id, login }: Hub.User, type = "User"): JsonObject => ({ id, login, type })
