/** `lazaret quarantine`: add, list, remove, check. */
import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as Connection from "./Connection.ts"
import * as IngestCommand from "./IngestCommand.ts"
import * as JsonFlag from "./JsonFlag.ts"
import { load } from "./MissingPackage.ts"
import * as RepositoryFlag from "./RepositoryFlag.ts"

const flags = { repo: RepositoryFlag.optional, ...Connection.flags, json: JsonFlag.flag }

const operations = load(() => import("./Quarantine.ts"))

const branch = (description: string) => Flag.String("branch").pipe(Flag.withDescription(description), Flag.optional)

const test = Argument.String("test").pipe(Argument.withDescription("Fully qualified name of the test"))

const add = Command.make(
  "add",
  {
    ...flags,
    reason: Flag.String("reason").pipe(
      Flag.withMetavar("text"),
      Flag.withDescription("Why, for everybody to read"),
      Flag.filter(
        (text) => text.trim() !== "",
        () => "the reason is empty"
      )
    ),
    branch: branch("Only on this branch (else: on every branch)"),
    test
  },
  (given) => Effect.flatMap(operations, (each) => each.add(given))
).pipe(
  Command.withDescription(
    "Quarantine a test: its failures are not held against a change any more. Doing it again with the same reason changes nothing."
  ),
  Command.withShortDescription("Quarantine a test"),
  Command.withExamples([
    {
      command: 'lazaret quarantine add --reason "Times out on slow machines, see issue 12." "cart > pays with a card"',
      description: "Quarantine a test on every branch"
    }
  ])
)

const list = Command.make(
  "list",
  {
    ...flags,
    branch: branch("Only what holds on this branch"),
    source: Flag.Literals("source", ["manual", "auto"]).pipe(
      Flag.withDescription("Only those by people (manual) or by the automation (auto)"),
      Flag.optional
    ),
    recovered: Flag.Boolean("recovered").pipe(
      Flag.withDescription("Only tests that have recovered: their quarantine could end"),
      Flag.withDefault(false)
    )
  },
  (given) => Effect.flatMap(operations, (each) => each.list(given))
).pipe(
  Command.withDescription("List the quarantined tests, the oldest quarantine first."),
  Command.withShortDescription("List quarantined tests"),
  Command.withExamples([{ command: "lazaret quarantine list --recovered", description: "What could be released" }])
)

const remove = Command.make(
  "remove",
  {
    ...flags,
    branch: branch("The quarantine of this branch (else: the one of every branch)"),
    test: Argument.String("test").pipe(
      Argument.withDescription("Id of the quarantine, or fully qualified name of the test")
    )
  },
  (given) => Effect.flatMap(operations, (each) => each.remove(given))
).pipe(
  Command.withDescription("End a quarantine."),
  Command.withShortDescription("End a quarantine"),
  Command.withExamples([
    { command: 'lazaret quarantine remove "cart > pays with a card"', description: "Release a test" }
  ])
)

const check = Command.make(
  "check",
  {
    ...flags,
    branch: branch("Branch whose quarantines count (CI: the base branch of a pull request, else the branch)"),
    testsEnded: Flag.Int("tests-ended").pipe(
      Flag.withMetavar("code"),
      Flag.withDescription(
        "Exit code of the tests: when it is not 0 and no report has a failure, something else is wrong"
      ),
      Flag.withDefault(0)
    ),
    format: IngestCommand.format,
    files: IngestCommand.reports
  },
  (given) => Effect.flatMap(operations, (each) => each.check(given))
).pipe(
  Command.withDescription(
    "Tell whether every failure in test reports is quarantined: the gate of a CI job. It exits with 0 when there is no " +
      "failure or all are quarantined, and with 10 when at least one is not."
  ),
  Command.withShortDescription("Pass when every failure is quarantined"),
  Command.withExamples([
    {
      command: "npm test || lazaret quarantine check --tests-ended $? reports/",
      description: "Fail only for tests that are not quarantined"
    }
  ])
)

/** Keeps the quarantine list, and checks reports against it. */
export const command = Command.make("quarantine").pipe(
  Command.withDescription("Keep the list of quarantined tests, and check reports against it."),
  Command.withShortDescription("Quarantine tests, and check reports"),
  Command.withSubcommands([add, list, remove, check])
)
