/**
 * `npm run build -w packages/web`: builds the dashboard, unless what is there was built from the same sources.
 *
 * `npm start` runs it first. A failed build does not keep the server from starting: the failure is logged, and the server
 * shows a page that says so.
 */
import { hash } from "node:crypto"
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { brotliCompressSync, gzipSync } from "node:zlib"

const root = import.meta.dirname
const marker = join(root, "dist/site.sources")

const sources = globSync(["app/**/*", "public/**/*", "index.html", "vite.config.ts", "build.ts", "package.json"], {
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

/** Writes the compressed forms of a file next to it, from which the server answers. */
const compress = (file: string): void => {
  const content = readFileSync(file)
  writeFileSync(`${file}.br`, brotliCompressSync(content))
  writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }))
}

const isBuilt = existsSync(join(root, "dist/site/index.html")) && existsSync(marker)

if (!isBuilt || readFileSync(marker, "utf8") !== state) {
  try {
    const { build } = await import("vite")
    await build({ root, logLevel: "warn" })
    for (const file of globSync("dist/site/**/*.{js,css,svg,json,webmanifest,txt}", { cwd: root }))
      compress(join(root, file))
    writeFileSync(marker, state)
  } catch (error) {
    console.error(`The dashboard could not be built: ${error instanceof Error ? error.message : String(error)}`)
    if (!process.argv.includes("--start")) process.exitCode = 1
  }
}
