/** The tests of a CI job as a child process. */
import { spawn } from "node:child_process"
import { constants } from "node:os"
import { Effect } from "effect"
import * as CommandFailure from "../terminal/CommandFailure.ts"
import { plain } from "../terminal/Terminal.ts"

/** The exit code of shells for a command that does not exist. */
const notFound = 127

/**
 * The exit code of a command that runs with the input and output of this process.
 *
 * **Details**
 *
 * A signal that ends the command counts as 128 and its number, as in a shell. An interruption ends the command.
 */
export const run = ([file = "", ...args]: ReadonlyArray<string>): Effect.Effect<
  number,
  CommandFailure.CommandFailure
> =>
  Effect.callback((resume) => {
    const child = spawn(file, args, { stdio: "inherit" })
    child.once("error", (error) => resume(Effect.fail(unstartable(file, error))))
    child.once("close", (code, signal) =>
      resume(Effect.succeed(code ?? 128 + (signal === null ? 0 : constants.signals[signal])))
    )
    return Effect.sync(() => child.kill("SIGTERM"))
  })

const unstartable = (file: string, error: Error): CommandFailure.CommandFailure =>
  new CommandFailure.CommandFailure({
    message: `${plain(file)} cannot be started (${"code" in error ? String(error.code) : error.message}).`,
    exitCode: notFound
  })
