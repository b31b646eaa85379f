/**
 * `npm run runners`: runs the test runners of the page docs/how-to/runners.md with the settings of the page, and reads what they
 * write.
 *
 * A runner that this machine does not have is named and passed over. `npm run runners -- vitest pytest` runs these only.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as Page from "./runners/Page.ts"
import * as Trial from "./runners/Trial.ts"
import { samples } from "./runners/samples.ts"
import * as Workspace from "./Workspace.ts"

const path = "docs/how-to/runners.md"
const sections = Page.sections(readFileSync(join(Workspace.root, path), "utf8"))
const asked = process.argv.slice(2)
const chosen = samples.filter(({ name }) => asked.length === 0 || asked.includes(name))
const outcomes = chosen.map((sample) => Trial.run(sample, Page.sectionOf(sections, sample.title)))

for (const { line } of outcomes) console.log(line)
const count = (kind: Trial.Outcome["kind"]): number => outcomes.filter((each) => each.kind === kind).length
console.log(`${count("passed")} runners passed, ${count("failed")} failed, ${count("absent")} not on this machine`)
process.exitCode = count("failed") === 0 && outcomes.length > 0 ? 0 : 1
