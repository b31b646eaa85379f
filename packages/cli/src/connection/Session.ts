/** A conversation of a command with a server, and how a command prints what it has heard. */
import type { Repository } from "@lazaret/domain"
import { Console, Duration, Effect, type FileSystem, Option, type Path } from "effect"
import { both } from "./Request.ts"
import type { HttpClientResponse } from "effect/http"
import * as CiEnvironment from "../ci/CiEnvironment.ts"
import type * as Client from "./Client.ts"
import * as CommandFailure from "../terminal/CommandFailure.ts"
import * as Connection from "./Connection.ts"
import * as Environment from "../terminal/Environment.ts"
import * as Flags from "./Flags.ts"
import { load, type MissingPackage } from "../terminal/MissingPackage.ts"
import * as Progress from "../terminal/Progress.ts"
import * as Terminal from "../terminal/Terminal.ts"

/**
 * An open conversation: the server is there and knows the key.
 *
 * **Details**
 *
 * `call`, `once` and `remove` are those of `Client`, with the subject of a failure, such as a file; null when the failure
 * is about the server itself.
 */
export interface Session {
  readonly connection: Connection.Connection
  readonly progress: Progress.Progress
  readonly call: <A>(subject: string | null, operation: Client.Operation<A>) => Called<Client.Answer<A>>
  readonly once: <A>(subject: string | null, operation: Client.Operation<A>) => Called<Client.Answer<A>>
  readonly remove: (subject: string | null, operation: Client.Operation<void>) => Called<void>
  readonly list: <P extends Page, Key extends string>(list: List<P, Key>) => Called<Listed<P["body"], RowOf<P, Key>>>
}

type Called<A> = Effect.Effect<A, CommandFailure.CommandFailure>

/** A page of a list, with the header that links to the next one. */
interface Page {
  readonly body: object
  readonly headers: { readonly link?: string | undefined }
}

type RowOf<P extends Page, Key extends string> =
  P["body"] extends Readonly<Record<Key, ReadonlyArray<infer Row>>> ? Row : never

/**
 * A list of a server, page by page.
 *
 * **Details**
 *
 * - `key`: the name of the rows in a page.
 * - `most`: the maximum number of rows; `Infinity` for all.
 */
export interface List<P extends Page, Key extends string> {
  readonly subject: string | null
  readonly key: Key
  readonly most: number
  readonly page: (
    api: Client.Api,
    at: { readonly per_page: number; readonly cursor?: string }
  ) => Effect.Effect<readonly [page: P, response: HttpClientResponse.HttpClientResponse], unknown>
}

/** The rows of a list in order, each with its JSON, and the first page. */
export interface Listed<P, R> {
  readonly first: P
  readonly entries: ReadonlyArray<{ readonly row: R; readonly json: unknown }>
  /** One page with these rows, otherwise as the server sent the first one. */
  readonly json: (
    entries: ReadonlyArray<{ readonly json: unknown }>,
    more: { readonly per_page: number | null; readonly total?: number }
  ) => unknown
}

/** The seconds that a CI job waits for a server that cannot answer. */
export const patienceOfJob = 10

/**
 * Opens a conversation. Fails when the server has not answered the first request after `patience` seconds, pauses included.
 *
 * **Details**
 *
 * All later requests together pause for the rest of `patience` at most; pauses after the answer 429 do not count there.
 */
