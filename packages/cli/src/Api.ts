/**
 * Calls of the HTTP interface from the command line: retried while the reason may pass, and told in one line when they
 * fail.
 */
import { Duration, Effect, Option, Schema } from "effect"
import { HttpClient, type HttpClientError, HttpClientRequest, type HttpClientResponse } from "effect/http"
import * as CommandFailure from "./CommandFailure.ts"
import { type Connection, isLocal } from "./Connection.ts"

/**
 * A request to a server: its path, and the schema of its answer.
 *
 * **Details**
 *
 * - `subject`: what a failure is about, such as a file; null when it is about the server itself.
 * - `repeat`: what a repetition after a passing failure means. `safe`: the same as one request. `removal`: what is gone by
 *   then was removed by the attempt before. `never`: it is not repeated.
 * - `isFirst`: nothing was heard of the server before. Then nobody listening on this machine is no passing reason: it is
 *   not running.
 */
export interface Call<A> {
  readonly request: HttpClientRequest.HttpClientRequest
  readonly answer: Schema.Codec<A, unknown>
  readonly subject: string | null
  readonly repeat?: "safe" | "removal" | "never"
  readonly isFirst: boolean
}

/** An answer with the cursor of the page that follows it, null on the last one. */
export interface Page<A> {
  readonly body: A
  readonly next: string | null
}

/**
 * Makes a call and yields its answer.
 *
 * **Details**
 *
 * Connection errors, 408 and 5xx are tried again after each of {@link pauses}; `onRetry` is told why. Uploads can be
 * repeated: the server counts a report once.
 */
export const call = <A>(
  connection: Connection,
  each: Call<A>,
  onRetry: (reason: string) => Effect.Effect<void>
): Effect.Effect<A, CommandFailure.CommandFailure, HttpClient.HttpClient> =>
  Effect.map(page(connection, each, onRetry), ({ body }) => body)

/** As {@link call}, for one page of a list. */
export const page = <A>(
  connection: Connection,
  each: Call<A>,
  onRetry: (reason: string) => Effect.Effect<void>
): Effect.Effect<Page<A>, CommandFailure.CommandFailure, HttpClient.HttpClient> =>
  (each.repeat === "never"
    ? Effect.catchTag(attempt(connection, each), "Passing", ({ message }) => Effect.fail(unknownOutcome(message)))
    : patiently({ first: attempt(connection, each), later: retried(connection, each) }, pauses, onRetry)
  ).pipe(
    Effect.mapError(({ exitCode, message, status }) =>
      each.subject === null
        ? new CommandFailure.CommandFailure({ exitCode, message, status })
        : new CommandFailure.CommandFailure({ exitCode, message: `${each.subject}: ${message}`, status })
    )
  )

/** An attempt after one of which nobody knows what became of it. */
const retried = <A>(connection: Connection, each: Call<A>) =>
  Effect.catchIf(
    attempt(connection, each),
    (error) => each.repeat === "removal" && error._tag === "CommandFailure" && error.status === 404,
    () => Effect.map(Effect.orDie(Schema.decodeUnknownEffect(each.answer)(null)), (body) => ({ body, next: null }))
  )

const unknownOutcome = (reason: string) =>
  CommandFailure.unreachable(`${reason} Look whether it was done before you try again.`)

/** The seconds between the attempts of a call. */
export const pauses: ReadonlyArray<number> = [1, 2, 4, 8, 16]

/** Makes sure that the server is there and knows the key, before anything is sent to it. */
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

interface Attempts<A, R> {
  readonly first: Effect.Effect<A, CommandFailure.CommandFailure | Passing, R>
  readonly later: Effect.Effect<A, CommandFailure.CommandFailure | Passing, R>
}

const patiently = <A, R>(
  attempts: Attempts<A, R>,
  [pause, ...rest]: ReadonlyArray<number>,
  onRetry: (reason: string) => Effect.Effect<void>
): Effect.Effect<A, CommandFailure.CommandFailure, R> =>
  Effect.catchTag(attempts.first, "Passing", ({ message }) =>
    pause === undefined
      ? Effect.fail(CommandFailure.unreachable(`${message} (tried ${pauses.length + 1} times)`))
      : onRetry(`${message} Trying again in ${pause} s.`).pipe(
          Effect.andThen(Effect.sleep(Duration.seconds(pause))),
          Effect.andThen(patiently({ first: attempts.later, later: attempts.later }, rest, onRetry))
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
    Effect.flatMap((response) => read(response, connection, each.answer)),
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
  const advice = isLocal(new URL(url))
    ? "Start it (npm start), or say where it is with --url or LAZARET_URL."
    : "Check --url or LAZARET_URL, and that it can be reached from here."
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
): Effect.Effect<Page<A>, CommandFailure.CommandFailure | Passing> => {
  const { status } = response
  const unreadable = CommandFailure.refused(
    `${url} does not answer like a Lazaret server (${status}): check the address.`
  )
  if (status >= 200 && status < 300) {
    return response.json.pipe(
      Effect.flatMap(Schema.decodeUnknownEffect(schema)),
      Effect.map((body) => ({ body, next: nextOf(response.headers["link"]) })),
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
      if (status === 403) return refusedKey(problem)
      return problem === null ? unreadable : CommandFailure.refused(sentenceOf(problem), status)
    }
  )
}

/** The address of a link is the server's own idea of itself: only the cursor in it counts. */
const nextOf = (link: string | undefined): string | null => {
  const target = /<([^>]*)>; rel="next"/.exec(link ?? "")?.[1]
  return target === undefined ? null : (URL.parse(target, "http://localhost")?.searchParams.get("cursor") ?? null)
}

/** What the server says to everybody who is refused helps less than where the key comes from. */
const refusedKey = (problem: typeof Problem.Type | null) =>
  CommandFailure.refused(
    problem === null || !problem.detail.startsWith("This key is bound")
      ? "The server refused the key (403): check --token or LAZARET_TOKEN, that the key reaches this owner, and that it is an admin key where one is needed."
      : problem.detail,
    403
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
          location === "body" ? message : `${location.replace(/^(?:query|body)\./, "")} ${message}`
        )
        .join("; ")
