/**
 * `npm run published`: refuses a package that others could not install and import. It reads what `npm run build` left.
 */
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

for (const each of problems.flat()) console.error(each)
console.log(`${packages.length} packages, ${problems.flat().length} problems`)
process.exitCode = problems.flat().length === 0 ? 0 : 1