export const open = Effect.fnUntraced(function* (
  given: Flags.Server,
  patience = Infinity
): Effect.fn.Return<Session, CommandFailure.CommandFailure | MissingPackage, FileSystem.FileSystem | Path.Path> {
  const connection = yield* Connection.resolve(given)
  const progress = Progress.make(process.stderr, given.json)
  // The client, with the whole API, is loaded here only: help and wrong flags are answered without it.
  const { cursorOfNext, layer, make } = yield* load(() => import("./Client.ts"))
  const client = yield* Effect.provide(make(connection, progress.waiting, patience), layer)
  const about = <A>(subject: string | null, effect: Called<A>): Called<A> =>
    Effect.ensuring(
      Effect.mapError(effect, ({ exitCode, message, status }) => {
        const sentence = subject === null ? message : `${subject}: ${message}`
        return new CommandFailure.CommandFailure({ exitCode, message: sentence, status })
      }),
      progress.clear
    )
  const call = <A>(subject: string | null, operation: Client.Operation<A>) => about(subject, client.call(operation))
  const greeting = call(null, (api) => api.getApplication(both))
  yield* patience === Infinity
    ? greeting
    : Effect.timeoutOrElse(greeting, {
        duration: Duration.seconds(patience),
        orElse: () => CommandFailure.unreachable(`${connection.url} did not answer within ${patience} seconds.`)
      })
  const session: Session = {
    connection,
    progress,
    call,
    once: <A>(subject: string | null, operation: Client.Operation<A>) => about(subject, client.once(operation)),
    remove: (subject: string | null, operation: Client.Operation<void>) => about(subject, client.remove(operation)),
    list: <P extends Page, Key extends string>({ key, most, page, subject }: List<P, Key>) =>
      Effect.gen(function* () {
        const per_page = Math.min(most, 100)
        const entries: Array<{ row: RowOf<P, Key>; json: unknown }> = []
        const take = Effect.fnUntraced(function* (at: { readonly cursor?: string }) {
          const { body, value } = yield* call(subject, (api) => page(api, { per_page, ...at }))
          entries.push(...rowsOf<P, Key>(value, body, key))
          return { body, cursor: cursorOfNext(value.headers.link), page: value }
        })
        const first = yield* take({})
        let { cursor } = first
        while (cursor !== null && entries.length < most) cursor = (yield* take({ cursor })).cursor
        return {
          first: first.page.body,
          entries: entries.slice(0, most),
          json: (kept, more) => ({
            ...jsonObject(first.body),
            size: kept.length,
            ...more,
            [key]: kept.map(({ json }) => json)
          })
        } satisfies Listed<P["body"], RowOf<P, Key>>
      })
  }
  return session
})

const rowsOf = <P extends Page, Key extends string>({ body }: P, sent: unknown, key: Key) => {
  const rows = jsonObject(body)[key]
  const json = jsonObject(sent)[key]
  if (!Array.isArray(rows) || !Array.isArray(json)) return []
  // The schema of the page decodes each row from the JSON at the same place.
  return rows.map((row, index) => ({ row: row as RowOf<P, Key>, json: json[index] as unknown }))
}

/** The rows of a page as the server sent them. */
export const jsonRows = (body: unknown, key: string): ReadonlyArray<unknown> => {
  const rows = jsonObject(body)[key]
  return Array.isArray(rows) ? rows : []
}

const jsonObject = (body: unknown): Readonly<Record<string, unknown>> =>
  typeof body === "object" && body !== null ? { ...body } : {}

/** Opens a conversation about one repository, and yields it as the parameters of an operation. */
export const ofRepository = Effect.fnUntraced(function* (given: Flags.OfRepository, patience = Infinity) {
  const params = yield* repositoryOf(given.repo)
  return { params, name: nameOf(params), session: yield* open(given, patience) }
})

/** The repository of the flag, else of `LAZARET_REPO`, else of the CI system. */
export const repositoryOf = Effect.fnUntraced(function* (
  given: Option.Option<Repository.RepositoryRef>
): Effect.fn.Return<Repository.RepositoryRef, CommandFailure.CommandFailure, FileSystem.FileSystem> {
  if (Option.isSome(given)) return given.value
  const set = yield* Environment.variable("LAZARET_REPO")
  const text = set ?? (yield* CiEnvironment.current)?.repository ?? null
  if (text === null) {
    return yield* CommandFailure.usage("There is no repository: give --repo owner/repository, or set LAZARET_REPO.")
  }
  const source = set === null ? "The repository of the CI system is invalid" : "LAZARET_REPO is invalid"
  return yield* Option.match(Flags.parseRepository(text), {
    onNone: () => CommandFailure.usage(`${source}: ${Flags.adviceOnRepository(text)}.`),
    onSome: Effect.succeed
  })
})

/** The name of a repository in messages. */
export const nameOf = (ref: Repository.RepositoryRef): string => `${ref.owner}/${ref.repository}`

/** Prints a body as JSON for programs, or the text for people. */
export const print = (
  { json }: Pick<Flags.Server, "json">,
  body: unknown,
  text: (terminal: Terminal.Terminal) => string
): Effect.Effect<void> =>
  json
    ? Console.log(JSON.stringify(body, null, 2))
    : Effect.flatMap(Terminal.current, (terminal) => Console.log(text(terminal)))

/** An instant as a minute (UTC); "never" without one. */
export const minuteOf = (at: number | null): string =>
  at === null ? "never" : `${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC`

/** An instant as a second (UTC). */
export const secondOf = (at: number): string => `${new Date(at).toISOString().slice(0, 19).replace("T", " ")} UTC`

/** The day of an instant (UTC). */
export const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10)
