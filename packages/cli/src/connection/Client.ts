/** The API of a server, with failures as one sentence each, and with repetitions. */
import { globalAgent } from "node:http"
import { globalAgent as secureAgent } from "node:https"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { LazaretClient } from "@lazaret/api"
import { Duration, Effect, Layer, Schema } from "effect"
import { HttpBody, HttpClient, HttpClientError, HttpClientRequest, type HttpClientResponse } from "effect/http"
import LinkHeader from "http-link-header"
import * as CommandFailure from "../terminal/CommandFailure.ts"
import { type Connection, isLocal } from "./Connection.ts"
import * as Faults from "../terminal/Faults.ts"
import { MediaType } from "./Request.ts"
import * as Words from "../terminal/Words.ts"

/** Every operation of the API as a function. */
export type Api = LazaretClient["Service"]

/** An answer: its value by the schema of the API, and its body as the server sent it, null without one. */
export interface Answer<A> {
  readonly value: A
  readonly body: unknown
}

/** One operation, with `both` in its request. */
export type Operation<A> = (
  api: Api
) => Effect.Effect<readonly [value: A, response: HttpClientResponse.HttpClientResponse], unknown>

/**
 * A client of one server.
 *
 * **Details**
 *
 * Connection errors and the answers 408, 429 and 5xx are repeated after 1, 2, 4, 8 and 16 seconds, or after the
 * `Retry-After` of the answer up to a minute.
 *
 * - `call`: an operation that can be repeated without another effect.
 * - `once`: one that is not repeated, because a repetition would have another effect.
 * - `remove`: one that removes. A repetition that finds nothing is a success: the attempt before has removed it.
 */
export interface Client {
  readonly call: <A>(operation: Operation<A>) => Effect.Effect<Answer<A>, CommandFailure.CommandFailure>
  readonly once: <A>(operation: Operation<A>) => Effect.Effect<Answer<A>, CommandFailure.CommandFailure>
  readonly remove: (operation: Operation<void>) => Effect.Effect<void, CommandFailure.CommandFailure>
}

/** The agents of the process: they need no scope, and idle connections do not keep the process alive. */
const agent = Layer.succeed(NodeHttpClient.HttpAgent, { http: globalAgent, https: secureAgent })

/** HTTP on Node. */
export const layer = Layer.provide(NodeHttpClient.layerNodeHttpNoAgent, agent)

/**
 * The client of a server. `onRetry` receives the reason of each repetition; all calls together pause for `patience` seconds at most.
 *
 * **Details**
 *
 * A pause after the answer 429 takes nothing from `patience`: the server works, and says when to send the request again.
 *
 * The first call fails at once when nobody listens at a local address: the server is not running.
 */
export const make = Effect.fnUntraced(function* (
  connection: Connection,
  onRetry: (reason: string) => Effect.Effect<void>,
  patience = Infinity
) {
  const waiting: Waiting = { left: patience, onRetry }
  const traffic: Traffic = { answers: 0, retryAfter: 0 }
  const http = (yield* HttpClient.HttpClient).pipe(
    HttpClient.mapRequestEffect(packed),
    HttpClient.tap((response) => Effect.sync(() => note(traffic, response)))
  )
  const api = yield* Effect.provide(
    LazaretClient,
    Layer.provide(LazaretClient.layer(connection), Layer.succeed(HttpClient.HttpClient, http))
  )
  const attempt = <A>(operation: Operation<A>): Attempt<A> =>
    Effect.suspend(() => {
      const before = traffic.answers
      return operation(api).pipe(
        Effect.mapError((error) => judged(error, { connection, traffic, wasAnswered: traffic.answers > before })),
        Effect.flatMap(([value, response]) => Effect.map(bodyOf(response), (body) => ({ value, body }))),
        Effect.timeoutOrElse({
          duration: timeout,
          orElse: () =>
            new Passing({ message: `${connection.url} did not answer within 10 minutes.`, pause: 0, isLimited: false })
        })
      )
    })
  const client: Client = {
    call: (operation) => repeated(attempt(operation), waiting),
    once: (operation) => Effect.mapError(attempt(operation), withoutRepetition),
    remove: (operation) =>
      Effect.suspend(() => {
        let attempts = 0
        const removal = Effect.suspend(() => {
          attempts += 1
          return Effect.catchIf(
            Effect.asVoid(attempt(operation)),
            (error) => attempts > 1 && error._tag === "CommandFailure" && error.status === 404,
            () => Effect.void
          )
        })
        return repeated(removal, waiting)
      })
  }
  return client
})

