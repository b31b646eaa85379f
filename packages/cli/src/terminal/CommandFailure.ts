/** Why a command ends without success, in one line for the person who typed it. */
import { Effect, Schema } from "effect"
import * as ExitCode from "./ExitCode.ts"

/**
 * An expected failure of a command.
 *
 * **Details**
 *
 * - `message`: one or two sentences: what is wrong, where, and what to do.
 * - `status`: the HTTP status of the answer that the failure is about; null without an answer.
 *
 * **To do:** Print `message`, and end the process with `exitCode`.
 */
export class CommandFailure extends Schema.TaggedError<CommandFailure>()("CommandFailure", {
  message: Schema.String,
  exitCode: Schema.Int,
  status: Schema.NullOr(Schema.Int).pipe(Schema.withConstructorDefault(Effect.succeed(null)))
}) {}

/** A flag, an argument or a file is missing or wrong. */
export const usage = (message: string): CommandFailure => new CommandFailure({ message, exitCode: ExitCode.usage })

/** The program cannot start here. */
export const setup = (message: string): CommandFailure => new CommandFailure({ message, exitCode: ExitCode.setup })

/** The server cannot be reached or keeps failing. */
export const unreachable = (message: string): CommandFailure =>
  new CommandFailure({ message, exitCode: ExitCode.unreachable })

/** The server refused the request with this status; null when its answer is not one of Lazaret. */
export const refused = (message: string, status: number | null = null): CommandFailure =>
  new CommandFailure({ message, exitCode: ExitCode.refused, status })
