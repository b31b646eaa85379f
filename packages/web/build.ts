/**
 * `npm run build -w packages/web`: builds the dashboard, unless what is there was built from the same sources.
 *
 * `npm start` runs it first. It must never keep a server from starting: what went wrong is told, and the server shows a
 * page that says so.
 */
import { hash } from "node:crypto"
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const root = import.meta.dirname
const marker = join(root, "dist/site.sources")

const sources = globSync(["app/**/*", "public/**/*", "index.html", "vite.config.ts", "package.json"], {
  cwd: root,
  withFileTypes: true
})
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name))
  .sort()

const state = hash(
  "sha256",
  sources.map((file) => `${file.slice(root.length)}\0${hash("sha256", readFileSync(file))}\n`).join("")
)

const isBuilt = existsSync(join(root, "dist/site/index.html")) && existsSync(marker)

if (!isBuilt || readFileSync(marker, "utf8") !== state) {
  try {
    const { build } = await import("vite")
    await build({ root, logLevel: "warn" })
    writeFileSync(marker, state)
  } catch (error) {
    console.error(`The dashboard could not be built: ${error instanceof Error ? error.message : String(error)}`)
    if (!process.argv.includes("--start")) process.exitCode = 1
  }
}
