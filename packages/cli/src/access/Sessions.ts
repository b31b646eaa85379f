/** `lazaret sessions`: the browsers that are signed in. */
import type { Schemas } from "@lazaret/api"
import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import * as Flags from "../connection/Flags.ts"
import * as Id from "../connection/Id.ts"
import { both } from "../connection/Request.ts"
import * as Session from "../connection/Session.ts"
import * as Table from "../terminal/Table.ts"

const list = Command.make(
  "list",
  Flags.server,
  Effect.fn("lazaret.sessions.list")(function* (given) {
    const session = yield* Session.open(given)
    const { body, value } = yield* session.call(null, (api) => api.listSessions(both))
    yield* Session.print(given, body, (terminal) =>
      value.sessions.length === 0 ? "no browser is signed in" : Table.make(terminal, columns, value.sessions)
    )
  })
).pipe(
  Command.withDescription("List the browsers that are signed in, the oldest session first."),
  Command.withShortDescription("List the browsers that are signed in")
)

const end = Command.make(
  "end",
  {
    ...Flags.server,
    id: Argument.String("id").pipe(Argument.withDescription("Id of the session, as sessions list shows it"))
  },
  Effect.fn("lazaret.sessions.end")(function* (given) {
    yield* Id.check(given.id, "a session: lazaret sessions list shows the ids")
    const session = yield* Session.open(given)
    const params = { session_id: given.id }
    yield* session.remove(null, (api) => api.revokeSession({ params, ...both }))
    yield* Session.print(given, { id: given.id }, () => `ended: ${given.id}`)
  })
).pipe(
  Command.withDescription("Sign a browser out, at once and on every server process."),
  Command.withShortDescription("Sign a browser out"),
  Command.withExamples([
    { command: "lazaret sessions end 2b4f5c26-5f35-4c5f-9c70-6c1d8a8f0f42", description: "Sign a lost laptop out" }
  ])
)

const columns: ReadonlyArray<Table.Column<typeof Schemas.Session.Type>> = [
  { heading: "id", cell: ({ id }) => id },
  { heading: "name", cell: ({ name }) => name, canShrink: true },
  { heading: "began", cell: ({ created_at }) => Session.secondOf(created_at) },
  { heading: "seen", cell: ({ seen_at }) => Session.secondOf(seen_at) },
  { heading: "from", cell: ({ address }) => address ?? "" },
  { heading: "browser", cell: ({ agent }) => agent ?? "", canShrink: true }
]

/** Lists and ends sessions. */
export const command = Command.make("sessions").pipe(
  Command.withDescription("List the browsers that are signed in, and sign them out."),
  Command.withShortDescription("List and end sessions of browsers"),
  Command.withSubcommands([list, end])
)
