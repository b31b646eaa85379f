/** `lazaret serve`. */
import { MissingPackage, type ServerCommands } from "@lazaret/cli"
import { Effect } from "effect"
import { Command } from "effect/cli"
import * as Reference from "../settings/Reference.ts"
import * as ConfigFlag from "./ConfigFlag.ts"

/** Runs the server until a signal stops it. Its settings come from the environment and a file. */
export const command: ServerCommands.Loaded<"serve"> = Command.make(
  "serve",
  { config: ConfigFlag.flag },
  ({ config }) =>
    // The modules of the server are loaded here only, so that the other commands start without them.
    Effect.flatMap(
      MissingPackage.load(() => import("./Serve.ts")),
      ({ serve }) => serve(config)
    )
).pipe(
  Command.withDescription(
    "Run the server. Settings come from the environment, and from the file of --config: " +
      `docs/reference/configuration.md.\n\n${Reference.help}`
  ),
  Command.withShortDescription("Run the server")
)
