/** The simulated GitLab as an HTTP server: judges requests, applies faults and limits, runs operations. */
import { Effect } from "effect"
import * as Description from "../Description.ts"
import * as Fault from "../Fault.ts"
import { isObject, type Json } from "../Json.ts"
import * as Listener from "../Listener.ts"
import * as Memory from "../Memory.ts"
import { refusal, type Reply } from "../operations/Operation.ts"
import * as Lab from "./Lab.ts"
import * as MergeRequests from "./MergeRequests.ts"
import { missing, type Operations } from "./Operation.ts"
import * as Pipelines from "./Pipelines.ts"
import * as Merging from "./Merging.ts"
import * as Projects from "./Projects.ts"
import * as ReceivePack from "./ReceivePack.ts"
import * as Repositories from "./Repositories.ts"
import * as Statuses from "./Statuses.ts"

/** A request that arrived, with the status of its answer; 0 when it had none. */
export interface Seen {
  readonly operation: string
  readonly path: string
  readonly token: string | null
  readonly status: number
}

/** A running server. `violations` are the requests and answers that the description does not allow. */
export interface GitLabServer {
  readonly url: string
  readonly lab: Lab.Lab
  readonly faults: Fault.Plan
  readonly seen: Array<Seen>
  readonly violations: Array<string>
}

const operations: Operations = {
  ...Projects.operations,
  ...Statuses.operations,
  ...MergeRequests.operations,
  ...Merging.operations,
  ...Pipelines.operations,
  ...Repositories.operations
}

/** Judges every request; all servers of a process share it. */
let description: Description.Description | null = null

/** A server on a free port of this machine. Its end is a defect when a request or an answer was not as described. */
export const start = Effect.gen(function* () {
  description ??= Description.operations("gitlab.json")
  const faults = Fault.plan()
  const state: Omit<GitLabServer, "url"> = { lab: Lab.make(), faults, seen: [], violations: [] }
  const answers = Memory.make()
  const url = yield* Listener.listen((address, exchange) => answer({ ...state, url: address }, answers, exchange))
  yield* Effect.addFinalizer(() =>
    state.violations.length === 0 ? Effect.void : Effect.die(new Error(state.violations.join("\n")))
  )
  return { ...state, url } satisfies GitLabServer
})

const answer = (server: GitLabServer, answers: Memory.Memory, exchange: Listener.Exchange): void => {
  const { body, request, response } = exchange
  const { pathname, searchParams: query } = new URL(request.url ?? "/", server.url)
  const pushed = /^\/(.+)\.git\/git-receive-pack$/u.exec(pathname)?.[1]
  if (pushed !== undefined) return push(server, pushed, exchange)
  const own = request.headers["private-token"]
  const token = /^bearer (\S+)$/iu.exec(request.headers.authorization ?? "")?.[1] ?? own?.toString() ?? null
  const stored = storedAt(server, pathname, token)
  if (stored !== null) return void response.writeHead(200, { "content-type": "application/zip" }).end(stored)
  const matched = description?.match(request.method ?? "GET", pathname) ?? null
  const id = matched?.id ?? `${request.method ?? ""} ${pathname}`
  const fault = server.faults.take(id)
  const reply =
    fault !== null && "when" in fault && fault.when === "before"
      ? null
      : (limited(fault) ??
        answers.recall(request, fault?.kind === "Stale", () => run(server, { matched, token, query, body, id })))
  const isLost = reply === null || (fault !== null && "when" in fault)
  server.seen.push({ operation: id, path: pathname, token, status: isLost ? 0 : reply.status })
  if (!isLost) return response.writeHead(reply.status, headersOf(reply)).end(bodyOf(server, reply, id)) && undefined
  if (fault?.kind === "Reset") return void response.destroy()
  if (fault?.kind === "Status")
    response.writeHead(fault.status, { "content-type": "text/html" }).end("<html>GitLab</html>")
}

/** A push over git's protocol; `git-receive-pack` is its name among the operations that can fail. */
const push = (server: GitLabServer, project: string, { bytes, request, response }: Listener.Exchange): void => {
  const operation = "git-receive-pack"
  const fault = server.faults.take(operation)
  const token = ReceivePack.tokenOf(request.headers.authorization)
  const isBefore = fault !== null && "when" in fault && fault.when === "before"
  const reply = isBefore ? null : (limited(fault) ?? ReceivePack.push(server.lab, project, token, bytes))
  const isLost = reply === null || (fault !== null && "when" in fault)
  server.seen.push({ operation, path: `/${project}`, token, status: isLost ? 0 : reply.status })
  if (fault?.kind === "Reset") return void response.destroy()
  if (isLost) return void response.writeHead(fault?.kind === "Status" ? fault.status : 502).end()
  const headers = "headers" in reply ? reply.headers : { "content-type": "application/x-git-receive-pack-result" }
  response.writeHead(reply.status, headers).end("body" in reply ? reply.body : "")
}

/** The store of objects takes no credentials of the platform. */
const storedAt = ({ lab, violations }: GitLabServer, pathname: string, token: string | null): Uint8Array | null => {
  const id = /^\/store\/(\d+)\.zip$/u.exec(pathname)?.[1]
  if (id === undefined) return null
  if (token !== null) violations.push("the store of objects got a token of the platform")
  const jobs = lab.projects.flatMap(({ pipelines }) => pipelines.flatMap((each) => each.jobs))
  return jobs.find((each) => each.id === Number(id))?.archive ?? new Uint8Array()
}

/** The refusal of a limit, or any other that was planned; null without one. */
const limited = (fault: Fault.Fault | null): Reply | null => {
  if (fault?.kind === "Refusal") return refusal(fault.status, fault.message)
  if (fault?.kind !== "Primary" && fault?.kind !== "Secondary") return null
  const { retryAfter } = fault.kind === "Primary" ? { retryAfter: fault.seconds } : fault
  const headers = {
    "ratelimit-remaining": "0",
    ...(retryAfter === null ? {} : { "retry-after": String(retryAfter) })
  }
  return { ...refusal(429, "Retry later"), headers }
}

interface Given {
  readonly matched: Description.Matched | null
  readonly token: string | null
  readonly query: URLSearchParams
  readonly body: string
  readonly id: string
}

const run = ({ lab, url, violations }: GitLabServer, { body, id, matched, query, token }: Given): Reply => {
  const json: Json | undefined = body === "" ? undefined : JSON.parse(body)
  const operation = operations[id]
  if (matched === null || operation === undefined) {
    violations.push(`${id} is not an operation that the simulated GitLab has`)
    return missing("")
  }
  const faults = description?.faultsOfRequest(matched, query, json) ?? []
  violations.push(...faults.map((fault) => `${id}: ${fault}`))
  if (faults.length > 0) return { status: 400, members: { error: faults.join("; ") } }
  return operation({ lab, token, origin: url, path: matched.path, query, body: isObject(json) ? json : {} })
}

const headersOf = ({ headers = {}, raw }: Reply) => ({
  "content-type": raw === undefined ? "application/json" : "text/plain; charset=utf-8",
  ...headers
})

const bodyOf = ({ violations }: GitLabServer, { members, raw, status }: Reply, id: string): string | Uint8Array => {
  if (raw !== undefined) return raw
  if (members === undefined || status === 204) return ""
  if (status >= 300) return JSON.stringify(members)
  const body = description?.answer(id, status, members) ?? members
  violations.push(...(description?.faultsOfAnswer(id, status, body) ?? []).map((each) => `answer: ${each}`))
  return JSON.stringify(body)
}
