/** Where the process starts. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Lazaret from "./cli/Lazaret.ts"

NodeRuntime.runMain(Lazaret.run(process.argv.slice(2)), { disableErrorReporting: true, teardown: Lazaret.teardown })
