/** The commands that this package adds to the command line `lazaret`. */
import type { ServerCommands } from "@lazaret/cli"
import { DemoCommand } from "@lazaret/demo"
import * as MigrateCommand from "./commands/MigrateCommand.ts"
import * as ServeCommand from "./commands/ServeCommand.ts"

/** The commands, by their names. */
export const commands: ServerCommands.ServerCommands = {
  serve: ServeCommand.command,
  demo: DemoCommand.command,
  migrate: MigrateCommand.command
}
