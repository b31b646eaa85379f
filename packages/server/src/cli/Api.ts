/**
 * Calls of the HTTP interface from the command line: retried while the reason may pass, and told in one line when they
 * fail.
 *
 * @since 0.1.0
 */
import { Duration, Effect, Option, Schema } from "effect"
import { type Headers, HttpClient, type HttpClientError, HttpClientRequest, type HttpClientResponse } from "effect/http"
import * as CommandFailure from "./CommandFailure.ts"
import { type Connection, isLocal } from "./Connection.ts"

/**
 * A request to a server: its path, and the schema of its answer.
 *
 * **Details**
 *
 * - `subject`: what a failure is about, such as a file; null when it is about the server itself.
 * - `isFirst`: nothing was heard of the server before. Then nobody listening on this machine is no passing reason: it is
 *   not running.
 * - `onHeaders`: is told the headers of a good answer.
 *
 * @category models
 * @since 0.1.0
 */
export interface Call<A> {
  readonly request: HttpClientRequest.HttpClientRequest
  readonly answer: Schema.Codec<A, unknown>
  readonly subject: string | null
  readonly isFirst: boolean
  readonly onHeaders?: (headers: Headers.Headers) => void
}

/**
 * Makes a call and yields its answer.
 *
 * **Details**
 *
 * Connection errors, 408 and 5xx are tried again after each of {@link pauses}; `onRetry` is told why. Uploads can be
 * repeated: the server counts a report once.
 *
 * @category operations
 * @since 0.1.0
 */
export const call = <A>(
  connection: Connection,
  each: Call<A>,
  onRetry: (reason: string) => Effect.Effect<void>
): Effect.Effect<A, CommandFailure.CommandFailure, HttpClient.HttpClient> =>
  patiently(attempt(connection, each), pauses, onRetry).pipe(
    Effect.mapError(({ exitCode, message }) =>
      each.subject === null
        ? new CommandFailure.CommandFailure({ exitCode, message })
        : new CommandFailure.CommandFailure({ exitCode, message: `${each.subject}: ${message}` })
    )
  )

/**
 * The seconds between the attempts of a call.
 *
 * @category constants
 * @since 0.1.0
 */
export const pauses: ReadonlyArray<number> = [1, 2, 4, 8, 16]

/**
 * Makes sure that the server is there and knows the key, before anything is sent to it.
 *
 * @category operations
 * @since 0.1.0
 */
export const greet = (connection: Connection, onRetry: (reason: string) => Effect.Effect<void>) =>
  call(
    connection,
    {
      request: HttpClientRequest.get("/v1/application"),
      answer: Schema.Struct({ name: Schema.String }),
      subject: null,
      isFirst: true
    },
    onRetry
  )

/** A failure that may pass: the same request can succeed a moment later. */
class Passing extends Schema.TaggedError<Passing>()("Passing", { message: Schema.String }) {}

const patiently = <A, R>(
  attempt: Effect.Effect<A, CommandFailure.CommandFailure | Passing, R>,
  [pause, ...later]: ReadonlyArray<number>,
  onRetry: (reason: string) => Effect.Effect<void>
): Effect.Effect<A, CommandFailure.CommandFailure, R> =>
  Effect.catchTag(attempt, "Passing", ({ message }) =>
    pause === undefined
      ? Effect.fail(CommandFailure.unreachable(`${message} (tried ${pauses.length + 1} times)`))
      : onRetry(`${message} Trying again in ${pause} s.`).pipe(
          Effect.andThen(Effect.sleep(Duration.seconds(pause))),
          Effect.andThen(patiently(attempt, later, onRetry))
        )
  )

const attempt = Effect.fnUntraced(function* <A>(connection: Connection, each: Call<A>) {
  const client = yield* HttpClient.HttpClient
  const request = each.request.pipe(
    HttpClientRequest.prependUrl(connection.url),
    HttpClientRequest.acceptJson,
    HttpClientRequest.bearerToken(connection.token)
  )
  return yield* client.execute(request).pipe(
    Effect.mapError((error) => ofTransport(error, connection, each.isFirst)),
    Effect.flatMap((response) =>
      Effect.tap(read(response, connection, each.answer), () => Effect.sync(() => each.onHeaders?.(response.headers)))
    ),
    Effect.timeoutOrElse({
      duration: patience,
      orElse: () => new Passing({ message: `${connection.url} did not answer within 10 minutes.` })
    })
  )
})

const patience = Duration.minutes(10)

const ofTransport = (error: HttpClientError.HttpClientError, { url }: Connection, isFirst: boolean) => {
  const causes = causesOf(error)
  const own = causes.find((each) => each instanceof CommandFailure.CommandFailure)
  if (own !== undefined) return own
  const code = causes.map(codeOf).find((each) => each !== undefined) ?? error.message
  const advice = "Start it (npm start), or say where it is with --url or LAZARET_URL."
  const isAbsent = isFirst && code === "ECONNREFUSED" && isLocal(new URL(url))
  return isAbsent
    ? CommandFailure.unreachable(`There is no server at ${url}. ${advice}`)
    : new Passing({ message: `${url} cannot be reached (${code}). ${advice}` })
}

/** An error, what caused it, what caused that, and so on; errors of several addresses included. */
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

const read = <A>(
  response: HttpClientResponse.HttpClientResponse,
  { url }: Connection,
  schema: Schema.Codec<A, unknown>
): Effect.Effect<A, CommandFailure.CommandFailure | Passing> => {
  const { status } = response
  const unreadable = CommandFailure.refused(
    `${url} does not answer like a Lazaret server (${status}): check the address.`
  )
  if (status >= 200 && status < 300) {
    return response.json.pipe(
      Effect.flatMap(Schema.decodeUnknownEffect(schema)),
      Effect.mapError(() => unreadable)
    )
  }
  return Effect.flatMap(
    problemOf(response),
    (problem): Effect.Effect<never, CommandFailure.CommandFailure | Passing> => {
      if (status === 408 || status >= 500) {
        return new Passing({
          message: `${url} answered ${status}${problem === null ? "." : `: ${sentenceOf(problem)}`}`
        })
      }
      if (status === 403) return refusedKey
      return problem === null ? unreadable : CommandFailure.refused(sentenceOf(problem))
    }
  )
}

const refusedKey = CommandFailure.refused(
  "The server refused the key (403): check --token or LAZARET_TOKEN, and that the key reaches this owner."
)

const Problem = Schema.Struct({
  detail: Schema.String,
  errors: Schema.optionalKey(Schema.Array(Schema.Struct({ location: Schema.String, message: Schema.String })))
})

const problemOf = (response: HttpClientResponse.HttpClientResponse): Effect.Effect<typeof Problem.Type | null> =>
  response.json.pipe(Effect.flatMap(Schema.decodeUnknownEffect(Problem)), Effect.option, Effect.map(Option.getOrNull))

const sentenceOf = ({ detail, errors = [] }: typeof Problem.Type): string =>
  errors.length === 0
    ? detail
    : errors
        .map(({ location, message }) =>
          location === "body" ? message : `${location.replace("query.", "")} ${message}`
        )
        .join("; ")
