/** `lazaret events`. */
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import * as Connection from "./Connection.ts"
import * as JsonFlag from "./JsonFlag.ts"
import * as LimitFlag from "./LimitFlag.ts"
import { load } from "./MissingPackage.ts"
import * as RepositoryFlag from "./RepositoryFlag.ts"

/** Shows what has happened in a repository. */
export const command = Command.make(
  "events",
  {
    repo: RepositoryFlag.optional,
    type: Flag.String("type").pipe(
      Flag.withDescription("Only events of this type, such as test.health_changed or quarantine.created"),
      Flag.optional
    ),
    limit: LimitFlag.flag,
    ...Connection.flags,
    json: JsonFlag.flag
  },
  (given) =>
    Effect.flatMap(
      load(() => import("./Events.ts")),
      ({ events }) => events(given)
    )
).pipe(
  Command.withDescription("Show what has happened in a repository, the newest first."),
  Command.withShortDescription("Show what has happened"),
  Command.withExamples([
    { command: "lazaret events --type quarantine.created", description: "What was quarantined, and by whom" }
  ])
)
