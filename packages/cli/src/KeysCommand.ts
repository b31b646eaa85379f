/** `lazaret keys`: create, list, revoke. */
import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as Connection from "./Connection.ts"
import * as JsonFlag from "./JsonFlag.ts"
import { load } from "./MissingPackage.ts"

const flags = { ...Connection.flags, json: JsonFlag.flag }

const operations = load(() => import("./Keys.ts"))

const create = Command.make(
  "create",
  {
    ...flags,
    scope: Flag.Literals("scope", ["admin", "ci"]).pipe(
      Flag.withDescription("ci uploads, reads and quarantines; admin does everything (ci)"),
      Flag.withDefault("ci" as const)
    ),
    owner: Flag.String("owner").pipe(
      Flag.withDescription("Owner whose repositories the key reaches, such as acme"),
      Flag.filter(
        (owner) => /^[a-zA-Z0-9-]{1,40}$/.test(owner),
        (owner) => `"${owner}" is no owner: give one such as acme`
      ),
      Flag.optional
    ),
    allOwners: Flag.Boolean("all-owners").pipe(
      Flag.withDescription("The key reaches the repositories of all owners"),
      Flag.withDefault(false)
    ),
    name: Argument.String("name").pipe(Argument.withDescription("What the key is for, such as `acme CI`"))
  },
  (given) => Effect.flatMap(operations, (each) => each.create(given))
).pipe(
  Command.withDescription("Make a key. Its secret is printed this once; the server keeps a hash of it only."),
  Command.withShortDescription("Make a key"),
  Command.withExamples([
    { command: 'lazaret keys create --owner acme "acme CI"', description: "A key for the CI jobs of acme" }
  ])
)

const list = Command.make(
  "list",
  {
    ...flags,
    all: Flag.Boolean("all").pipe(Flag.withDescription("Also keys that are revoked"), Flag.withDefault(false))
  },
  (given) => Effect.flatMap(operations, (each) => each.list(given))
).pipe(
  Command.withDescription("List keys, the oldest first; never their secrets."),
  Command.withShortDescription("List keys"),
  Command.withExamples([{ command: "lazaret keys list --all", description: "Every key there ever was" }])
)

const revoke = Command.make(
  "revoke",
  {
    ...flags,
    own: Flag.Boolean("own").pipe(
      Flag.withDescription("Revoke it even when it is the key that this command uses"),
      Flag.withDefault(false)
    ),
    id: Argument.String("id").pipe(Argument.withDescription("Id of the key, as keys list shows it"))
  },
  (given) => Effect.flatMap(operations, (each) => each.revoke(given))
).pipe(
  Command.withDescription("Revoke a key, at once and for good."),
  Command.withShortDescription("Revoke a key"),
  Command.withExamples([
    { command: "lazaret keys revoke d1c1b54c-3a55-4c1c-8d6c-6f6f0a1f3a6e", description: "Revoke a key" }
  ])
)

/** Hands out and takes back keys. */
export const command = Command.make("keys").pipe(
  Command.withDescription("Hand out and take back keys. It takes an admin key."),
  Command.withShortDescription("Make, list and revoke keys"),
  Command.withSubcommands([create, list, revoke])
)
