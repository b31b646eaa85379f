/**
 * The entry point of `lazaret.mjs`: the client commands in one file that needs no installation, on Node 20 and newer.
 */
import { start } from "./main.ts"
import * as ServerCommands from "./ServerCommands.ts"

const [major = 0] = process.versions.node.split(".").map(Number)

if (major < 20) {
  console.error(`lazaret: lazaret.mjs needs Node 20 or newer and runs on ${process.versions.node}.`)
  process.exitCode = 3
} else start(() => Promise.resolve({ commands: ServerCommands.absent }))