/** The cursor of the page that follows; null on the last page. */
export const cursorOfNext = (link: string | undefined): string | null => {
  const target = link === undefined ? undefined : LinkHeader.parse(link).rel("next")[0]?.uri
  // Behind a proxy the address may be another one: only the cursor counts.
  if (target === undefined || !URL.canParse(target, anyOrigin)) return null
  return new URL(target, anyOrigin).searchParams.get("cursor")
}

const anyOrigin = "http://localhost"

/** The answers of a server so far, and the seconds after which the latest one asks to repeat a request. */
interface Traffic {
  answers: number
  retryAfter: number
}

const note = (traffic: Traffic, { headers }: HttpClientResponse.HttpClientResponse): void => {
  traffic.answers += 1
  const seconds = Number(headers["retry-after"])
  traffic.retryAfter = Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0), 60) : 0
}

/** A failure after which the same request can succeed, after at least `pause` seconds. */
class Passing extends Schema.TaggedError<Passing>()("Passing", {
  message: Schema.String,
  pause: Schema.Number,
  isLimited: Schema.Boolean
}) {}

type Attempt<A> = Effect.Effect<Answer<A>, CommandFailure.CommandFailure | Passing>

const timeout = Duration.minutes(10)

/** The seconds that a conversation may still spend in pauses, and where the reason of each pause goes. */
interface Waiting {
  left: number
  readonly onRetry: (reason: string) => Effect.Effect<void>
}

/** How often a request is sent at most. */
const most = 6

const repeated = <A>(
  attempt: Effect.Effect<A, CommandFailure.CommandFailure | Passing>,
  waiting: Waiting
): Effect.Effect<A, CommandFailure.CommandFailure> => {
  const from = (times: number): Effect.Effect<A, CommandFailure.CommandFailure> =>
    Effect.catchTag(attempt, "Passing", ({ isLimited, message, pause }) => {
      const seconds = Math.max(2 ** (times - 1), pause)
      if (times === most || (!isLimited && seconds > waiting.left)) {
        return Effect.fail(CommandFailure.unreachable(`${message} (tried ${Words.counted(times, "time")})`))
      }
      if (!isLimited) waiting.left -= seconds
      return waiting
        .onRetry(`${message} Trying again in ${seconds} s.`)
        .pipe(Effect.andThen(Effect.sleep(Duration.seconds(seconds))), Effect.andThen(from(times + 1)))
    })
  return from(1)
}

const withoutRepetition = (error: CommandFailure.CommandFailure | Passing): CommandFailure.CommandFailure =>
  error._tag === "CommandFailure"
    ? error
    : CommandFailure.unreachable(`${error.message} The outcome is unknown: check it before you repeat the command.`)

/** Streams are sent with gzip. */
const packed = (request: HttpClientRequest.HttpClientRequest) =>
  Effect.flatMap(MediaType, (type) => {
    const { body } = request
    if (body._tag !== "Stream") return Effect.succeed(request)
    const typed = HttpClientRequest.setBody(request, HttpBody.stream(body.stream, type ?? body.contentType))
    return HttpClientRequest.compressBody(typed, "gzip")
  })

const bodyOf = ({ arrayBuffer, status }: HttpClientResponse.HttpClientResponse): Effect.Effect<unknown> =>
  status === 204
    ? Effect.succeed(null)
    : Effect.orDie(Effect.map(arrayBuffer, (bytes): unknown => JSON.parse(new TextDecoder().decode(bytes))))

interface Circumstances {
  readonly connection: Connection
  readonly traffic: Traffic
  readonly wasAnswered: boolean
}

