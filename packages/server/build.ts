/**
 * `npm run build -w packages/server`: bundles the command `lazaret` of a clone to one file, from which `npm start` loads it in a
 * third of the time, unless what is there was built from the same files.
 *
 * `npm ci` and `npm start` run it. A failed build does not keep the server from starting: it runs from source then.
 */
import { spawnSync } from "node:child_process"
import { hash } from "node:crypto"
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"

const root = import.meta.dirname
const workspace = join(root, "../..")
const folder = join(workspace, ".cache/start")
const file = join(folder, "lazaret.mjs")
const marker = join(folder, "lazaret.sources")

const sources = globSync(["packages/*/src/**/*.ts", "packages/*/package.json", "package-lock.json"], { cwd: workspace })
  .concat(relative(workspace, import.meta.filename))
  .toSorted()

/** Times and sizes instead of contents: a start reads no source. */
const state = hash(
  "sha256",
  sources
    .map((each) => {
      const { mtimeMs, size } = statSync(join(workspace, each))
      return `${each}\0${mtimeMs}\0${size}`
    })
    .join("\n")
)

/** A module that asks for its own place is answered with that of its source. */
const ownPlaces = {
  name: "own places",
  transform: (code: string, id: string) => {
    if (!/import\.meta\.(url|dirname)/.test(code)) return null
    const ofUrl = `new URL(${JSON.stringify(relative(folder, id))}, import.meta.url)`
    const ofFolder = `process.getBuiltinModule("node:url").fileURLToPath(new URL(${JSON.stringify(relative(folder, dirname(id)))}, import.meta.url))`
    return code.replaceAll(/import\.meta\.(url|dirname)/g, (_, name) => (name === "url" ? `${ofUrl}.href` : ofFolder))
  }
}

const entry = `
  import { start } from ${JSON.stringify(join(workspace, "packages/cli/src/main.ts"))}
  import { commands } from ${JSON.stringify(join(root, "src/commands.ts"))}
  start(() => Promise.resolve({ commands }))
`

/** The module that exists in memory only. */
const ownEntry = {
  name: "own entry",
  resolveId: (id: string) => (id === "lazaret-start" ? join(root, "lazaret-start.ts") : null),
  load: (id: string) => (id === join(root, "lazaret-start.ts") ? entry : null)
}

if (!existsSync(file) || !existsSync(marker) || readFileSync(marker, "utf8") !== state) {
  try {
    const { build } = await import("rolldown")
    mkdirSync(folder, { recursive: true })
    await build({
      input: "lazaret-start",
      cwd: workspace,
      platform: "node",
      plugins: [ownEntry, ownPlaces],
      resolve: { conditionNames: ["@lazaret/source", "node", "import", "default"] },
      output: { file, codeSplitting: false },
      checks: { ineffectiveDynamicImport: false },
      logLevel: "warn"
    })
    writeFileSync(marker, state)
    // The first start finds what Node compiles of it, as every later one does.
    spawnSync(process.execPath, ["--max-semi-space-size=16", join(root, "start.js"), "--version"], { stdio: "ignore" })
  } catch (error) {
    rmSync(file, { force: true })
    console.error(`The server could not be bundled: ${error instanceof Error ? error.message : String(error)}`)
    if (!process.argv.includes("--start")) process.exitCode = 1
  }
}
