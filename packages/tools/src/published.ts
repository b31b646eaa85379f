/**
 * `npm run published`: refuses a package that others could not install and import. It packs every public package as npm would
 * publish it, and reads what the tarball would hold.
 */
import { spawnSync } from "node:child_process"
import { statSync } from "node:fs"
import { join } from "node:path"
import { publint } from "publint"
import { formatMessage } from "publint/utils"
import * as Tarball from "./published/Tarball.ts"
import * as Workspace from "./Workspace.ts"

const packages = Workspace.packages().filter((each) => each.manifest.private !== true)
const { repository } = Workspace.manifest(".") as Tarball.Manifest
const url = repository?.url ?? "(the repository of the package.json at the top)"

/** The files that npm would pack, by the name of the package. Packing runs `prepack`, so that it builds what is missing. */
const packed = (): ReadonlyMap<string, ReadonlyArray<string>> => {
  const workspaces = packages.map(({ manifest }) => `--workspace=${manifest.name}`)
  const { status, stdout } = spawnSync("npm", ["pack", "--silent", "--dry-run", "--json", ...workspaces], {
    cwd: Workspace.root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    maxBuffer: 2 ** 26
  })
  if (status !== 0) throw new Error("npm pack failed")
  // What npm prints with --json.
  const entries = JSON.parse(stdout) as ReadonlyArray<{ name: string; files: ReadonlyArray<{ path: string }> }>
  return new Map(entries.map(({ files, name }) => [name, files.map(({ path }) => path)]))
}

const files = packed()

const problems = await Promise.all(
  packages.map(async ({ folder, manifest }) => {
    const directory = `packages/${folder}`
    const { messages, pkg } = await publint({
      pkgDir: join(Workspace.root, directory),
      level: "warning",
      strict: true
    })
    return [
      ...messages.map((message) => formatMessage(message, pkg, { color: false })),
      ...Tarball.problems({ manifest, files: files.get(manifest.name) ?? [] }, { url, directory })
    ].map((problem) => `${directory}/package.json:1 ${problem}`)
  })
)

/** The file that CI jobs load from a server, which is part of the package of the command line. */
const singleFile = "packages/cli/dist/lazaret.mjs"
const size = statSync(join(Workspace.root, singleFile), { throwIfNoEntry: false })?.size
if (size === undefined) problems.push([`${singleFile} does not exist: run npm run build`])
else if (size >= 1_500_000) problems.push([`${singleFile} has ${size} bytes: at most 1,500,000 are allowed`])

const required: ReadonlyArray<readonly [name: string, path: string]> = [
  ["@lazaret/cli", "dist/lazaret.mjs"],
  ["@lazaret/web", "dist/site/index.html"]
]
for (const [name, path] of required) {
  if (!(files.get(name) ?? []).includes(path)) problems.push([`${name}: the tarball lacks ${path}`])
}

for (const each of problems.flat()) console.error(each)
console.log(`${packages.length} packages, ${problems.flat().length} problems`)
process.exitCode = problems.flat().length === 0 ? 0 : 1
