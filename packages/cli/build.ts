/**
 * `npm run build -w packages/cli`: bundles the client commands to one file, `dist/lazaret.mjs`, unless what is there was built
 * from the same sources.
 *
 * `npm start` runs it first. A failed build does not keep the server from starting: the failure is logged, and the server
 * answers 404 at the address of the file.
 */
import { hash } from "node:crypto"
import { existsSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const root = import.meta.dirname
const file = join(root, "dist/lazaret.mjs")
const marker = join(root, "dist/lazaret.sources")

const sources = globSync(
  ["{cli,api,domain,queue,ingest}/{src/**/*.ts,package.json}", "cli/build.ts", "../package-lock.json"],
  {
    cwd: join(root, "..")
  }
)
  .map((each) => join(root, "..", each))
  .toSorted()

const state = hash(
  "sha256",
  sources.map((each) => `${each.slice(root.length)}\0${readFileSync(each, "utf8")}`).join("\n")
)

const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))

/** The file has no manifest next to it. */
const ownVersion = {
  name: "version",
  load: (id: string) =>
    id === join(root, "src/Version.ts") ? `export const version = ${JSON.stringify(version)}` : null
}

if (!existsSync(file) || !existsSync(marker) || readFileSync(marker, "utf8") !== state) {
  try {
    const { build } = await import("rolldown")
    await build({
      input: join(root, "src/bundle.ts"),
      platform: "node",
      plugins: [ownVersion],
      resolve: { conditionNames: ["@lazaret/source", "node", "import", "default"] },
      output: { file, codeSplitting: false, minify: true, banner: "#!/usr/bin/env node" },
      logLevel: "warn"
    })
    writeFileSync(marker, state)
  } catch (error) {
    rmSync(file, { force: true })
    console.error(`lazaret.mjs could not be built: ${error instanceof Error ? error.message : String(error)}`)
    if (!process.argv.includes("--start")) process.exitCode = 1
  }
}
