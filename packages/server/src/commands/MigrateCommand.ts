/** `lazaret migrate`. */
import { Flags, MissingPackage, type ServerCommands } from "@lazaret/cli"
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import * as ConfigFlag from "./ConfigFlag.ts"

const distribute = Flag.Boolean("distribute").pipe(
  Flag.withDescription("Then distribute the tables by repository over the nodes of a Citus cluster"),
  Flag.withDefault(false)
)

/** Migrates the tables to this version. */
export const command: ServerCommands.Loaded<"migrate"> = Command.make(
  "migrate",
  { config: ConfigFlag.flag, distribute, json: Flags.json },
  (given) =>
    Effect.flatMap(
      MissingPackage.load(() => import("./Migrate.ts")),
      ({ migrate }) => migrate(given)
    )
).pipe(
  Command.withDescription(
    "Migrate the tables of the storage to this version. The server does the same when it starts; this command does it " +
      "before. LAZARET_STORE, LAZARET_DATA_DIR and DATABASE_URL choose the storage, as for lazaret serve."
  ),
  Command.withShortDescription("Migrate the tables to this version")
)
