/** Requests to GitLab, as effects: with the token of the server, within its limits, and with typed failures. */
import type { Repository } from "@lazaret/domain"
import { ForgeError } from "@lazaret/services"
import { Clock, Duration, Effect, Option, type Redacted, Schedule, Schema } from "effect"
import { FetchHttpClient, type Headers, HttpClient, HttpClientRequest, HttpClientResponse } from "effect/http"
import * as GitLabGroups from "./GitLabGroups.ts"
import * as GitPush from "./GitPush.ts"

/**
 * A connection to GitLab.
 *
 * **Details**
 *
 * - `url`: the address of the instance, such as `https://gitlab.com`.
 * - `token`: proves the server; null asks for what everybody may see.
 * - `groups`: the owners with a group of another name.
 * - `statuses`: whether verdicts become commit statuses, in addition to notes.
 * - `pause`: the time before the first repetition of a read that failed.
 */
export interface Connection {
  readonly url: string
  readonly token: Redacted.Redacted | null
  readonly groups: GitLabGroups.GitLabGroups
  readonly statuses: boolean
  readonly pause: Duration.Input
}

/**
 * A request about a project; `path` follows its address. `project` is the id of another project than that of the repository, null
 * for what is of no project.
 */
export interface ProjectRequest {
  readonly method: "GET" | "POST" | "PUT" | "DELETE"
  readonly project?: number | null
  readonly path: string
  readonly query?: Readonly<Record<string, string | number | boolean | ReadonlyArray<string>>>
  readonly body?: Readonly<Record<string, unknown>>
}

type Ref = Repository.RepositoryRef

type Response = HttpClientResponse.HttpClientResponse

/**
 * Sends requests.
 *
 * **Details**
 *
 * - `ask` reads: it is repeated after failures of the platform, up to three times.
 * - `write` is not repeated, because it may have had its effect. The exception is a limit that is over soon: `write` is repeated
 *   once, because a request beyond a limit has no effect. `send` is a write whose answer is read.
 * - `push` pushes over git's protocol; a refusal is an answer. No answer, or half of one, is `unavailable`: it may have had its effect.
 * - `me` is the account of the token. `open` yields an answer whose body the caller reads, and whose address may be another one.
 */
export interface GitLabClient {
  readonly ask: <A>(
    operation: string,
    ref: Ref,
    request: Omit<ProjectRequest, "method">,
    answer: Schema.Codec<A, unknown>
  ) => Effect.Effect<Answer<A>, ForgeError>
  readonly write: (operation: string, ref: Ref, request: ProjectRequest) => Effect.Effect<void, ForgeError>
  readonly send: <A>(
    operation: string,
    ref: Ref,
    request: ProjectRequest,
    answer: Schema.Codec<A, unknown>
  ) => Effect.Effect<A, ForgeError>
  readonly push: (operation: string, ref: Ref, push: GitPush.Push) => Effect.Effect<GitPush.Report, ForgeError>
  readonly me: (operation: string, ref: Ref) => Effect.Effect<Account, ForgeError>
  readonly open: (operation: string, ref: Ref, path: string) => Effect.Effect<Response, ForgeError>
}

/** The account of a token; `email` is the one of its commits, null where GitLab does not say it. */
export interface Account {
  readonly id: number
  readonly name: string
  readonly email: string | null
}

const User = Schema.Struct({
  id: Schema.Int,
  name: Schema.String,
  commit_email: Schema.optionalKey(Schema.NullOr(Schema.String))
})

/** The decoded body of an answer, and the page that follows it; null at the end. */
export interface Answer<A> {
  readonly body: A
  readonly next: number | null
}

/** The times of this adapter. */
export const limits = {
  /** One request. */
  timeout: Duration.seconds(20),
  /** The longest time that a request waits for the end of a limit; after a longer one its caller tries again. */
  longestWait: Duration.seconds(30)
}

/** GitLab redirects from the old path of a project; its new one may belong to others. No redirect is followed unread. */
const options = { redirect: "manual" } as const

/** An HTTP client that follows no redirects, and does not show our traces (`traceparent`, `b3`) to others. */
export const http = Effect.provide(HttpClient.HttpClient, FetchHttpClient.layer).pipe(
  Effect.map(HttpClient.transformResponse(Effect.provideService(FetchHttpClient.RequestInit, options))),
  Effect.map(HttpClient.transformResponse(Effect.provideService(HttpClient.TracerPropagationEnabled, false)))
)

