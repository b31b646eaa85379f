/** What `lazaret events` does. */
import type { Repository } from "@lazaret/domain"
import { Effect, Option, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import { open } from "./Answer.ts"
import * as RepositoryFlag from "./RepositoryFlag.ts"
import * as Session from "./Session.ts"
import * as Table from "./Table.ts"

/** What was given on the command line. */
export interface Given extends Session.Given {
  readonly repo: Option.Option<Repository.RepositoryRef>
  readonly type: Option.Option<string>
  readonly limit: number
}

const Event = open({ at: Schema.String, actor: Schema.String, summary: Schema.String })

const Page = Schema.Struct({ events: Schema.Array(Event), total: Schema.Int })

/** Shows events, the newest first. */
export const events = Effect.fn("lazaret.events")(function* (given: Given) {
  const ref = yield* RepositoryFlag.resolve(given.repo)
  const session = yield* Session.open(given)
  const { first, rows } = yield* session.list({
    request: HttpClientRequest.get(`${Session.pathOf(ref)}/events`, {
      urlParams: { type: Option.toArray(given.type) }
    }),
    answer: Page,
    subject: Session.nameOf(ref),
    rows: (page) => page.events,
    most: given.limit
  })
  const answer = { size: rows.length, per_page: given.limit, events: rows, total: first.total }
  const names = given.json || !rows.some(({ actor }) => actor.startsWith("key ")) ? noNames : yield* namesOf(session)
  yield* Session.print(given, answer, (terminal) =>
    rows.length === 0 ? "nothing has happened yet" : Table.make(terminal, columns(names), rows)
  )
})

const noNames: ReadonlyMap<string, string> = new Map()

/** The names of the keys, by what events call them. Only admin keys are told; for others nothing is lost but comfort. */
const namesOf = (session: Session.Session): Effect.Effect<ReadonlyMap<string, string>> =>
  session
    .list({
      request: HttpClientRequest.get("/v1/application-keys"),
      answer: Schema.Struct({ application_keys: Schema.Array(open({ id: Schema.String, name: Schema.String })) }),
      subject: null,
      rows: ({ application_keys }) => application_keys,
      most: Number.POSITIVE_INFINITY
    })
    .pipe(
      Effect.map(({ rows }) => new Map(rows.map(({ id, name }) => [`key ${id}`, `key "${name}"`]))),
      Effect.orElseSucceed(() => noNames)
    )

const columns = (names: ReadonlyMap<string, string>): ReadonlyArray<Table.Column<typeof Event.Type>> => [
  { heading: "at", cell: ({ at }) => `${at.slice(0, 19).replace("T", " ")} UTC` },
  { heading: "by", cell: ({ actor }) => names.get(actor) ?? actor, canShrink: true },
  { heading: "what", cell: ({ summary }) => summary, canShrink: true }
]
