/** `lazaret queue`: show, pause, unpause, configure. */
import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as Connection from "./Connection.ts"
import * as JsonFlag from "./JsonFlag.ts"
import { load } from "./MissingPackage.ts"
import * as RepositoryFlag from "./RepositoryFlag.ts"

const flags = {
  repo: RepositoryFlag.optional,
  ...Connection.flags,
  json: JsonFlag.flag
}

const operations = load(() => import("./Queue.ts"))

/** The limit of interface 4.2.2, counted in characters as the server does. */
const longestReason = 255

const reason = Flag.String("reason").pipe(
  Flag.withMetavar("text"),
  Flag.withDescription(`Why, for everybody to read; up to ${longestReason} characters`),
  Flag.filter(
    (text) => text.trim() !== "" && [...text].length <= longestReason,
    (text) => `"${brief(text)}" is ${text.trim() === "" ? "empty" : `longer than ${longestReason} characters`}`
  )
)

const brief = (text: string): string => (text.length <= 40 ? text : `${[...text].slice(0, 40).join("")}…`)

const show = Command.make("show", flags, (given) => Effect.flatMap(operations, (each) => each.show(given))).pipe(
  Command.withDescription("Show the pull requests in the merge queue of each base branch, and whether it is paused."),
  Command.withShortDescription("Show what is queued"),
  Command.withExamples([{ command: "lazaret queue show --repo acme/widgets", description: "Show what is queued" }])
)

const pause = Command.make("pause", { ...flags, reason }, (given) =>
  Effect.flatMap(operations, (each) => each.pause(given))
).pipe(
  Command.withDescription("Pause the merge queue. A pause that holds keeps its date and takes the new reason."),
  Command.withShortDescription("Pause the merge queue"),
  Command.withExamples([
    {
      command: 'lazaret queue pause --repo acme/widgets --reason "Release 4.2 is being cut."',
      description: "Pause the merge queue"
    }
  ])
)

const unpause = Command.make("unpause", flags, (given) =>
  Effect.flatMap(operations, (each) => each.unpause(given))
).pipe(
  Command.withDescription("End the pause of the merge queue."),
  Command.withShortDescription("End the pause"),
  Command.withExamples([{ command: "lazaret queue unpause --repo acme/widgets", description: "End the pause" }])
)

const configure = Command.make(
  "configure",
  {
    ...flags,
    show: Flag.Boolean("show").pipe(
      Flag.withDescription("Show the rules that hold, instead of giving a file"),
      Flag.withDefault(false)
    ),
    file: Argument.String("queue.yml").pipe(
      Argument.withDescription("The file with the rules (YAML); it is stored also when it is invalid"),
      Argument.optional
    )
  },
  (given) => Effect.flatMap(operations, (each) => each.configure(given))
).pipe(
  Command.withDescription("Give the server the file with the queue rules, and say what is wrong with it."),
  Command.withShortDescription("Give the queue rules"),
  Command.withExamples([
    { command: "lazaret queue configure --repo acme/widgets .lazaret/queue.yml", description: "Give the queue rules" },
    { command: "lazaret queue configure --repo acme/widgets --show", description: "Show the queue rules" }
  ])
)

/** Shows and moves a merge queue. */
export const command = Command.make("queue").pipe(
  Command.withDescription("Show, pause and configure the merge queue of a repository."),
  Command.withShortDescription("Show, pause and configure a merge queue"),
  Command.withSubcommands([show, pause, unpause, configure])
)
