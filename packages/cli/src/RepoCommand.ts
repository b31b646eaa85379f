/** `lazaret repo`: list, show, set, refold. */
import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import * as Connection from "./Connection.ts"
import * as JsonFlag from "./JsonFlag.ts"
import { load } from "./MissingPackage.ts"
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
      load(() => import("./Upkeep.ts")),
      (each) => each.refold(given)
    )
).pipe(
  Command.withDescription("Compute everything of a repository anew from its kept executions, while uploads go on."),
  Command.withShortDescription("Compute a repository anew"),
  Command.withExamples([
    { command: "lazaret repo refold --repo acme/widgets", description: "Compute acme/widgets anew" }
  ])
)

const operations = load(() => import("./Repo.ts"))

const flags = { repo: RepositoryFlag.optional, ...Connection.flags, json: JsonFlag.flag }

const list = Command.make("list", { ...Connection.flags, json: JsonFlag.flag }, (given) =>
  Effect.flatMap(operations, (each) => each.list(given))
).pipe(
  Command.withDescription("List the repositories that the key reaches."),
  Command.withShortDescription("List repositories"),
  Command.withExamples([{ command: "lazaret repo list", description: "List repositories" }])
)

const show = Command.make("show", flags, (given) => Effect.flatMap(operations, (each) => each.show(given))).pipe(
  Command.withDescription("Show what is set for a repository, and every number of its policies that holds."),
  Command.withShortDescription("Show the settings"),
  Command.withExamples([{ command: "lazaret repo show --repo acme/widgets", description: "Show the settings" }])
)

const set = Command.make(
  "set",
  {
    ...flags,
    assignments: Argument.String("name=value").pipe(
      Argument.withDescription("A setting as repo show names it; the value default brings the default back"),
      Argument.variadic({ min: 1 })
    )
  },
  (given) => Effect.flatMap(operations, (each) => each.set(given))
).pipe(
  Command.withDescription(
    "Change what is set for a repository: all of it or, when something is wrong, nothing. Changed numbers hold for the whole " +
      "kept history at once."
  ),
  Command.withShortDescription("Change the settings"),
  Command.withExamples([
    {
      command: "lazaret repo set --repo acme/widgets auto_quarantine=flaky health.clean_passes=20",
      description: "Quarantine flaky tests by itself, and be slower to trust them again"
    }
  ])
)

/** Keeps repositories. */
export const command = Command.make("repo").pipe(
  Command.withDescription("List repositories, keep their settings, and compute them anew."),
  Command.withShortDescription("Keep a repository"),
  Command.withSubcommands([list, show, set, refold])
)
