/**
 * `npm run published`: refuses a package that others could not install and import. It reads what `npm run build` left.
 */
import { statSync } from "node:fs"
import { join } from "node:path"
import { publint } from "publint"
import { formatMessage } from "publint/utils"
import * as Workspace from "./Workspace.ts"

const packages = Workspace.packages().filter((each) => each.manifest.private !== true)

const problems = await Promise.all(
  packages.map(async ({ folder }) => {
    const { messages, pkg } = await publint({
      pkgDir: join(Workspace.root, "packages", folder),
      level: "warning",
      strict: true
    })
    return messages.map(
      (message) => `packages/${folder}/package.json:1 ${formatMessage(message, pkg, { color: false })}`
    )
  })
)

/** What CI jobs load from a server is part of the package of the command line. */
const singleFile = "packages/cli/dist/lazaret.mjs"
const size = statSync(join(Workspace.root, singleFile), { throwIfNoEntry: false })?.size
if (size === undefined) problems.push([`${singleFile} does not exist: run npm run build`])
else if (size >= 1_500_000) problems.push([`${singleFile} has ${size} bytes: at most 1,500,000 are allowed`])

for (const each of problems.flat()) console.error(each)
console.log(`${packages.length} packages, ${problems.flat().length} problems`)
process.exitCode = problems.flat().length === 0 ? 0 : 1
