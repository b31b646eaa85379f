/** The simulated GitHub as an HTTP server: judges requests, applies faults and limits, runs operations. */
import { createHash } from "node:crypto"
import type { ServerResponse } from "node:http"
import { Effect } from "effect"
import * as Actor from "./Actor.ts"
import * as Description from "./Description.ts"
import * as Fault from "./Fault.ts"
import * as Hub from "./Hub.ts"
import { isObject, type Json } from "./Json.ts"
import * as Listener from "./Listener.ts"
import * as ManifestPage from "./ManifestPage.ts"
import * as Memory from "./Memory.ts"
import * as Actions from "./operations/Actions.ts"
import * as Apps from "./operations/Apps.ts"
import * as Branches from "./operations/Branches.ts"
import * as Checks from "./operations/Checks.ts"
import * as GraphQl from "./GraphQl.ts"
import * as Comments from "./operations/Comments.ts"
import * as Issues from "./operations/Issues.ts"
import * as Merging from "./operations/Merging.ts"
import { notFound, type Operations, refusal, type Reply } from "./operations/Operation.ts"
import * as Repositories from "./operations/Repositories.ts"
import * as Redirect from "./Redirect.ts"
import * as SignInPage from "./SignInPage.ts"

/** A request that arrived, with the status of its answer; 0 when it had none. */
export interface Seen {
  readonly operation: string
  readonly path: string
  readonly by: Actor.Actor["_tag"]
  readonly status: number
}

/**
 * The limits of an hour: on requests of REST, and on points of GraphQL, of which a query costs one.
 *
 * **Details**
 *
 * They are those of all installations together. A conditional request that is answered with 304 counts for nothing
 * (docs.github.com, "Best practices for using the REST API").
 */
export interface Quota {
  limit: number
  used: number
  points: number
  /** The end of the hour that has begun; null before the first request. */
  resetAt: number | null
}

/** A running server. `violations` are the requests and answers that the published description does not allow. */
export interface GitHubServer {
  readonly url: string
  readonly hub: Hub.Hub
  readonly faults: Fault.Plan
  readonly seen: Array<Seen>
  readonly violations: Array<string>
  readonly quota: Quota
}

const operations: Operations = {
  ...Branches.operations,
  ...Apps.operations,
  ...Repositories.operations,
  ...Checks.operations,
  ...Comments.operations,
  ...Issues.operations,
  ...Merging.operations,
  ...Actions.operations
}

/** Judges every request; it is slow to build, so all servers of a process share it. */
let description: Description.Description | null = null

/**
 * A server on a free port of this machine.
 *
 * **Details**
 *
 * The end of the scope is a defect when a request or an answer was not as GitHub describes it.
 */
export const start = Effect.gen(function* () {
  description ??= Description.operations("github.json")
  const state: Omit<GitHubServer, "url"> = {
    hub: Hub.make(),
    faults: Fault.plan(),
    seen: [],
    violations: [],
    quota: { limit: 5000, used: 0, points: 0, resetAt: null }
  }
  const answers = Memory.make()
  const url = yield* Listener.listen((address, exchange) => answer({ ...state, url: address, answers }, exchange))
  yield* Effect.addFinalizer(() =>
    state.violations.length === 0 ? Effect.void : Effect.die(new Error(state.violations.join("\n")))
  )
  return { ...state, url } satisfies GitHubServer
})

interface Running extends GitHubServer {
  readonly answers: Memory.Memory
}

