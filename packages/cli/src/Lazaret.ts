/** The command line `lazaret`. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Console, Effect, Exit, type Runtime } from "effect"
import { type CliError, Command } from "effect/cli"
import type { CommandFailure } from "./terminal/CommandFailure.ts"
import * as Audit from "./access/Audit.ts"
import * as Backfill from "./report/Backfill.ts"
import * as Completion from "./completion/Completion.ts"
import * as Events from "./events/Events.ts"
import * as Commits from "./failure/Commits.ts"
import * as Causes from "./insight/Causes.ts"
import * as Missing from "./insight/Missing.ts"
import * as Cost from "./insight/Cost.ts"
import * as Outages from "./health/Outages.ts"
import * as Ingest from "./report/Ingest.ts"
import * as Keys from "./access/Keys.ts"
import * as Mcp from "./mcp/Mcp.ts"
import * as Names from "./health/Names.ts"
import * as Quarantine from "./quarantine/Quarantine.ts"
import * as Issues from "./platform/Issues.ts"
import * as Platforms from "./platform/Platforms.ts"
import * as Open from "./health/Open.ts"
import * as Queue from "./queue/Queue.ts"
import * as Repo from "./repository/Repo.ts"
import * as Shard from "./insight/Shard.ts"
import * as Stress from "./failure/Stress.ts"
import * as Export from "./insight/Export.ts"
import * as Slower from "./insight/Slower.ts"
import * as Run from "./failure/Run.ts"
import * as Pins from "./access/Pins.ts"
import * as Roles from "./access/Roles.ts"
import * as Sessions from "./access/Sessions.ts"
import * as Tests from "./health/Tests.ts"
import * as Triage from "./failure/Triage.ts"
import * as Upkeep from "./repository/Upkeep.ts"
import * as Verdicts from "./failure/Verdicts.ts"
import * as Owners from "./health/Owners.ts"
import * as Notifications from "./events/Notifications.ts"
import * as Webhooks from "./events/Webhooks.ts"
import * as ExitCode from "./terminal/ExitCode.ts"
import type { MissingPackage } from "./terminal/MissingPackage.ts"
import type { ServerCommands } from "./ServerCommands.ts"
import * as Terminal from "./terminal/Terminal.ts"
import * as Usage from "./terminal/Usage.ts"
import { version } from "./Version.ts"

const commandsWith = ({ demo, migrate, serve }: ServerCommands) =>
  [
    serve,
    Keys.signIn,
    Ingest.command,
    Run.command,
    Stress.command,
    Shard.command,
    Tests.command,
    Triage.command,
    Commits.pulls,
    Commits.commits,
    Verdicts.command,
    Open.command,
    Quarantine.command,
    Events.command,
    Outages.command,
    Causes.command,
    Slower.command,
    Export.command,
    Missing.command,
    Cost.command,
    Mcp.command,
    Webhooks.command,
    Owners.command,
    Issues.command,
    ...Platforms.commands,
    Notifications.command,
    Queue.command,
    Repo.command,
    Keys.command,
    Audit.command,
    Roles.command,
    Pins.command,
    Sessions.command,
    Backfill.command,
    Upkeep.verify,
    Upkeep.retention,
    demo,
    migrate
  ] as const

/** The whole command line, with the commands of the server. */
export const commandWith = (server: ServerCommands) => {
  const commands = commandsWith(server)
  return Command.make("lazaret").pipe(
    Command.withDescription("Lazaret says which tests are healthy, flaky or broken."),
    Command.withSubcommands([
      ...commands,
      Names.command,
      Completion.of(Command.make("lazaret").pipe(Command.withSubcommands(commands)))
    ])
  )
}

/**
 * Runs a command and yields the exit code. Failures are printed on stderr.
 *
 * **Details**
 *
 * Every printed line is harmless (see `Terminal.harmless`): text of reports and servers is never a workflow command.
 */
export const run = (args: ReadonlyArray<string>, server: ServerCommands): Effect.Effect<number> =>
  Effect.flatMap(Console.Console, (console) =>
    Command.runWith(commandWith(server), { version })(args).pipe(
      Effect.as(ExitCode.done),
      Effect.catch(ofFailure),
      Effect.catchDefect(ofDefect),
      Effect.provide([NodeServices.layer, Usage.layer]),
      Effect.provideService(Console.Console, Terminal.harmlessConsole(console)),
      Effect.provideService(Terminal.Unescaped, console)
    )
  )

/** Ends the process with the exit code. A command that was interrupted may have set its own. */
export const teardown: Runtime.Teardown = (exit, onExit) => {
  if (Exit.isSuccess(exit)) return onExit(typeof exit.value === "number" ? exit.value : ExitCode.done)
  const isInterrupted = Cause.hasInterruptsOnly(exit.cause)
  onExit(isInterrupted ? Number(process.exitCode ?? ExitCode.interrupted) : ExitCode.bug)
}

/** Prints an error that no command expects, and yields the exit code. */
const ofDefect = (defect: unknown): Effect.Effect<number> =>
  Effect.as(
    Console.error("lazaret: this is a bug in lazaret. Please report it with the text below.", defect),
    ExitCode.bug
  )

const ofFailure = (error: CommandFailure | MissingPackage | CliError.CliError): Effect.Effect<number> => {
  if (error._tag === "CommandFailure") return Effect.as(Console.error(`lazaret: ${error.message}`), error.exitCode)
  if (error._tag === "MissingPackage") return Effect.as(Console.error(`lazaret: ${error.message}`), ExitCode.setup)
  // Usage has printed the faults already; without any, help was asked for.
  const isHelp = error._tag === "ShowHelp" && error.errors.length === 0
  return Effect.succeed(isHelp ? ExitCode.done : ExitCode.usage)
}
