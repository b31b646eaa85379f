/** The command line `lazaret`. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Console, Effect, Exit, type Runtime } from "effect"
import { type CliError, Command } from "effect/cli"
import type { CommandFailure } from "./CommandFailure.ts"
import * as CompletionCommand from "./CompletionCommand.ts"
import * as EventsCommand from "./EventsCommand.ts"
import * as ExitCode from "./ExitCode.ts"
import * as IngestCommand from "./IngestCommand.ts"
import * as KeysCommand from "./KeysCommand.ts"
import type { MissingPackage } from "./MissingPackage.ts"
import * as QuarantineCommand from "./QuarantineCommand.ts"
import * as QueueCommand from "./QueueCommand.ts"
import * as RepoCommand from "./RepoCommand.ts"
import * as RetentionCommand from "./RetentionCommand.ts"
import type { ServerCommands } from "./ServerCommands.ts"
import * as SignInCommand from "./SignInCommand.ts"
import * as TestsCommand from "./TestsCommand.ts"
import * as Usage from "./Usage.ts"
import * as VerifyCommand from "./VerifyCommand.ts"
import { version } from "./Version.ts"
import * as WebhooksCommand from "./WebhooksCommand.ts"

const commandsWith = ({ demo, migrate, serve }: ServerCommands) =>
  [
    serve,
    SignInCommand.command,
    IngestCommand.command,
    TestsCommand.command,
    QuarantineCommand.command,
    EventsCommand.command,
    WebhooksCommand.command,
    QueueCommand.command,
    RepoCommand.command,
    KeysCommand.command,
    VerifyCommand.command,
    RetentionCommand.command,
    demo,
    migrate
  ] as const

/** The whole command line, with the commands of the server. */
export const commandWith = (server: ServerCommands) => {
  const commands = commandsWith(server)
  return Command.make("lazaret").pipe(
    Command.withDescription("Lazaret tells healthy tests from flaky and broken ones."),
    Command.withSubcommands([
      ...commands,
      CompletionCommand.of(Command.make("lazaret").pipe(Command.withSubcommands(commands)))
    ])
  )
}

/** Runs a command and yields the exit code. Failures are printed on stderr. */
export const run = (args: ReadonlyArray<string>, server: ServerCommands): Effect.Effect<number> =>
  Command.runWith(commandWith(server), { version })(args).pipe(
    Effect.as(ExitCode.done),
    Effect.catch(ofFailure),
    Effect.catchDefect(ofDefect),
    Effect.provide([NodeServices.layer, Usage.layer])
  )

/** Ends the process with the exit code. A command that was interrupted may have set its own. */
export const teardown: Runtime.Teardown = (exit, onExit) => {
  if (Exit.isSuccess(exit)) return onExit(typeof exit.value === "number" ? exit.value : ExitCode.done)
  const isInterrupted = Cause.hasInterruptsOnly(exit.cause)
  onExit(isInterrupted ? Number(process.exitCode ?? ExitCode.interrupted) : ExitCode.broken)
}

/** Prints an error that no command expects, and yields the exit code. */
const ofDefect = (defect: unknown): Effect.Effect<number> =>
  Effect.as(
    Console.error("lazaret: this is a bug in lazaret. Please report it with what follows.", defect),
    ExitCode.broken
  )

const ofFailure = (error: CommandFailure | MissingPackage | CliError.CliError): Effect.Effect<number> => {
  if (error._tag === "CommandFailure") return Effect.as(Console.error(`lazaret: ${error.message}`), error.exitCode)
  if (error._tag === "MissingPackage") return Effect.as(Console.error(`lazaret: ${error.message}`), ExitCode.unfit)
  // Usage has printed the faults already; without any, help was asked for.
  const isHelp = error._tag === "ShowHelp" && error.errors.length === 0
  return Effect.succeed(isHelp ? ExitCode.done : ExitCode.usage)
}
