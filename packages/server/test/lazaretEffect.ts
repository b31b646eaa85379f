/** The command line in this process: the same code without the start of a process. */
import { Lazaret } from "@lazaret/cli"
import { ConfigProvider, Console, Effect } from "effect"
import { commands } from "../src/commands.ts"

/** Runs a command to its end; `env` is the whole environment that it sees, besides a free port. */
export const run = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) =>
  Effect.gen(function* () {
    const ended = { stdout: "", stderr: "" }
    const console: Console.Console = {
      ...globalThis.console,
      log: (text) => (ended.stdout += `${text}\n`),
      error: (text) => (ended.stderr += `${text}\n`)
    }
    const exitCode = yield* Lazaret.run(args, commands).pipe(
      Effect.provideService(Console.Console, console),
      Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnvRecord({ PORT: "0", ...env }))
    )
    return { exitCode, ...ended }
  })
