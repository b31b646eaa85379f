/** `lazaret webhooks`: add, list, remove, dead, redeliver. */
import { randomBytes } from "node:crypto"
import type { Schemas } from "@lazaret/api"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { both } from "../connection/Request.ts"
import * as CommandFailure from "../terminal/CommandFailure.ts"
import * as Flags from "../connection/Flags.ts"
import * as Id from "../connection/Id.ts"
import * as Session from "../connection/Session.ts"
import * as StandardInput from "../terminal/StandardInput.ts"
import * as Table from "../terminal/Table.ts"
import { typeFlag } from "./Events.ts"

type Webhook = typeof Schemas.Webhook.Type

type Letter = (typeof Schemas.DeadLetters.Type)["dead_letters"][number]

const webhook = Argument.String("webhook").pipe(
  Argument.withDescription("Id of the webhook, as webhooks list shows it")
)

const example = "0b6f3d0e-7d0a-4a53-9a39-5f0f4d1c2b3a"

const add = Command.make(
  "add",
  {
    ...Flags.ofRepository,
    type: typeFlag("Only events of this type; repeatable (all types)").pipe(Flag.atLeast(0)),
    secretStdin: Flag.Boolean("secret-stdin").pipe(
      Flag.withDescription("Read the secret from the standard input (else: one is created and printed)"),
      Flag.withDefault(false)
    ),
    target: Argument.String("url").pipe(
      Argument.withDescription("Address that receives the events, such as https://example.com/hook")
    )
  },
  Effect.fn("lazaret.webhooks.add")(function* (given) {
    const secret = given.secretStdin ? yield* secretOfInput : `whsec_${randomBytes(32).toString("base64")}`
    const { name, params, session } = yield* Session.ofRepository(given)
    const payload = { url: given.target, secret, ...(given.type.length === 0 ? {} : { events: given.type }) }
    // A repetition would create a second webhook, and every event would be sent twice.
    const { body, value } = yield* session.once(name, (api) => api.createWebhook({ params, payload, ...both }))
    const shown = given.secretStdin || typeof body !== "object" ? body : { ...body, secret }
    yield* Session.print(given, shown, () =>
      [
        `webhook ${value.id} is created`,
        ...(given.secretStdin ? [] : ["the secret that signs its events, shown only this once:", "", `  ${secret}`])
      ].join("\n")
    )
  })
).pipe(
  Command.withDescription(
    "Send the events from now on to a URL, signed with a secret. A secret that this command creates is printed this once."
  ),
  Command.withShortDescription("Send events to a URL"),
  Command.withExamples([
    {
      command: "lazaret webhooks add --type test.health_changed https://example.com/hooks/lazaret",
      description: "Send changed verdicts; the secret is created"
    },
    {
      command: "openssl rand -hex 32 | tee secret | lazaret webhooks add --secret-stdin https://example.com/hook",
      description: "Send all events, signed with your own secret"
    }
  ])
)

/** The secret without the line break at its end. */
const secretOfInput = Effect.map(StandardInput.pieces("the secret"), (pieces) =>
  Buffer.concat(pieces)
    .toString("utf8")
    .replace(/\r?\n$/, "")
)

const list = Command.make(
  "list",
  Flags.ofRepository,
  Effect.fn("lazaret.webhooks.list")(function* (given) {
    const { name, params, session } = yield* Session.ofRepository(given)
    const { body, value } = yield* session.call(name, (api) => api.listWebhooks({ params, ...both }))
    yield* Session.print(given, body, (terminal) =>
      value.webhooks.length === 0 ? "there is no webhook" : Table.make(terminal, columns, value.webhooks)
    )
  })
).pipe(
  Command.withDescription("List webhooks without their secrets, the oldest first."),
  Command.withShortDescription("List webhooks"),
  Command.withExamples([{ command: "lazaret webhooks list", description: "List webhooks" }])
)

const columns: ReadonlyArray<Table.Column<Webhook>> = [
  { heading: "id", cell: ({ id }) => id },
  { heading: "url", cell: ({ url }) => url, canShrink: true },
  { heading: "events", cell: ({ events }) => events.join(" "), canShrink: true },
  { heading: "created", cell: ({ created_at }) => Session.dayOf(created_at) }
]

