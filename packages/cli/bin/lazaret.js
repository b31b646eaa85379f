#!/usr/bin/env node
/**
 * The command `lazaret`: checks the version of Node, then starts the command line. In a clone an older Node hands over to
 * that of the clone.
 *
 * In the workspace TypeScript runs from source, without a build, and what Node compiles is kept; an installed package runs its
 * build.
 */
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)

// The package server imports this one, so only JavaScript can name it here: project references allow no circle.
const loadServer = () => import("@lazaret/server/commands")

const isOld = major < 22 || (major === 22 && minor < 19)

// npm puts it there on Linux only.
const nodeOfClone = fileURLToPath(new URL("../../../node_modules/.bin/node", import.meta.url))

if (isOld && existsSync(nodeOfClone)) {
  handOver(nodeOfClone)
} else if (isOld) {
  console.error(
    `lazaret: needs Node 22.19 or newer and runs on ${process.versions.node}. On Linux a clone of Lazaret brings its own ` +
      "Node: run npm ci there."
  )
  process.exitCode = 3
} else {
  try {
    const { start } = await importMain()
    start(loadServer)
  } catch (error) {
    // After an update of a clone its packages may be the old ones.
    if (!(error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND")) throw error
    console.error(
      `lazaret: A package that lazaret needs is missing (${error.message}). Run npm ci in a clone; elsewhere install ` +
        "lazaret again."
    )
    process.exitCode = 3
  }
}

/** Runs the same command by another Node; signals and the exit code pass through. */
function handOver(node) {
  const child = spawn(node, process.argv.slice(1), { stdio: "inherit" })
  // A terminal sends SIGINT to both processes; this one waits for the other.
  process.on("SIGINT", () => {})
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal))
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? (signal === "SIGKILL" ? 137 : 1)
  })
}

async function importMain() {
  if (import.meta.dirname.split(/[\\/]/).includes("node_modules")) return import("../dist/main.js")
  const { enableCompileCache, registerHooks } = await import("node:module")
  enableCompileCache(fileURLToPath(new URL("../../../.cache/node", import.meta.url)))
  registerHooks({
    resolve: (specifier, context, next) =>
      next(specifier, { ...context, conditions: ["@lazaret/source", ...context.conditions] })
  })
  return import("../src/main.ts")
}
