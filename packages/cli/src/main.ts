/** The entry point of the process. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect } from "effect"
import * as Lazaret from "./Lazaret.ts"
import * as ServerCommands from "./ServerCommands.ts"
import * as Terminal from "./terminal/Terminal.ts"

/** Runs the command of this process; `loadServer` imports the commands of the package `@lazaret/server`. */
export const start = (loadServer: () => Promise<{ readonly commands: ServerCommands.ServerCommands }>): void => {
  const args = process.argv.slice(2)
  for (const stream of [process.stdout, process.stderr]) stream.on("error", Terminal.ignoreClosedPipe)
  NodeRuntime.runMain(
    Effect.flatMap(ServerCommands.load(args, loadServer), (server) => Lazaret.run(args, server)),
    { disableErrorReporting: true, teardown: Lazaret.teardown }
  )
}