const remove = Command.make(
  "remove",
  { ...Flags.ofRepository, webhook },
  Effect.fn("lazaret.webhooks.remove")(function* (given) {
    const { name, params, session } = yield* ofWebhook(given)
    yield* session.remove(name, (api) => api.deleteWebhook({ params, ...both }))
    yield* Session.print(given, { id: given.webhook }, () => `removed: ${given.webhook}`)
  })
).pipe(
  Command.withDescription("Remove a webhook with its dead letters. It receives no further events."),
  Command.withShortDescription("Remove a webhook"),
  Command.withExamples([{ command: `lazaret webhooks remove ${example}`, description: "Remove a webhook" }])
)

/** A conversation about one webhook. */
const ofWebhook = Effect.fnUntraced(function* (given: Flags.OfRepository & { readonly webhook: string }) {
  yield* Id.check(given.webhook, "a webhook: lazaret webhooks list shows the ids")
  const { name, params, session } = yield* Session.ofRepository(given)
  return { name, session, params: { ...params, webhook_id: given.webhook } }
})

const dead = Command.make(
  "dead",
  { ...Flags.ofRepository, webhook },
  Effect.fn("lazaret.webhooks.dead")(function* (given) {
    const { name, params, session } = yield* ofWebhook(given)
    const { body, value } = yield* session.call(name, (api) => api.listDeadLetters({ params, ...both }))
    yield* Session.print(given, body, (terminal) =>
      value.dead_letters.length === 0
        ? "there is no dead letter"
        : Table.make(terminal, deadColumns, value.dead_letters)
    )
  })
).pipe(
  Command.withDescription(
    "List the dead letters of a webhook, the latest first: the events that were given up because the receiver never accepted them."
  ),
  Command.withShortDescription("List events that were not delivered"),
  Command.withExamples([
    { command: `lazaret webhooks dead ${example}`, description: "The events a receiver has missed" }
  ])
)

const deadColumns: ReadonlyArray<Table.Column<Letter>> = [
  { heading: "event", cell: ({ event }) => event.id },
  { heading: "happened", cell: ({ event }) => Session.secondOf(event.at) },
  { heading: "given up", cell: ({ at }) => Session.secondOf(at) },
  { heading: "why", cell: ({ error }) => error, canShrink: true },
  { heading: "what", cell: ({ event }) => event.summary, canShrink: true }
]

const redeliver = Command.make(
  "redeliver",
  {
    ...Flags.ofRepository,
    all: Flag.Boolean("all").pipe(
      Flag.withDescription("All dead letters of the webhook, in the order of their events"),
      Flag.withDefault(false)
    ),
    webhook,
    event: Argument.String("event").pipe(
      Argument.withDescription("Id of the event, as webhooks dead shows it"),
      Argument.optional
    )
  },
  Effect.fn("lazaret.webhooks.redeliver")(function* (given) {
    if (Option.isSome(given.event) === given.all) {
      return yield* CommandFailure.usage("Give either the id of an event, or --all for every dead letter.")
    }
    for (const id of Option.toArray(given.event)) yield* Id.check(id, "an event: lazaret webhooks dead shows the ids")
    const { name, params, session } = yield* ofWebhook(given)
    const events = Option.isSome(given.event)
      ? [given.event.value]
      : (yield* session.call(name, (api) => api.listDeadLetters({ params, ...both }))).value.dead_letters
          .toSorted((a, b) => a.event.at - b.event.at)
          .map(({ event }) => event.id)
    for (const event of events) {
      // If the answer of an attempt was lost, the receiver may have accepted the event, and its dead letter no longer
      // exists.
      const one = { ...params, event_id: event }
      yield* session.remove(event, (api) => api.redeliverDeadLetter({ params: one, ...both }))
    }
    yield* Session.print(given, { redelivered: events }, () => `redelivered: ${events.length}`)
  })
).pipe(
  Command.withDescription(
    "Send dead letters again. A letter that the receiver accepts is deleted; the command ends at the first one that it refuses."
  ),
  Command.withShortDescription("Send dead letters again"),
  Command.withExamples([
    { command: `lazaret webhooks redeliver --all ${example}`, description: "After the receiver is repaired" }
  ])
)

/** Keeps the webhooks of a repository. */
export const command = Command.make("webhooks").pipe(
  Command.withDescription("Send the events of a repository to URLs. These commands need an admin key."),
  Command.withShortDescription("Send events to URLs"),
  Command.withSubcommands([add, list, remove, dead, redeliver])
)
