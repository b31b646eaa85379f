/** `lazaret webhooks`: add, list, remove, dead, redeliver. */
import { Event } from "@lazaret/domain"
import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as Connection from "./Connection.ts"
import * as JsonFlag from "./JsonFlag.ts"
import { load } from "./MissingPackage.ts"
import * as RepositoryFlag from "./RepositoryFlag.ts"

const flags = { repo: RepositoryFlag.optional, ...Connection.flags, json: JsonFlag.flag }

const operations = load(() => import("./Webhooks.ts"))

const webhook = Argument.String("webhook").pipe(
  Argument.withDescription("Id of the webhook, as webhooks list shows it")
)

const example = "0b6f3d0e-7d0a-4a53-9a39-5f0f4d1c2b3a"

const add = Command.make(
  "add",
  {
    ...flags,
    type: Flag.Literals("type", Event.EventType.literals).pipe(
      Flag.withDescription("Only events of this type; repeatable (all types)"),
      Flag.atLeast(0)
    ),
    secretStdin: Flag.Boolean("secret-stdin").pipe(
      Flag.withDescription("Read the secret from the standard input (else: one is made and shown)"),
      Flag.withDefault(false)
    ),
    target: Argument.String("url").pipe(
      Argument.withDescription("Where events are sent, such as https://example.com/hook")
    )
  },
  (given) => Effect.flatMap(operations, (each) => each.add(given))
).pipe(
  Command.withDescription(
    "Send the events that happen from now on to a URL, signed with a secret. A secret that is made is printed this once."
  ),
  Command.withShortDescription("Send events to a URL"),
  Command.withExamples([
    {
      command: "lazaret webhooks add --type test.health_changed https://chat.example.com/hooks/lazaret",
      description: "Tell a chat of verdicts that move; a secret is made"
    },
    {
      command: "openssl rand -hex 32 | tee secret | lazaret webhooks add --secret-stdin https://example.com/hook",
      description: "Everything, signed with a secret of one's own"
    }
  ])
)

const list = Command.make("list", flags, (given) => Effect.flatMap(operations, (each) => each.list(given))).pipe(
  Command.withDescription("List webhooks, the oldest first; never their secrets."),
  Command.withShortDescription("List webhooks"),
  Command.withExamples([{ command: "lazaret webhooks list", description: "Where events are sent" }])
)

const remove = Command.make("remove", { ...flags, webhook }, (given) =>
  Effect.flatMap(operations, (each) => each.remove(given))
).pipe(
  Command.withDescription("Remove a webhook with its dead letters: nothing is sent to it any more."),
  Command.withShortDescription("Remove a webhook"),
  Command.withExamples([{ command: `lazaret webhooks remove ${example}`, description: "Remove a webhook" }])
)

const dead = Command.make("dead", { ...flags, webhook }, (given) =>
  Effect.flatMap(operations, (each) => each.dead(given))
).pipe(
  Command.withDescription("List the dead letters of a webhook, the latest first: events that its receiver never took."),
  Command.withShortDescription("List events that were not taken"),
  Command.withExamples([{ command: `lazaret webhooks dead ${example}`, description: "What a receiver has missed" }])
)

const redeliver = Command.make(
  "redeliver",
  {
    ...flags,
    all: Flag.Boolean("all").pipe(
      Flag.withDescription("All dead letters of the webhook, in the order in which they happened"),
      Flag.withDefault(false)
    ),
    webhook,
    event: Argument.String("event").pipe(
      Argument.withDescription("Id of the event, as webhooks dead shows it"),
      Argument.optional
    )
  },
  (given) => Effect.flatMap(operations, (each) => each.redeliver(given))
).pipe(
  Command.withDescription(
    "Send dead letters once more. What the receiver takes is no dead letter any more; at the first that it does not take, the command ends."
  ),
  Command.withShortDescription("Send dead letters once more"),
  Command.withExamples([
    { command: `lazaret webhooks redeliver --all ${example}`, description: "After the receiver has been mended" }
  ])
)

/** Says where events are sent. */
export const command = Command.make("webhooks").pipe(
  Command.withDescription("Send what happens in a repository to a URL. It takes an admin key."),
  Command.withShortDescription("Send events to URLs"),
  Command.withSubcommands([add, list, remove, dead, redeliver])
)
