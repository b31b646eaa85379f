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
    `lazaret: needs Node 22.19 or newer and runs on ${process.versions.node}. In a clone of Lazaret use "npx lazaret" ` +
      'or "npm start", which bring their own Node.'
  )
  process.exitCode = 3
} else if (import.meta.dirname.split(/[\\/]/).includes("node_modules")) {
  const { start } = await import("../dist/main.js")
  start(loadServer)
} else {
  const { registerHooks } = await import("node:module")
  registerHooks({
    resolve: (specifier, context, next) =>
      next(specifier, { ...context, conditions: ["@lazaret/source", ...context.conditions] })
  })
  const { start } = await import("../src/main.ts")
  start(loadServer)
}