const answer = (server: Running, { body, request, response }: Listener.Exchange): void => {
  const { pathname: asked, searchParams } = new URL(request.url ?? "/", server.url)
  const pathname = Redirect.named(server.hub, asked)
  const archive = archiveAt(server.hub, pathname)
  if (ManifestPage.isForm(request.method ?? "", pathname)) {
    return confirm(server, response, ManifestPage.submit(server.hub, searchParams, body))
  }
  if (pathname === SignInPage.page) {
    const cookies = request.headers.cookie ?? ""
    return agree(server, response, SignInPage.agree(server.hub, searchParams, cookies))
  }
  if (pathname === SignInPage.exchange) {
    const json = JSON.stringify(SignInPage.redeem(server.hub, body))
    return void response.writeHead(200, { "content-type": "application/json; charset=utf-8" }).end(json)
  }
  if (archive !== undefined) return void response.writeHead(200, { "content-type": "application/zip" }).end(archive)
  const matched = description?.match(request.method ?? "GET", pathname) ?? null
  const actor = Actor.of(server.hub, request.headers.authorization)
  if (pathname === "/graphql") return answerQuery(server, { actor, body, response })
  const id = matched?.id ?? `${request.method ?? ""} ${pathname}`
  const fault = server.faults.take(id)
  const note = (status: number) => server.seen.push({ operation: id, path: pathname, by: actor._tag, status })
  if (fault !== null && "when" in fault && fault.when === "before") return fail(fault, response, note)
  const given = { matched, actor, query: searchParams, body, id, address: request.url ?? "/" }
  const reply =
    limited(server, fault, "core") ?? server.answers.recall(request, fault?.kind === "Stale", () => run(server, given))
  if (fault !== null && "when" in fault) return fail(fault, response, note)
  note(send(server, response, reply, { id: matched?.id ?? null, condition: request.headers["if-none-match"] }))
}

/** A fault of a manifest is a violation, like a request that the description does not allow. */
const confirm = (server: GitHubServer, response: ServerResponse, outcome: ManifestPage.Outcome): void => {
  if (outcome._tag === "Redirect") return void response.writeHead(302, { location: outcome.location }).end()
  server.violations.push(...outcome.faults.map((fault) => `manifest: ${fault}`))
  response.writeHead(422, { "content-type": "text/html" }).end("<html>Invalid manifest</html>")
}

/** A page that GitHub does not show is a violation, too. */
const agree = (server: GitHubServer, response: ServerResponse, outcome: SignInPage.Outcome): void => {
  if (outcome._tag === "Redirect") return void response.writeHead(302, { location: outcome.location }).end()
  server.violations.push(`sign-in: ${outcome.fault}`)
  response.writeHead(404, { "content-type": "text/html" }).end("<html>Not found</html>")
}

/** GraphQL has one address: faults and limits meet it as an operation with that name. */
const answerQuery = (
  server: GitHubServer,
  { actor, body, response }: Pick<Listener.Exchange, "body" | "response"> & { readonly actor: Actor.Actor }
): void => {
  const fault = server.faults.take("graphql")
  const note = (status: number) => server.seen.push({ operation: "graphql", path: "/graphql", by: actor._tag, status })
  if (fault !== null && "when" in fault && fault.when === "before") return fail(fault, response, note)
  const refused = limited(server, fault, "graphql")
  if (refused !== null) {
    note(refused.status)
    return void send(server, response, refused, graphql)
  }
  if (fault?.kind === "Errors" && !fault.hasData) {
    note(200)
    return void send(server, response, { status: 200, members: { data: null, errors: [errorOf(fault)] } }, graphql)
  }
  const { faults, reply: whole } = GraphQl.answer({ hub: server.hub, actor }, body)
  const reply =
    fault?.kind === "Errors" && isObject(whole.members)
      ? { ...whole, members: { ...whole.members, errors: [errorOf(fault)] } }
      : whole
  server.violations.push(...faults)
  if (fault !== null && "when" in fault) return fail(fault, response, note)
  note(reply.status)
  send(server, response, reply, graphql)
}

/** An answer to GraphQL is for no operation of the description, and is never conditional. */
const graphql = { id: null, condition: undefined, resource: "graphql" } as const

const errorOf = ({ message, type }: Extract<Fault.Fault, { readonly kind: "Errors" }>) => ({
  ...(type === undefined ? {} : { type }),
  message
})

const archiveAt = ({ repositories }: Hub.Hub, pathname: string): Uint8Array | undefined => {
  const id = /^\/artifacts\/(\d+)\.zip$/u.exec(pathname)?.[1]
  const artifacts = repositories.flatMap(({ runs }) => runs.flatMap((each) => each.artifacts))
  return id === undefined ? undefined : artifacts.find((each) => each.id === Number(id))?.zip
}

const fail = (
  fault: Extract<Fault.Fault, { readonly when: string }>,
  response: ServerResponse,
  note: (status: number) => void
): void => {
  note(fault.kind === "Status" ? fault.status : 0)
  if (fault.kind === "Reset") response.destroy()
  if (fault.kind === "Status")
    response.writeHead(fault.status, { "content-type": "text/html" }).end("<html>Unicorn!</html>")
}

