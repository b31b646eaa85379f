/** The commands that come with the package `@lazaret/server`. */
import { Effect } from "effect"
import { Command } from "effect/cli"
import * as CommandFailure from "./CommandFailure.ts"
import { load as loadPackage, type MissingPackage } from "./MissingPackage.ts"

/** A command of another package, whatever its flags. */
export type Loaded<Name extends string> = Command.Command<
  Name,
  never,
  {},
  CommandFailure.CommandFailure | MissingPackage,
  Command.Environment
>

/** The commands of the package `@lazaret/server`, by their names. */
export interface ServerCommands {
  readonly serve: Loaded<"serve">
  readonly demo: Loaded<"demo">
  readonly migrate: Loaded<"migrate">
}

/** The commands of the server; where its package is not installed, commands that name the package. */
export const load = (
  importServer: () => Promise<{ readonly commands: ServerCommands }>
): Effect.Effect<ServerCommands> =>
  loadPackage(importServer).pipe(
    Effect.map(({ commands }) => commands),
    Effect.orElseSucceed(() => absent)
  )

const named = <Name extends string>(name: Name, does: string) =>
  Command.make(name, {}, () =>
    CommandFailure.unfit(`lazaret ${name} comes with the server: npm install @lazaret/server`)
  ).pipe(
    Command.withDescription(`${does}. It comes with the package @lazaret/server, which is not installed.`),
    Command.withShortDescription(`${does} (needs @lazaret/server)`)
  )

/** The commands where the package is not installed. */
export const absent: ServerCommands = {
  serve: named("serve", "Run the server"),
  demo: named("demo", "Upload an invented history"),
  migrate: named("migrate", "Bring the tables to this version")
}
