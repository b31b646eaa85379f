/** `lazaret demo`. */
import { Flags, MissingPackage, type ServerCommands } from "@lazaret/cli"
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"

/** Uploads an invented history of a repository. */
export const command: ServerCommands.Loaded<"demo"> = Command.make(
  "demo",
  {
    repo: Flags.repository.pipe(
      Flag.withDescription("Repository (acme/demo)"),
      Flag.withDefault({ owner: "acme", repository: "demo" })
    ),
    seed: Flag.Int("seed").pipe(Flag.withDescription("Another seed, another history (1)"), Flag.withDefault(1)),
    days: between("days", 14, 365).pipe(Flag.withDescription("Days up to today (60)"), Flag.withDefault(60)),
    tests: between("tests", 50, 20_000).pipe(Flag.withDescription("Number of tests (2000)"), Flag.withDefault(2000)),
    ...Flags.server
  },
  (given) =>
    Effect.flatMap(
      MissingPackage.load(() => import("./Demo.ts")),
      ({ demo }) => demo(given)
    )
).pipe(
  Command.withDescription(
    "Upload an invented history of a repository: healthy, flaky, broken, repaired, slower, new and skipped tests, an outage, a run that lost " +
      "tests, pull requests, one of them red, a quarantine with an end, and a merge queue."
  ),
  Command.withShortDescription("Upload an invented history")
)

function between(name: string, minimum: number, maximum: number) {
  return Flag.Int(name).pipe(
    Flag.filterMap(
      (number) => (number >= minimum && number <= maximum ? Option.some(number) : Option.none()),
      (number) => `"${number}" is not between ${minimum} and ${maximum}`
    )
  )
}