/** A failed attempt as a sentence. An error of a stream that is sent, such as an unreadable file, stays as it is. */
const judged = (error: unknown, about: Circumstances): CommandFailure.CommandFailure | Passing => {
  const { connection, traffic, wasAnswered } = about
  const causes = causesOf(error)
  const own = causes.find((each) => each instanceof CommandFailure.CommandFailure)
  if (own !== undefined) return own
  if (isProblem(error)) return ofProblem(error, about)
  if (Schema.isSchemaError(error)) {
    return wasAnswered
      ? CommandFailure.refused(
          `${connection.url} has another version than this lazaret: use the lazaret of the server.`
        )
      : CommandFailure.usage(`${Faults.of(error)}.`)
  }
  const status = HttpClientError.isHttpClientError(error) ? error.response?.status : undefined
  if (status === undefined) return ofTransport(error, causes, about)
  return isPassing(status)
    ? new Passing({
        message: `${connection.url} answered ${status}.`,
        pause: traffic.retryAfter,
        isLimited: status === 429
      })
    : CommandFailure.refused(`${connection.url} does not answer like a Lazaret server (${status}): check the address.`)
}

const isPassing = (status: number): boolean => status === 408 || status === 429 || status >= 500

/** A problem document (RFC 9457). */
interface Problem {
  readonly status: number
  readonly detail: string
  readonly errors?: ReadonlyArray<{ readonly location: string; readonly message: string }>
}

/** The client has decoded the error with the schema of a problem; other errors have no status. */
const isProblem = (error: unknown): error is Problem =>
  typeof error === "object" && error !== null && "status" in error && "detail" in error

const ofProblem = (problem: Problem, { connection, traffic }: Circumstances) => {
  const sentence = sentenceOf(problem)
  if (isPassing(problem.status)) {
    return new Passing({
      message: `${connection.url} answered ${problem.status}: ${sentence}`,
      pause: traffic.retryAfter,
      isLimited: problem.status === 429
    })
  }
  return CommandFailure.refused(
    problem.status === 403 ? `The server refused the key (403)${reasonOf(sentence)} ${adviceOnKey}` : sentence,
    problem.status
  )
}

/** A sentence about the header of the request says nothing to somebody at a command line. */
const reasonOf = (sentence: string): string => (sentence.includes("Authorization: Bearer") ? "." : `: ${sentence}`)

const adviceOnKey =
  "Check --token or LAZARET_TOKEN, that the key is for this owner, and that it is an admin key if the command needs one."

const sentenceOf = ({ detail, errors = [] }: Problem): string =>
  errors.length === 0
    ? detail
    : errors
        .map(({ location, message }) =>
          location === "body" ? message : `${location.replace(/^(?:query|body)\./, "")} ${message}`
        )
        .join("; ")

const ofTransport = (
  error: unknown,
  causes: ReadonlyArray<unknown>,
  { connection: { url }, traffic }: Circumstances
) => {
  const code = causes.map(codeOf).find((each) => each !== undefined) ?? String(error)
  const isHere = isLocal(new URL(url))
  const advice = isHere
    ? "Start it (npm start), or give its address with --url or LAZARET_URL."
    : "Check --url or LAZARET_URL, and that this machine can reach it."
  return traffic.answers === 0 && code === "ECONNREFUSED" && isHere
    ? CommandFailure.unreachable(`There is no server at ${url}. ${advice}`)
    : new Passing({ message: `${url} cannot be reached (${code}). ${advice}`, pause: 0, isLimited: false })
}

/** An error and its causes, those of several addresses included. */
const causesOf = (error: unknown): ReadonlyArray<unknown> => {
  if (typeof error !== "object" || error === null) return []
  const below = [
    "reason" in error ? error.reason : undefined,
    "cause" in error ? error.cause : undefined,
    ...("errors" in error && Array.isArray(error.errors) ? error.errors : [])
  ]
  return [error, ...below.flatMap(causesOf)]
}

const codeOf = (error: unknown): string | undefined =>
  typeof error === "object" && error !== null && "code" in error && typeof error.code === "string"
    ? error.code
    : undefined
