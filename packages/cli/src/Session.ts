/** A conversation of a command with a server: the server is there and knows the key before anything is asked of it. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import type { Repository } from "@lazaret/domain"
import { Console, Effect, type Schema } from "effect"
import { type HttpClient, HttpClientRequest } from "effect/http"
import * as Api from "./Api.ts"
import type { CommandFailure } from "./CommandFailure.ts"
import * as Connection from "./Connection.ts"
import * as Progress from "./Progress.ts"
import * as Terminal from "./Terminal.ts"

/** What was given to every command that asks a server. */
export interface Given extends Connection.Given {
  readonly json: boolean
}

/** A list of a server: how its rows are found in the answer. */
export interface List<A, Row> {
  readonly request: HttpClientRequest.HttpClientRequest
  readonly answer: Schema.Codec<A, unknown>
  readonly subject: string | null
  readonly rows: (answer: A) => ReadonlyArray<Row>
  /** How many rows are wanted; `Infinity` for all. */
  readonly most: number
}

/** An open conversation. */
export interface Session {
  readonly connection: Connection.Connection
  readonly progress: Progress.Progress
  readonly call: <A>(each: Omit<Api.Call<A>, "isFirst">) => Effect.Effect<A, CommandFailure>
  /** The rows of a list over as many pages as it takes, in order; with the answer of the first page. */
  readonly list: <A, Row>(
    list: List<A, Row>
  ) => Effect.Effect<{ readonly first: A; readonly rows: ReadonlyArray<Row> }, CommandFailure>
}

/** Opens a conversation for what was given. */
export const open = Effect.fnUntraced(function* (given: Given) {
  const connection = yield* Connection.resolve(given)
  const progress = Progress.make(process.stderr, given.json)
  const overHttp = <A, E>(effect: Effect.Effect<A, E, HttpClient.HttpClient>) =>
    effect.pipe(Effect.provide(NodeHttpClient.layerNodeHttp), Effect.ensuring(progress.clear))
  yield* overHttp(Api.greet(connection, progress.waiting))

  const call: Session["call"] = (each) => overHttp(Api.call(connection, { ...each, isFirst: false }, progress.waiting))

  const list: Session["list"] = <A, Row>(asked: List<A, Row>) =>
    overHttp(
      Effect.gen(function* () {
        const page = (parameters: Readonly<Record<string, string>>) => {
          const request = HttpClientRequest.setUrlParams(asked.request, parameters)
          const each = { request, answer: asked.answer, subject: asked.subject, isFirst: false }
          return Api.page(connection, each, progress.waiting)
        }
        const perPage = String(Math.min(asked.most, 100))
        const first = yield* page({ per_page: perPage })
        const rows = [...asked.rows(first.body)]
        let { next } = first
        while (next !== null && rows.length < asked.most) {
          const following = yield* page({ per_page: perPage, cursor: next })
          rows.push(...asked.rows(following.body))
          next = following.next
        }
        return { first: first.body, rows: rows.slice(0, asked.most) }
      })
    )

  return { connection, progress, call, list } satisfies Session
})

/** Prints an answer: as JSON for programs, else as the text that is made of it for the terminal. */
export const print = (
  { json }: Pick<Given, "json">,
  answer: unknown,
  text: (terminal: Terminal.Terminal) => string
): Effect.Effect<void> =>
  json
    ? Console.log(JSON.stringify(answer, null, 2))
    : Effect.flatMap(Terminal.current, (terminal) => Console.log(text(terminal)))

/** The name of a repository in messages. */
export const nameOf = (ref: Repository.RepositoryRef): string => `${ref.owner}/${ref.repository}`

/** Where the CI routes of a repository are. */
export const pathOf = (ref: Repository.RepositoryRef): string => `/v1/ci/${ref.owner}/repositories/${ref.repository}`
