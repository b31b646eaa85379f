/** `lazaret migrate`. */
import { Flags, MissingPackage, type ServerCommands } from "@lazaret/cli"
import { Effect } from "effect"
import { Command } from "effect/cli"
import * as ConfigFlag from "./ConfigFlag.ts"

/** Brings the tables to this version. */
export const command: ServerCommands.Loaded<"migrate"> = Command.make(
  "migrate",
  { config: ConfigFlag.flag, json: Flags.json },
  (given) =>
    Effect.flatMap(
      MissingPackage.load(() => import("./Migrate.ts")),
      ({ migrate }) => migrate(given)
    )
).pipe(
  Command.withDescription(
    "Bring the tables of the storage to this version. The server does so itself when it starts; this is for those who " +
      "want it done before. LAZARET_STORE, LAZARET_DATA_DIR and DATABASE_URL say where, as for lazaret serve."
  ),
  Command.withShortDescription("Bring the tables to this version")
)
