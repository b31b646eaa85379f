/**
 * `lazaret repo`: refold.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import { Command } from "effect/cli"
import * as Connection from "./Connection.ts"
import * as JsonFlag from "./JsonFlag.ts"
import * as RepositoryFlag from "./RepositoryFlag.ts"

const refold = Command.make(
  "refold",
  {
    repo: RepositoryFlag.optional,
    ...Connection.flags,
    json: JsonFlag.flag
  },
  (given) =>
    Effect.flatMap(
      Effect.promise(() => import("./Upkeep.ts")),
      (each) => each.refold(given)
    )
).pipe(
  Command.withDescription("Compute everything of a repository anew from its kept executions, while uploads go on."),
  Command.withShortDescription("Compute a repository anew"),
  Command.withExamples([
    { command: "lazaret repo refold --repo acme/widgets", description: "Compute acme/widgets anew" }
  ])
)

/**
 * Keeps repositories.
 *
 * @category commands
 * @since 0.1.0
 */
export const command = Command.make("repo").pipe(
  Command.withDescription("What is done to a repository as a whole."),
  Command.withShortDescription("Keep a repository"),
  Command.withSubcommands([refold])
)