/** The refusal of a limit, null within the limits. */
const limited = (
  { hub, quota }: GitHubServer,
  fault: Fault.Fault | null,
  resource: "core" | "graphql"
): Reply | null => {
  if (quota.resetAt === null || Hub.now(hub) >= quota.resetAt) {
    Object.assign(quota, { used: 0, points: 0, resetAt: Hub.now(hub) + 3_600_000 })
  }
  if (resource === "core") quota.used += 1
  else quota.points += 1
  if (fault?.kind === "Refusal") return refusal(fault.status, fault.message)
  if (fault?.kind === "Secondary") {
    const headers = fault.retryAfter === null ? {} : { "retry-after": String(fault.retryAfter) }
    return { ...refusal(403, "You have exceeded a secondary rate limit. Please wait a few minutes."), headers }
  }
  const used = resource === "core" ? quota.used : quota.points
  if (fault?.kind !== "Primary" && used <= quota.limit) return null
  const seconds = fault?.kind === "Primary" ? fault.seconds : 3600
  const headers = {
    "x-ratelimit-remaining": "0",
    "x-ratelimit-reset": String(Math.ceil(Hub.now(hub) / 1000) + seconds)
  }
  return { ...refusal(403, "API rate limit exceeded for installation."), headers }
}

interface Given {
  readonly matched: Description.Matched | null
  readonly actor: Actor.Actor
  readonly query: URLSearchParams
  readonly body: string
  readonly id: string
  /** The path with the query. */
  readonly address: string
}

const run = ({ hub, url, violations }: GitHubServer, { actor, address, body, id, matched, query }: Given): Reply => {
  const json: Json | undefined = body === "" ? undefined : JSON.parse(body)
  const operation = operations[id]
  if (matched === null || operation === undefined) {
    violations.push(`${id} is not an operation that the simulated GitHub has`)
    return notFound
  }
  const faults = description?.faultsOfRequest(matched, query, json) ?? []
  if (faults.length > 0) {
    violations.push(...faults.map((fault) => `${id}: ${fault}`))
    return refusal(422, faults.join("; "))
  }
  if (actor._tag === "Refused") return refusal(401, actor.message)
  const redirect = Redirect.of({ hub, origin: url, url: address }, matched)
  if (redirect !== null) return redirect
  return operation({ hub, actor, origin: url, path: matched.path, query, body: isObject(json) ? json : {} })
}

interface To {
  readonly id: string | null
  readonly condition: string | undefined
  readonly resource?: "graphql"
}

/** Sends an answer, and yields its status: 304 where the sender knows it, which then did not count. */
const send = (
  server: GitHubServer,
  response: ServerResponse,
  reply: Reply,
  { condition, id, resource }: To
): number => {
  const { quota, violations } = server
  const { headers, members, status } = reply
  const isOk = id !== null && status < 300
  const body =
    members === undefined || status === 204 ? undefined : isOk ? description?.answer(id, status, members) : members
  if (isOk) violations.push(...(description?.faultsOfAnswer(id, status, body) ?? []).map((each) => `answer: ${each}`))
  const text = body === undefined ? "" : JSON.stringify(body)
  const etag = isOk ? `W/"${createHash("sha256").update(text).digest("hex")}"` : undefined
  const isKnown = etag !== undefined && condition === etag
  if (isKnown) quota.used -= 1
  response.writeHead(isKnown ? 304 : status, {
    "content-type": "application/json; charset=utf-8",
    ...limitHeaders(server, resource ?? "core"),
    ...(etag === undefined ? {} : { etag }),
    ...headers
  })
  response.end(isKnown ? "" : text)
  return isKnown ? 304 : status
}

const limitHeaders = ({ hub, quota }: GitHubServer, resource: "core" | "graphql") => {
  const used = resource === "core" ? quota.used : quota.points
  return {
    date: new Date(Hub.now(hub)).toUTCString(),
    "x-ratelimit-limit": String(quota.limit),
    "x-ratelimit-remaining": String(Math.max(0, quota.limit - used)),
    "x-ratelimit-used": String(used),
    "x-ratelimit-reset": String(Math.ceil((quota.resetAt ?? Hub.now(hub)) / 1000)),
    "x-ratelimit-resource": resource
  }
}
