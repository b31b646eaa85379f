/** `npm run boundaries`: refuses an import or a dependency that crosses a wall of the architecture. */
import { violations } from "./boundaries/Boundaries.ts"
import { toLine } from "./boundaries/Violation.ts"
import * as Workspace from "./Workspace.ts"

const packages = Workspace.packages()
const found = violations(packages, Workspace.manifest("."))
const count = packages.reduce((sum, each) => sum + each.sources.length + each.tests.length, 0)

for (const each of found) console.error(toLine(each))
console.log(`${count} files of ${packages.length} packages, ${found.length} violations`)
process.exitCode = found.length === 0 ? 0 : 1
