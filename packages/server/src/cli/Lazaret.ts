/** The command line `lazaret`. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Console, Effect, Exit, type Runtime } from "effect"
import { type CliError, Command } from "effect/cli"
import { version } from "../Version.ts"
import type { CommandFailure } from "./CommandFailure.ts"
import * as DemoCommand from "./DemoCommand.ts"
import * as CompletionCommand from "./CompletionCommand.ts"
import * as EventsCommand from "./EventsCommand.ts"
import * as ExitCode from "./ExitCode.ts"
import * as IngestCommand from "./IngestCommand.ts"
import * as KeysCommand from "./KeysCommand.ts"
import * as MigrateCommand from "./MigrateCommand.ts"
import * as QuarantineCommand from "./QuarantineCommand.ts"
import * as QueueCommand from "./QueueCommand.ts"
import * as RepoCommand from "./RepoCommand.ts"
import * as RetentionCommand from "./RetentionCommand.ts"
import * as ServeCommand from "./ServeCommand.ts"
import * as SignInCommand from "./SignInCommand.ts"
import * as TestsCommand from "./TestsCommand.ts"
import * as Usage from "./Usage.ts"
import * as VerifyCommand from "./VerifyCommand.ts"
import * as WebhooksCommand from "./WebhooksCommand.ts"

const commands = [
  ServeCommand.command,
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
  DemoCommand.command,
  MigrateCommand.command
] as const

/** The whole command line. */
export const command = Command.make("lazaret").pipe(
  Command.withDescription("Lazaret tells healthy tests from flaky and broken ones."),
  Command.withSubcommands([
    ...commands,
    CompletionCommand.of(Command.make("lazaret").pipe(Command.withSubcommands(commands)))
  ])
)

/** Runs a command and yields the exit code; what went wrong has been told on stderr. */
export const run = (args: ReadonlyArray<string>): Effect.Effect<number> =>
  Command.runWith(command, { version })(args).pipe(
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

/**
 * Tells of what no command foresees, and yields the exit code. A package that is missing is no bug: commands are loaded
 * when they run, and after an update of a clone its packages may be the old ones.
 */
export const ofDefect = (defect: unknown): Effect.Effect<number> => {
  const missing = defect instanceof Error ? /^Cannot find package '([^']+)'/.exec(defect.message)?.[1] : undefined
  return missing === undefined
    ? Effect.as(
        Console.error("lazaret: this is a bug in lazaret. Please report it with what follows.", defect),
        ExitCode.broken
      )
    : Effect.as(
        Console.error(
          `lazaret: The package ${missing} is not installed: run npm ci (in a clone), or install lazaret anew.`
        ),
        ExitCode.unfit
      )
}

const ofFailure = (error: CommandFailure | CliError.CliError): Effect.Effect<number> => {
  if (error._tag === "CommandFailure") return Effect.as(Console.error(`lazaret: ${error.message}`), error.exitCode)
  // Usage has told the faults already; without any, help was asked for.
  const isHelp = error._tag === "ShowHelp" && error.errors.length === 0
  return Effect.succeed(isHelp ? ExitCode.done : ExitCode.usage)
}
