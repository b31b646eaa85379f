/** `lazaret verify`. */
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import * as Connection from "./Connection.ts"
import * as JsonFlag from "./JsonFlag.ts"
import { load } from "./MissingPackage.ts"
import * as RepositoryFlag from "./RepositoryFlag.ts"

/** Compares what is stored with what the executions say. */
export const command = Command.make(
  "verify",
  {
    repo: RepositoryFlag.flag.pipe(
      Flag.withDescription("Repository, such as acme/widgets (else: all that the key reaches)"),
      Flag.optional
    ),
    ...Connection.flags,
    json: JsonFlag.flag
  },
  (given) =>
    Effect.flatMap(
      load(() => import("./Upkeep.ts")),
      ({ verify }) => verify(given)
    )
).pipe(
  Command.withDescription(
    "Compare everything that is stored as computed with what the kept executions say, while the server stays in use. " +
      "Ends with 6 when something differs."
  ),
  Command.withShortDescription("Compare what is stored with what the executions say"),
  Command.withExamples([
    { command: "lazaret verify", description: "Verify every repository" },
    { command: "lazaret verify --repo acme/widgets", description: "Verify one" }
  ])
)
