/** Requests to the documented routes: what came, or why not, as values. */
import type { Operations } from "@lazaret/api"
import { base } from "../Base.ts"
import type { Path } from "./Routes.ts"

/** Why a request has no answer. `status` is 0 when the server could not be reached. */
export interface Failure {
  readonly status: number
  readonly title: string
  readonly detail: string
  /** The faults of fields, when the server names them: `location` such as `body.health.clean_passes`. */
  readonly faults?: ReadonlyArray<Fault>
}

export interface Fault {
  readonly location: string
  readonly message: string
}

/** The body of an answer, and the cursors of the other pages of a list. */
export interface Answer<A> {
  readonly body: A
  readonly cursors: Readonly<Partial<Record<string, string>>>
}

export const isFailure = <A>(answer: Answer<A> | Failure): answer is Failure => "detail" in answer

/** The operations that read. */
export type Reading = {
  [Op in keyof Operations]: Operations[Op]["method"] extends "GET" ? Op : never
}[keyof Operations]

/** The response of an operation that reads. */
export const get = <Op extends Reading>(
  path: Path<Op>,
  signal?: AbortSignal
): Promise<Answer<Operations[Op]["response"]> | Failure> => request(path, signal === undefined ? {} : { signal })

/** The body of an operation, absent where it has none. */
type Body<Op extends keyof Operations> = Operations[Op]["body"] extends null ? [] : [body: Operations[Op]["body"]]

/** The response of an operation that writes. */
export const send = <Op extends keyof Operations>(
  method: Operations[Op]["method"],
  path: Path<Op>,
  ...[body]: Body<Op>
): Promise<Answer<Operations[Op]["response"]> | Failure> =>
  request(path, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } })
  })

let whenRefused: () => void = () => {}

/** Sets the reaction to a route that refuses the key: it may have been revoked while the page was open. */
export const onRefusal = (listener: () => void): void => {
  whenRefused = listener
}

const aboutTheKey: ReadonlySet<string> = new Set(["/v1/application", "/session"])

const request = async <A>(path: string, init: RequestInit): Promise<Answer<A> | Failure> => {
  try {
    const response = await fetch(`${base}${path.slice(1)}`, { credentials: "same-origin", ...init })
    const text = await response.text()
    if (response.status === 403 && !aboutTheKey.has(path)) whenRefused()
    if (!response.ok) return failureOf(response.status, text)
    // The type is that of the operation of the path, and the server encodes with its schema.
    const body = (text === "" ? null : JSON.parse(text)) as A
    return { body, cursors: cursorsOf(response.headers.get("link") ?? "") }
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error
    return unreachable
  }
}

const unreachable: Failure = {
  status: 0,
  title: "The server cannot be reached",
  detail: "Check that it runs and that this machine is connected, then try again."
}

const failureOf = (status: number, text: string): Failure => {
  try {
    const problem: unknown = JSON.parse(text)
    if (typeof problem === "object" && problem !== null && "title" in problem && "detail" in problem) {
      const faults = "errors" in problem && Array.isArray(problem.errors) ? problem.errors.map(faultOf) : []
      const detail = [String(problem.detail), ...faults.map(sentenceOf)].join(" ")
      return { status, title: String(problem.title), detail, faults }
    }
  } catch {
    // A proxy between browser and server may answer with something other than JSON.
  }
  return {
    status,
    title: `The server answered ${status}`,
    detail: "Try again; if the error stays, read the log of the server."
  }
}

const faultOf = (fault: { readonly location?: unknown; readonly message?: unknown }): Fault => ({
  location: String(fault.location),
  message: String(fault.message)
})

const sentenceOf = ({ location, message }: Fault): string => `${location} ${message}.`

/** The cursor of each relation of a `Link` header (RFC 8288): "first", "prev", "next", "last". */
const cursorsOf = (link: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...link.matchAll(/<([^>]*)>;\s*rel="([^"]*)"/gu)].map(([, target = "", relation = ""]) => [
      relation,
      new URL(target, "http://localhost").searchParams.get("cursor") ?? ""
    ])
  )
