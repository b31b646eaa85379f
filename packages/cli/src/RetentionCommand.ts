/** `lazaret retention`: run. */
import { Effect } from "effect"
import { Command } from "effect/cli"
import * as Connection from "./Connection.ts"
import * as JsonFlag from "./JsonFlag.ts"
import { load } from "./MissingPackage.ts"

const run = Command.make("run", { ...Connection.flags, json: JsonFlag.flag }, (given) =>
  Effect.flatMap(
    load(() => import("./Retention.ts")),
    (each) => each.run(given)
  )
).pipe(
  Command.withDescription(
    "Drop what is older than the server keeps (LAZARET_RETENTION_DAYS), now instead of at the next daily run, while the " +
      "server stays in use. It takes an admin key that reaches all owners."
  ),
  Command.withShortDescription("Drop what is too old now"),
  Command.withExamples([{ command: "lazaret retention run", description: "Drop what is too old in every repository" }])
)

/** Keeps what is young. */
export const command = Command.make("retention").pipe(
  Command.withDescription("Drop what is older than the server keeps."),
  Command.withShortDescription("Drop old results"),
  Command.withSubcommands([run])
)
