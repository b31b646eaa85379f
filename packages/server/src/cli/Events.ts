/**
 * What `lazaret events` does.
 *
 * @since 0.1.0
 */
import type { Repository } from "@lazaret/domain"
import { Effect, Option, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import { open } from "./Answer.ts"
import * as RepositoryFlag from "./RepositoryFlag.ts"
import * as Session from "./Session.ts"
import * as Table from "./Table.ts"

/**
 * What was given on the command line.
 *
 * @category models
 * @since 0.1.0
 */
export interface Given extends Session.Given {
  readonly repo: Option.Option<Repository.RepositoryRef>
  readonly type: Option.Option<string>
  readonly limit: number
}

const Event = open({ at: Schema.String, actor: Schema.String, summary: Schema.String })

const Page = Schema.Struct({ events: Schema.Array(Event), total: Schema.Int })

/**
 * Shows events, the newest first.
 *
 * @category operations
 * @since 0.1.0
 */
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
  yield* Session.print(given, answer, (terminal) =>
    rows.length === 0 ? "nothing has happened yet" : Table.make(terminal, columns, rows)
  )
})

const columns: ReadonlyArray<Table.Column<typeof Event.Type>> = [
  { heading: "at", cell: ({ at }) => `${at.slice(0, 19).replace("T", " ")} UTC` },
  { heading: "by", cell: ({ actor }) => actor, canShrink: true },
  { heading: "what", cell: ({ summary }) => summary, canShrink: true }
]
