/** Why a command ends without success, in one line for the person who typed it. */
import { Effect, Schema } from "effect"
import * as ExitCode from "./ExitCode.ts"

/**
 * An expected failure: one or two sentences that say what is wrong and what to do, and the exit code; `status` is what
 * a server answered, null when it is not about an answer.
 */
export class CommandFailure extends Schema.TaggedError<CommandFailure>()("CommandFailure", {
  message: Schema.String,
  exitCode: Schema.Int,
  status: Schema.NullOr(Schema.Int).pipe(Schema.withConstructorDefault(Effect.succeed(null)))
}) {}

/** The command was written wrongly. */
export const usage = (message: string): CommandFailure => new CommandFailure({ message, exitCode: ExitCode.usage })

/** The server cannot start here. */
export const unfit = (message: string): CommandFailure => new CommandFailure({ message, exitCode: ExitCode.unfit })

/** The server cannot be reached or keeps failing. */
export const unreachable = (message: string): CommandFailure =>
  new CommandFailure({ message, exitCode: ExitCode.unreachable })

/** The server refused. */
export const refused = (message: string, status: number | null = null): CommandFailure =>
  new CommandFailure({ message, exitCode: ExitCode.refused, status })
