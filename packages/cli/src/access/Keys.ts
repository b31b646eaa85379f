/** `lazaret keys`: create, list, revoke; and `lazaret sign-in`. */
import type { Schemas } from "@lazaret/api"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { both } from "../connection/Request.ts"
import * as CommandFailure from "../terminal/CommandFailure.ts"
import * as Flags from "../connection/Flags.ts"
import * as Id from "../connection/Id.ts"
import * as Session from "../connection/Session.ts"
import * as Table from "../terminal/Table.ts"

const create = Command.make(
  "create",
  {
    ...Flags.server,
    scope: Flag.Literals("scope", ["admin", "ci", "upload", "read"]).pipe(
      Flag.withDescription(
        "upload sends reports; read reads tests and quarantines; ci does both and quarantines; admin does everything (ci)"
      ),
      Flag.withDefault("ci" as const)
    ),
    owner: Flag.String("owner").pipe(
      Flag.withDescription("Owner of the repositories that the key may use, such as acme"),
      Flag.filter(
        (owner) => /^[a-zA-Z0-9-]{1,40}$/.test(owner),
        (owner) => `"${owner}" is not an owner: give one such as acme`
      ),
      Flag.optional
    ),
    allOwners: Flag.Boolean("all-owners").pipe(
      Flag.withDescription("The key may use the repositories of all owners"),
      Flag.withDefault(false)
    ),
    name: Argument.String("name").pipe(Argument.withDescription("Purpose of the key, such as `acme CI`"))
  },
  Effect.fn("lazaret.keys.create")(function* (given) {
    if (Option.isSome(given.owner) === given.allOwners) {
      return yield* CommandFailure.usage("Give either --owner, or --all-owners for a key for all owners.")
    }
    const session = yield* Session.open(given)
    const payload = { name: given.name, scope: given.scope, owner: Option.getOrNull(given.owner) }
    // A repetition would make a second key, and the secret of the first would be lost.
    const { body, value } = yield* session.once(null, (api) => api.createApplicationKey({ payload, ...both }))
    yield* Session.print(given, body, () =>
      [`${value.scope} key ${value.id} for ${reachOf(value)}, shown only this once:`, "", `  ${value.secret}`].join(
        "\n"
      )
    )
  })
).pipe(
  Command.withDescription("Create a key. Its secret is printed this once; the server keeps only a hash of it."),
  Command.withShortDescription("Create a key"),
  Command.withExamples([
    { command: 'lazaret keys create --owner acme "acme CI"', description: "A key for the CI jobs of acme" }
  ])
)

const list = Command.make(
  "list",
  {
    ...Flags.server,
    all: Flag.Boolean("all").pipe(Flag.withDescription("Also revoked keys"), Flag.withDefault(false))
  },
  Effect.fn("lazaret.keys.list")(function* (given) {
    const session = yield* Session.open(given)
    const { entries, json } = yield* session.list({
      subject: null,
      key: "application_keys",
      most: Number.POSITIVE_INFINITY,
      page: (api, query) => api.listApplicationKeys({ query, ...both })
    })
    const kept = given.all ? entries : entries.filter(({ row }) => row.revoked_at === null)
    yield* Session.print(given, json(kept, { per_page: null, total: kept.length }), (terminal) =>
      Table.make(
        terminal,
        columns,
        kept.map(({ row }) => row)
      )
    )
  })
).pipe(
  Command.withDescription("List keys without their secrets, the oldest first."),
  Command.withShortDescription("List keys"),
  Command.withExamples([{ command: "lazaret keys list --all", description: "All keys, revoked ones too" }])
)

const revoke = Command.make(
  "revoke",
  {
    ...Flags.server,
    own: Flag.Boolean("own").pipe(
      Flag.withDescription("Revoke it even when it is the key that this command uses"),
      Flag.withDefault(false)
    ),
    id: Argument.String("id").pipe(Argument.withDescription("Id of the key, as keys list shows it"))
  },
  Effect.fn("lazaret.keys.revoke")(function* (given) {
    yield* Id.check(given.id, "a key: lazaret keys list shows the ids")
    const session = yield* Session.open(given)
    const { value: own } = yield* session.call(null, (api) => api.getApplication(both))
    if (own.id === given.id.toLowerCase() && !given.own) {
      return yield* CommandFailure.usage("This command uses this key: give --own to revoke it all the same.")
    }
    const params = { key_id: given.id }
    yield* session.remove(null, (api) => api.revokeApplicationKey({ params, ...both }))
    yield* Session.print(given, { id: given.id }, () => `revoked: ${given.id}`)
  })
).pipe(
  Command.withDescription("Revoke a key. It stops working at once and cannot be restored."),
  Command.withShortDescription("Revoke a key"),
  Command.withExamples([
    { command: "lazaret keys revoke d1c1b54c-3a55-4c1c-8d6c-6f6f0a1f3a6e", description: "Revoke a key" }
  ])
)

type Key = typeof Schemas.ApplicationKey.Type

const reachOf = ({ owner }: Key): string => owner ?? "all owners"

const columns: ReadonlyArray<Table.Column<Key>> = [
  { heading: "id", cell: ({ id }) => id },
  { heading: "name", cell: ({ name }) => name, canShrink: true },
  { heading: "scope", cell: ({ scope }) => scope },
  { heading: "owner", cell: reachOf },
  { heading: "created", cell: ({ created_at }) => Session.dayOf(created_at) },
  {
    heading: "revoked",
    cell: ({ revoked_at }) => (revoked_at === null ? "" : Session.dayOf(revoked_at)),
    colour: () => "red"
  }
]

/** Creates, lists and revokes keys. */
export const command = Command.make("keys").pipe(
  Command.withDescription("Create, list and revoke keys. These commands need an admin key."),
  Command.withShortDescription("Create, list and revoke keys"),
  Command.withSubcommands([create, list, revoke])
)

/** Prints a link that signs a browser in to the dashboard. */
export const signIn = Command.make(
  "sign-in",
  Flags.server,
  Effect.fn("lazaret.signIn")(function* (given) {
    const session = yield* Session.open(given)
    const { body, value } = yield* session.call(null, (api) => api.createSignInLink(both))
    yield* Session.print(given, body, () => value.url)
  })
).pipe(
  Command.withDescription(
    "Print a link that signs a browser in to the dashboard with the key of this command. It works once, within 15 minutes."
  ),
  Command.withShortDescription("Print a link to the dashboard that signs in")
)
