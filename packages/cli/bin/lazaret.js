#!/usr/bin/env node
/**
 * The command `lazaret`: checks the version of Node, then starts the command line.
 *
 * In the workspace TypeScript runs from source, without a build; an installed package runs its build.
 */
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)

// The package server imports this one, so only JavaScript can name it here: project references allow no circle.
const loadServer = () => import("@lazaret/server/commands")

if (major < 22 || (major === 22 && minor < 19)) {
  console.error(
    `lazaret: needs Node 22.19 or newer and runs on ${process.versions.node}. A clone of Lazaret brings its own ` +
      'Node: start the server with "npm start", and put the folder node_modules/.bin of the clone first into PATH.'
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

async function importMain() {
  if (import.meta.dirname.split(/[\\/]/).includes("node_modules")) return import("../dist/main.js")
  const { registerHooks } = await import("node:module")
  registerHooks({
    resolve: (specifier, context, next) =>
      next(specifier, { ...context, conditions: ["@lazaret/source", ...context.conditions] })
  })
  return import("../src/main.ts")
}
