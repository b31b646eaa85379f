/**
 * A client of the HTTP interface for programs without Effect: a function for each operation that returns a promise of its
 * JSON, and one class of errors.
 */
import { type OperationRoute, operationRoutes } from "./Api.ts"
import type { Operations } from "./definition/Operations.ts"

/** The way to a server: its address, a key of it or a token of the hosting platform, and another `fetch` where one is wanted. */
export interface Connection {
  readonly url: string | URL
  readonly token: string
  readonly fetch?: typeof globalThis.fetch
}

type Id = keyof Operations

type Names<Template extends string> = Template extends `${string}:${infer Name}/${infer Rest}`
  ? Name | Names<`/${Rest}`>
  : Template extends `${string}:${infer Name}`
    ? Name
    : never

type ParamsOf<I extends Id> = [Names<Operations[I]["path"]>] extends [never]
  ? unknown
  : { readonly params: { readonly [Name in Names<Operations[I]["path"]>]: string | number } }

/** The parameters as the wire has them; a number may stand for its digits. */
type Query<I extends Id> = { readonly [Name in keyof Operations[I]["query"]]: Operations[I]["query"][Name] | number }

type QueryOf<I extends Id> = [Operations[I]["query"]] extends [never]
  ? unknown
  : Record<never, never> extends Query<I>
    ? { readonly query?: Query<I> }
    : { readonly query: Query<I> }

/** A body that is not JSON, such as a test report, with its media type. */
export interface Raw {
  readonly type: string
  readonly content: string | Uint8Array<ArrayBuffer>
}

type BodyOf<I extends Id> = [Operations[I]["body"]] extends [null]
  ? { readonly raw?: Raw }
  : { readonly body: Operations[I]["body"] }

/** The request of an operation: the parts that it has, and a signal that ends it. */
export type Request<I extends Id> = ParamsOf<I> & QueryOf<I> & BodyOf<I> & { readonly signal?: AbortSignal }

/** The JSON that an operation answers. */
export type Response<I extends Id> = Operations[I]["response"]

type Arguments<I extends Id> = Record<never, never> extends Request<I> ? [request?: Request<I>] : [request: Request<I>]

type Methods = { readonly [I in Id]: (...request: Arguments<I>) => Promise<Response<I>> }

/**
 * The functions of all operations by their ids, which `docs/reference/http.md` lists.
 *
 * **Details**
 *
 * `pages` yields the pages of a list one after the other, from the cursor of the request on, until there is no next one.
 */
export interface PromiseClient extends Methods {
  readonly pages: <I extends Id>(operation: I, request: Request<I>) => AsyncGenerator<Response<I>, void, undefined>
}

/** A fault of a request: where, such as `body.reason`, and what is wrong. */
export interface Fault {
  readonly location: string
  readonly message: string
}

/**
 * Why an operation has no answer; its message is a sentence that says what to do.
 *
 * **Details**
 *
 * - `status`: the HTTP status; 0 when the server could not be reached, or does not speak HTTP.
 * - `faults`: what is wrong with the request (422).
 * - `requestId`: the id under which the log of the server knows the request.
 * - `retryAfter`: the seconds after which another attempt may succeed; null when the server names none.
 */
export class LazaretError extends Error {
  override readonly name = "LazaretError"
  readonly operation: string
  readonly status: number
  readonly faults: ReadonlyArray<Fault>
  readonly requestId: string | null
  readonly retryAfter: number | null

  constructor(
    operation: string,
    message: string,
    details: Partial<Pick<LazaretError, "status" | "faults" | "requestId" | "retryAfter">>,
    options?: ErrorOptions
  ) {
    super(message, options)
    this.operation = operation
    this.status = details.status ?? 0
    this.faults = details.faults ?? []
    this.requestId = details.requestId ?? null
    this.retryAfter = details.retryAfter ?? null
  }
}

/**
 * The operations of a server as functions that return promises. A promise is rejected with a {@link LazaretError}; nothing is
 * tried again.
 *
 * **Example** (the flaky tests of a repository)
 *
 * ```ts skip
 * const lazaret = connect({ url: "http://localhost:4180", token: process.env["LAZARET_TOKEN"] ?? "" })
 * const params = { owner: "acme", repository: "widgets" }
 * for await (const { tests } of lazaret.pages("listTests", { params, query: { health_status: ["flaky"] } })) {
 *   for (const test of tests) console.log(test.test_name, test.failure_ratio)
 * }
 * await lazaret.createQuarantine({ params, body: { test_name: "Cart > sorts", reason: "See issue 12." } })
 * ```
 */