/** A client with the token of the server. */
export const make = Effect.fnUntraced(function* ({ groups, pause, token, url }: Connection) {
  const client = yield* http

  const requestOf = (ref: Ref, { body, method, path, project, query = {} }: ProjectRequest) => {
    const id = project ?? encodeURIComponent(GitLabGroups.pathOf(groups, ref))
    const address = `${url}/api/v4${project === null ? "" : `/projects/${id}`}${path}`
    const request = HttpClientRequest.make(method)(address, { urlParams: query, acceptJson: true })
    return proven(body === undefined ? request : HttpClientRequest.bodyJsonUnsafe(request, body), token)
  }

  const pushOf = (ref: Ref, push: GitPush.Push) => {
    const request = HttpClientRequest.post(`${url}/${GitLabGroups.pathOf(groups, ref)}.git/git-receive-pack`).pipe(
      HttpClientRequest.setHeader("accept", "application/x-git-receive-pack-result"),
      HttpClientRequest.bodyUint8Array(GitPush.bodyOf(push), "application/x-git-receive-pack-request")
    )
    // GitLab takes any name with a token, and this one with those of OAuth, too.
    return token === null ? request : HttpClientRequest.basicAuth(request, "oauth2", token)
  }

  const once = (operation: string, ref: Ref, request: HttpClientRequest.HttpClientRequest) =>
    client.execute(request).pipe(
      Effect.timeout(limits.timeout),
      Effect.mapError(() => forgeError(operation, ref, { reason: "unavailable", message: "no answer" })),
      Effect.flatMap((response) =>
        response.status < 300 ? Effect.succeed(response) : Effect.flatMap(failed(operation, ref, response), Effect.fail)
      )
    )

  const sent = (operation: string, ref: Ref, request: HttpClientRequest.HttpClientRequest) =>
    Effect.catchTag(once(operation, ref, request), "ForgeError", (error) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const wait = error.retryAt === null ? Number.POSITIVE_INFINITY : error.retryAt - now
        return wait <= Duration.toMillis(limits.longestWait)
          ? Effect.andThen(Effect.sleep(Math.max(wait, 0)), once(operation, ref, request))
          : Effect.fail(error)
      })
    )

  const repeated = <A>(effect: Effect.Effect<A, ForgeError>) =>
    Effect.retry(effect, {
      schedule: Schedule.exponential(pause),
      times: 3,
      while: ({ reason }: ForgeError) => reason === "unavailable"
    })

  return {
    ask: (operation, ref, request, answer) =>
      repeated(
        Effect.flatMap(sent(operation, ref, requestOf(ref, { ...request, method: "GET" })), (response) =>
          Effect.map(decoded(operation, ref, response, answer), (body) => ({ body, next: nextOf(response) }))
        )
      ),
    write: (operation, ref, request) => Effect.asVoid(sent(operation, ref, requestOf(ref, request))),
    send: (operation, ref, request, answer) =>
      Effect.flatMap(sent(operation, ref, requestOf(ref, request)), (response) =>
        decoded(operation, ref, response, answer)
      ),
    push: (operation, ref, push) =>
      Effect.flatMap(sent(operation, ref, pushOf(ref, push)), (response) => reported(operation, ref, response)),
    me: (operation, ref) =>
      repeated(
        Effect.flatMap(sent(operation, ref, proven(HttpClientRequest.get(`${url}/api/v4/user`), token)), (response) =>
          Effect.map(decoded(operation, ref, response, User), ({ commit_email: email = null, id, name }) => ({
            id,
            name,
            email: email === "" ? null : email
          }))
        )
      ),
    open: (operation, ref, path) =>
      client.execute(requestOf(ref, { method: "GET", path })).pipe(
        Effect.flatMap((response) => {
          const elsewhere = response.status >= 300 && response.status < 400 ? locationOf(response) : null
          // The content is at a signed URL of an object store: send it no credentials.
          return elsewhere === null ? Effect.succeed(response) : client.execute(HttpClientRequest.get(elsewhere))
        }),
        Effect.timeout(limits.timeout),
        Effect.mapError(() => forgeError(operation, ref, { reason: "unavailable", message: "no answer" })),
        Effect.flatMap((response) =>
          response.status < 300
            ? Effect.succeed(response)
            : Effect.flatMap(failed(operation, ref, response), Effect.fail)
        )
      )
  } satisfies GitLabClient
})

