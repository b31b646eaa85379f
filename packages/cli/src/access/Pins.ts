/** `lazaret pins`: what the names in tokens of CI systems stand for. */
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
  Effect.fn("lazaret.pins.list")(function* (given) {
    const session = yield* Session.open(given)
    const { body, value } = yield* session.call(null, (api) => api.listPins(both))
    yield* Session.print(given, body, (terminal) =>
      value.pins.length === 0 ? "no token of a CI system has uploaded" : Table.make(terminal, columns, value.pins)
    )
  })
).pipe(
  Command.withDescription(
    "List the owners and repositories that uploaded without a key, with their numbers at the platform."
  ),
  Command.withShortDescription("List the names that uploaded without a key")
)

const remove = Command.make(
  "remove",
  {
    ...Flags.server,
    id: Argument.String("id").pipe(Argument.withDescription("Id of the pin, as pins list and the refusal show it"))
  },
  Effect.fn("lazaret.pins.remove")(function* (given) {
    yield* Id.check(given.id, "a pin: lazaret pins list shows the ids")
    const session = yield* Session.open(given)
    const params = { pin_id: given.id }
    yield* session.remove(null, (api) => api.removePin({ params, ...both }))
    yield* Session.print(
      given,
      { id: given.id },
      () => `removed: ${given.id}; the next token of the name makes a new one`
    )
  })
).pipe(
  Command.withDescription(
    "Remove a pin after you registered an owner or a repository again under the same name: the next token of the name makes a new one."
  ),
  Command.withShortDescription("Accept a name that was registered again")
)

type Listed = (typeof Schemas.OriginPinsList.Type)["pins"][number]

const columns: ReadonlyArray<Table.Column<Listed>> = [
  { heading: "id", cell: ({ id }) => id },
  {
    heading: "name",
    cell: ({ owner, repository }) => (repository === null ? owner : `${owner}/${repository}`),
    canShrink: true
  },
  { heading: "number", cell: ({ platform_id }) => platform_id },
  { heading: "issuer", cell: ({ issuer }) => issuer, canShrink: true },
  { heading: "since", cell: ({ created_at }) => Session.secondOf(created_at) }
]

/** Lists and removes pins. */
export const command = Command.make("pins").pipe(
  Command.withDescription(
    "List what the names in tokens of CI systems stand for at the hosting platform, and accept a name that was registered again."
  ),
  Command.withShortDescription("List and remove pins of names that upload without a key"),
  Command.withSubcommands([list, remove])
)