export const connect = (connection: Connection): PromiseClient => {
  const methods = operationRoutes.map(
    (route) => [route.id, (request: Sent = {}) => send(connection, route, request).then(({ body }) => body)] as const
  )
  const byId = new Map(operationRoutes.map((route) => [route.id, route]))
  const pages = async function* (id: string, request: Sent) {
    const route = byId.get(id)
    if (route === undefined) throw new LazaretError(id, `There is no operation ${id}.`, {})
    for (let cursor: string | null = ""; cursor !== null;) {
      const query: Sent["query"] = cursor === "" ? request.query : { ...request.query, cursor }
      const { body, next }: Got = await send(connection, route, { ...request, query: query ?? {} })
      yield body
      cursor = next
    }
  }
  // The methods have the ids, requests and responses of the operations from which their types are derived.
  return { ...Object.fromEntries(methods), pages } as unknown as PromiseClient
}

type Value = string | number | ReadonlyArray<string> | undefined

interface Sent {
  readonly params?: { readonly [name: string]: string | number }
  readonly query?: { readonly [name: string]: Value }
  readonly body?: unknown
  readonly raw?: Raw
  readonly signal?: AbortSignal
}

interface Got {
  readonly body: unknown
  /** The cursor of the next page; null without one. */
  readonly next: string | null
}

const send = async (connection: Connection, route: OperationRoute, request: Sent): Promise<Got> => {
  const { fetch = globalThis.fetch, token } = connection
  const url = `${String(connection.url).replace(/(?<!\/)\/+$/u, "")}${pathOf(route.path, request)}${searchOf(request)}`
  const content = contentOf(request)
  const response = await fetch(url, {
    method: route.method,
    headers: {
      accept: "application/json",
      authorization: `Bearer ${token}`,
      ...(content === null ? {} : { "content-type": content.type })
    },
    ...(content === null ? {} : { body: content.content }),
    ...(request.signal === undefined ? {} : { signal: request.signal })
  }).catch((cause: unknown) => {
    if (request.signal?.aborted === true) throw cause
    throw new LazaretError(route.id, `There is no answer from ${new URL(url).origin}.`, {}, { cause })
  })
  const text = await response.text()
  if (!response.ok) throw errorOf(route.id, response, text)
  return { body: bodyOf(response, text), next: nextOf(response.headers.get("link") ?? "") }
}

const pathOf = (template: string, { params = {} }: Sent): string =>
  template.replaceAll(/:(\w+)/gu, (_, name: string) => encodeURIComponent(params[name] ?? ""))

const searchOf = ({ query = {} }: Sent): string => {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    for (const each of value === undefined ? [] : [value].flat()) search.append(name, String(each))
  }
  return search.size === 0 ? "" : `?${search}`
}

const contentOf = ({ body, raw }: Sent): Raw | null =>
  raw ?? (body === undefined ? null : { type: "application/json", content: JSON.stringify(body) })

const isJson = (response: globalThis.Response): boolean =>
  /^application\/(?:[\w.-]+\+)?json\b/u.test(response.headers.get("content-type") ?? "")

/** The JSON of an answer; text in another format stays text, and an empty body is undefined. */
const bodyOf = (response: globalThis.Response, text: string): unknown =>
  text === "" ? undefined : isJson(response) ? JSON.parse(text) : text

const errorOf = (operation: string, response: globalThis.Response, text: string): LazaretError => {
  const { status } = response
  const retryAfter = Number(response.headers.get("retry-after") ?? "x")
  const problem: unknown = isJson(response) ? JSON.parse(text) : null
  const { detail, errors, title } = { detail: null, errors: [], title: null, ...asObject(problem) }
  const sentence = detail ?? title ?? `The server answered ${status}.`
  return new LazaretError(operation, String(sentence), {
    status,
    faults: Array.isArray(errors) ? errors : [],
    requestId: response.headers.get("x-request-id"),
    retryAfter: Number.isNaN(retryAfter) ? null : retryAfter
  })
}

const asObject = (json: unknown): object => (typeof json === "object" && json !== null ? json : {})

/** The cursor of the next page, by the `Link` header (RFC 8288). */
const nextOf = (link: string): string | null => {
  const target = /<([^<>]*)>;\s*rel="next"/u.exec(link)?.[1]
  return target === undefined ? null : new URL(target, "http://localhost").searchParams.get("cursor")
}
