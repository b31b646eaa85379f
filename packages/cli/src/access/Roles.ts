/** `lazaret roles`: the roles that people are given by hand. */
import type { Schemas } from "@lazaret/api"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as CommandFailure from "../terminal/CommandFailure.ts"
import * as Flags from "../connection/Flags.ts"
import * as Id from "../connection/Id.ts"
import { both } from "../connection/Request.ts"
import * as Session from "../connection/Session.ts"
import * as Table from "../terminal/Table.ts"
import { plain } from "../terminal/Terminal.ts"

const list = Command.make(
  "list",
  Flags.server,
  Effect.fn("lazaret.roles.list")(function* (given) {
    const session = yield* Session.open(given)
    const { body, value } = yield* session.call(null, (api) => api.listRoles(both))
    yield* Session.print(given, body, (terminal) =>
      value.roles.length === 0 ? "no role was given by hand" : Table.make(terminal, columns, value.roles)
    )
  })
).pipe(
  Command.withDescription("List the roles that were given by hand, the oldest first."),
  Command.withShortDescription("List the roles that people were given")
)

const set = Command.make(
  "set",
  {
    ...Flags.server,
    login: Argument.String("login").pipe(Argument.withDescription("Login of the person at the provider")),
    role: Argument.Literals("role", ["viewer", "member", "admin"]).pipe(
      Argument.withDescription("viewer, member or admin")
    ),
    place: Argument.String("place").pipe(
      Argument.withDescription('Where: a repository such as acme/widgets, an owner such as acme, or "*" for everywhere')
    ),
    provider: Flag.optional(
      Flag.Literals("provider", ["oidc", "github"]).pipe(
        Flag.withDescription("Provider with which the person signs in; only needed when the server has two")
      )
    )
  },
  Effect.fn("lazaret.roles.set")(function* (given) {
    const place = placeIn(given.place)
    if (Option.isNone(place)) {
      return yield* CommandFailure.usage(
        `"${plain(given.place)}" is not a place: name a repository such as acme/widgets, an owner such as acme, or "*" for everywhere.`
      )
    }
    const wanted = {
      login: given.login,
      role: given.role,
      ...place.value,
      ...Option.match(given.provider, { onNone: () => ({}), onSome: (provider) => ({ provider }) })
    }
    const session = yield* Session.open(given)
    const { body, value } = yield* session.call(null, (api) => api.setRole({ payload: wanted, ...both }))
    yield* Session.print(given, body, () => `${value.login} is ${value.role} ${placeOf(value)} (${value.id})`)
  })
).pipe(
  Command.withDescription(
    "Give a person a role, at once and in open sessions, too. It replaces the role that the person was given for the same place. A login " +
      "in the form of an e-mail address is that of the person whose address the provider has verified."
  ),
  Command.withShortDescription("Give a person a role"),
  Command.withExamples([
    { command: "lazaret roles set ada member acme/widgets", description: "Let ada quarantine in one repository" },
    { command: "lazaret roles set ada admin acme --provider github", description: "Make ada an admin of an owner" }
  ])
)

const remove = Command.make(
  "remove",
  {
    ...Flags.server,
    id: Argument.String("id").pipe(Argument.withDescription("Id of the role, as roles list shows it"))
  },
  Effect.fn("lazaret.roles.remove")(function* (given) {
    yield* Id.check(given.id, "a role: lazaret roles list shows the ids")
    const session = yield* Session.open(given)
    const params = { role_id: given.id }
    yield* session.remove(null, (api) => api.removeRole({ params, ...both }))
    yield* Session.print(given, { id: given.id }, () => `taken away: ${given.id}`)
  })
).pipe(
  Command.withDescription("Take a role away, at once and in open sessions, too."),
  Command.withShortDescription("Take a role away")
)

/** Everywhere, an owner, or a repository. */
const placeIn = (text: string): Option.Option<Pick<Listed, "owner" | "repository">> => {
  if (text === "*") return Option.some({ owner: null, repository: null })
  if (text.includes("/")) return Flags.parseRepository(text)
  return Option.map(Flags.parseRepository(`${text}/any`), ({ owner }) => ({ owner, repository: null }))
}

type Listed = typeof Schemas.AssignedRole.Type

const placeOf = ({ owner, repository }: Pick<Listed, "owner" | "repository">): string =>
  owner === null ? "everywhere" : `in ${repository === null ? `all of ${owner}` : `${owner}/${repository}`}`

const columns: ReadonlyArray<Table.Column<Listed>> = [
  { heading: "id", cell: ({ id }) => id },
  { heading: "login", cell: ({ login }) => login, canShrink: true },
  { heading: "provider", cell: ({ provider }) => provider },
  { heading: "role", cell: ({ role }) => role },
  { heading: "where", cell: placeOf, canShrink: true },
  { heading: "since", cell: ({ created_at }) => Session.secondOf(created_at) }
]

/** Lists, gives and takes away roles. */
export const command = Command.make("roles").pipe(
  Command.withDescription("List the roles that were given by hand, give roles, and take them away."),
  Command.withShortDescription("List, give and take away roles of people"),
  Command.withSubcommands([list, set, remove])
)