const decoded = <A>(operation: string, ref: Ref, response: Response, answer: Schema.Codec<A, unknown>) =>
  HttpClientResponse.schemaBodyJson(answer)(response).pipe(
    Effect.timeout(limits.timeout),
    Effect.mapError(() =>
      forgeError(operation, ref, { reason: "unavailable", message: "an answer that is not as documented" })
    )
  )

const reported = (operation: string, ref: Ref, response: Response) =>
  response.arrayBuffer.pipe(
    Effect.timeout(limits.timeout),
    Effect.map((bytes) => GitPush.reportOf(new Uint8Array(bytes))),
    Effect.orElseSucceed(() => null),
    Effect.flatMap((report) =>
      report === null
        ? Effect.fail(forgeError(operation, ref, { reason: "unavailable", message: "half an answer to a push" }))
        : Effect.succeed(report)
    )
  )

/** All pages of a list. */
export const pages = <A>(page: (number: number) => Effect.Effect<Answer<ReadonlyArray<A>>, ForgeError>) =>
  Effect.gen(function* () {
    const all: Array<A> = []
    for (let number: number | null = 1; number !== null;) {
      const answer: Answer<ReadonlyArray<A>> = yield* page(number)
      all.push(...answer.body)
      number = answer.next
    }
    return all
  })

const proven = (request: HttpClientRequest.HttpClientRequest, token: Redacted.Redacted | null) =>
  token === null ? request : HttpClientRequest.bearerToken(request, token)

/** A page of a filtered list may hold fewer entries than asked for, and not be the last one. */
const nextOf = ({ headers }: Response): number | null => Number(headers["x-next-page"]) || null

const locationOf = ({ headers }: Response): string | null => {
  const { protocol } = URL.parse(headers["location"] ?? "") ?? { protocol: "" }
  return /^https?:$/u.test(protocol) ? (headers["location"] ?? null) : null
}

interface Why {
  readonly reason: ForgeError["reason"]
  readonly message: string
  readonly status?: number
  readonly retryAt?: number
}

/** A failure of a request. */
export const forgeError = (operation: string, { owner, repository }: Ref, why: Why): ForgeError =>
  new ForgeError({ operation, owner, repository, retryAt: null, ...why })

const failed = (operation: string, ref: Ref, response: Response) =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const text = yield* Effect.orElseSucceed(Effect.timeout(response.text, limits.timeout), () => "")
    return forgeError(operation, ref, why(response, wordsOf(text), now))
  })

/** Why a request failed. The message has the status and the platform's words, and no part of the request. */
const why = ({ headers, status }: Response, words: string, now: number): Why => {
  const answer = { status, message: `${status} ${words}` }
  if (status === 429) return { ...answer, reason: "rate_limited", retryAt: limitEnd(headers, now) }
  // The operator replaces an expired token: keep the report and retry it.
  if (status >= 500 || status === 408 || status === 409 || status === 401) return { ...answer, reason: "unavailable" }
  if (status >= 300 && status < 400) {
    return { reason: "refused", status, message: `${status} the project has another path now` }
  }
  return { ...answer, reason: /project not found/iu.test(words) ? "not_installed" : "refused" }
}

/** The end of the limit; a minute when the platform does not say, as its limits are per minute. */
const limitEnd = (headers: Headers.Headers, now: number): number => {
  const seconds = Number(headers["retry-after"])
  if (seconds > 0) return now + seconds * 1000
  const reset = Number(headers["ratelimit-reset"]) * 1000
  return reset > now ? reset : now + 60_000
}

/** GitLab writes `message` as a text, or as an object with the faults of each field, or `error`; some refusals have a code. */
const wordsOf = (text: string): string => {
  const {
    error,
    error_code: code,
    message
  } = Option.getOrElse(Schema.decodeUnknownOption(Refusal)(text), (): typeof Refusal.Type => ({}))
  const words = message ?? error ?? "no answer"
  const said = (typeof words === "string" ? words : JSON.stringify(words)).slice(0, 200)
  return code === undefined ? said : `${said} (${code})`
}

const Refusal = Schema.fromJsonString(
  Schema.Struct({
    message: Schema.optionalKey(Schema.Json),
    error: Schema.optionalKey(Schema.Json),
    error_code: Schema.optionalKey(Schema.String)
  })
)
