/** What `lazaret webhooks` does. */
import { randomBytes } from "node:crypto"
import type { Repository } from "@lazaret/domain"
import { Effect, Option, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import { open } from "./Answer.ts"
import * as CommandFailure from "./CommandFailure.ts"
import * as RepositoryFlag from "./RepositoryFlag.ts"
import * as Session from "./Session.ts"
import * as StandardInput from "./StandardInput.ts"
import * as Table from "./Table.ts"
import { plain } from "./Terminal.ts"

/** What was given to every one of the commands. */
export interface Given extends Session.Given {
  readonly repo: Option.Option<Repository.RepositoryRef>
}

const Webhook = open({
  id: Schema.String,
  url: Schema.String,
  events: Schema.Array(Schema.String),
  created_at: Schema.String
})

const Webhooks = open({ webhooks: Schema.Array(Webhook) })

const Letter = open({
  event: open({ id: Schema.String, at: Schema.String, summary: Schema.String }),
  at: Schema.String,
  attempts: Schema.Int,
  error: Schema.String
})

type Letter = typeof Letter.Type

const Letters = open({ dead_letters: Schema.Array(Letter) })

const pathOf = (ref: Repository.RepositoryRef): string => `${Session.pathOf(ref)}/webhooks`

/** Makes a webhook, with the secret that was piped in or one that is made here and shown once. */
export const add = Effect.fn("lazaret.webhooks.add")(function* (
  given: Given & { readonly target: string; readonly type: ReadonlyArray<string>; readonly secretStdin: boolean }
) {
  const ref = yield* RepositoryFlag.resolve(given.repo)
  const secret = given.secretStdin ? yield* secretOfInput : `whsec_${randomBytes(32).toString("base64")}`
  const session = yield* Session.open(given)
  const body = { url: given.target, secret, ...(given.type.length === 0 ? {} : { events: given.type }) }
  const request = HttpClientRequest.bodyJsonUnsafe(HttpClientRequest.post(pathOf(ref)), body)
  // A repetition would make a second webhook, and every event would be sent twice.
  const made = yield* session.call({ request, answer: Webhook, subject: Session.nameOf(ref), repeat: "never" })
  const answer = given.secretStdin ? made : { ...made, secret }
  yield* Session.print(given, answer, () =>
    given.secretStdin
      ? `events are sent: ${made.id}`
      : [
          `events are sent: ${made.id}. The secret that they are signed with, shown only this once:`,
          "",
          `  ${secret}`
        ].join("\n")
  )
})

/** The secret without the line break at its end. */
const secretOfInput = Effect.map(StandardInput.pieces("the secret"), (pieces) =>
  Buffer.concat(pieces)
    .toString("utf8")
    .replace(/\r?\n$/, "")
)

/** Lists webhooks. */
export const list = Effect.fn("lazaret.webhooks.list")(function* (given: Given) {
  const ref = yield* RepositoryFlag.resolve(given.repo)
  const session = yield* Session.open(given)
  const request = HttpClientRequest.get(pathOf(ref))
  const answer = yield* session.call({ request, answer: Webhooks, subject: Session.nameOf(ref) })
  yield* Session.print(given, answer, (terminal) =>
    answer.webhooks.length === 0 ? "events are sent nowhere" : Table.make(terminal, columns, answer.webhooks)
  )
})

const columns: ReadonlyArray<Table.Column<typeof Webhook.Type>> = [
  { heading: "id", cell: ({ id }) => id },
  { heading: "url", cell: ({ url }) => url, canShrink: true },
  { heading: "events", cell: ({ events }) => events.join(" "), canShrink: true },
  { heading: "created", cell: ({ created_at }) => created_at.slice(0, 10) }
]

/** Removes a webhook. */
export const remove = Effect.fn("lazaret.webhooks.remove")(function* (given: Given & { readonly webhook: string }) {
  const { ref, session } = yield* about(given)
  const request = HttpClientRequest.delete(`${pathOf(ref)}/${given.webhook}`)
  yield* session.call({ request, answer: Schema.Null, subject: Session.nameOf(ref), repeat: "removal" })
  yield* Session.print(given, { id: given.webhook }, () => `removed: ${given.webhook}`)
})

/** Lists the dead letters of a webhook. */
export const dead = Effect.fn("lazaret.webhooks.dead")(function* (given: Given & { readonly webhook: string }) {
  const conversation = yield* about(given)
  const answer = yield* deadOf(conversation, given.webhook)
  yield* Session.print(given, answer, (terminal) =>
    answer.dead_letters.length === 0 ? "no event was given up" : Table.make(terminal, deadColumns, answer.dead_letters)
  )
})

const deadColumns: ReadonlyArray<Table.Column<Letter>> = [
  { heading: "event", cell: ({ event }) => event.id },
  { heading: "happened", cell: ({ event }) => secondOf(event.at) },
  { heading: "given up", cell: ({ at }) => secondOf(at) },
  { heading: "why", cell: ({ error }) => error, canShrink: true },
  { heading: "what", cell: ({ event }) => event.summary, canShrink: true }
]

const secondOf = (at: string): string => `${at.slice(0, 19).replace("T", " ")} UTC`

/** Sends one dead letter once more, or all of them in the order in which they happened, until one is not taken. */
export const redeliver = Effect.fn("lazaret.webhooks.redeliver")(function* (
  given: Given & { readonly webhook: string; readonly event: Option.Option<string>; readonly all: boolean }
) {
  if (Option.isSome(given.event) === given.all) {
    return yield* CommandFailure.usage("Give the id of an event, or --all for every dead letter: one of the two.")
  }
  for (const id of Option.toArray(given.event)) yield* check(id, "an event: webhooks dead shows them")
  const conversation = yield* about(given)
  const events = Option.isSome(given.event)
    ? [given.event.value]
    : (yield* deadOf(conversation, given.webhook)).dead_letters
        .toSorted((a, b) => (a.event.at < b.event.at ? -1 : a.event.at > b.event.at ? 1 : 0))
        .map(({ event }) => event.id)
  for (const event of events) yield* redeliverOne(conversation, given.webhook, event)
  yield* Session.print(given, { redelivered: events }, () => `redelivered: ${events.length}`)
})

interface Conversation {
  readonly ref: Repository.RepositoryRef
  readonly session: Session.Session
}

/** A conversation about one webhook. */
const about = Effect.fnUntraced(function* (given: Given & { readonly webhook: string }) {
  yield* check(given.webhook, "a webhook: webhooks list shows them")
  const ref = yield* RepositoryFlag.resolve(given.repo)
  return { ref, session: yield* Session.open(given) } satisfies Conversation
})

const check = (id: string, of: string) =>
  /^[0-9a-f-]{36}$/i.test(id) ? Effect.void : CommandFailure.usage(`"${plain(id)}" is no id of ${of}.`)

const deadOf = ({ ref, session }: Conversation, webhook: string) =>
  session.call({
    request: HttpClientRequest.get(`${pathOf(ref)}/${webhook}/dead-letters`),
    answer: Letters,
    subject: Session.nameOf(ref)
  })

/** An attempt whose answer was lost may have been taken; then the letter is gone. */
const redeliverOne = ({ ref, session }: Conversation, webhook: string, event: string) =>
  session.call({
    request: HttpClientRequest.post(`${pathOf(ref)}/${webhook}/dead-letters/${event}/redeliver`),
    answer: Schema.Null,
    subject: event,
    repeat: "removal"
  })
