/** The commands that come with the package `@lazaret/server`. */
import { Effect } from "effect"
import { Command } from "effect/cli"
import * as CommandFailure from "./terminal/CommandFailure.ts"
import { load as loadPackage, type MissingPackage } from "./terminal/MissingPackage.ts"

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

/**
 * The commands of the server; where its package is not installed, commands that name the package.
 *
 * **Details**
 *
 * The package is loaded only for arguments that need it, so that the other commands start fast: its own commands, and the
 * scripts for completion.
 */
export const load = (
  args: ReadonlyArray<string>,
  importServer: () => Promise<{ readonly commands: ServerCommands }>
): Effect.Effect<ServerCommands> =>
  args.some((arg) => needed.has(arg))
    ? loadPackage(importServer).pipe(
        Effect.map(({ commands }) => commands),
        Effect.orElseSucceed(() => absent)
      )
    : Effect.succeed(absent)

const needed: ReadonlySet<string> = new Set(["serve", "demo", "migrate", "completion", "--completions"])

const named = <Name extends string>(name: Name, summary: string) =>
  Command.make(name, {}, () =>
    CommandFailure.setup(
      `lazaret ${name} needs the full installation: a clone of Lazaret (npm ci), its image, or the package @lazaret/server.`
    )
  ).pipe(
    Command.withDescription(`${summary}. It needs the full installation, with the package @lazaret/server.`),
    Command.withShortDescription(summary)
  )

/** The commands without their package: the list of commands is the same. */
export const absent: ServerCommands = {
  serve: named("serve", "Run the server"),
  demo: named("demo", "Upload an invented history"),
  migrate: named("migrate", "Bring the tables to this version")
}
