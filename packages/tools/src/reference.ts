/**
 * `npm run reference`: writes the files that are generated from the code: pages of `docs/reference`, and the policies of the
 * settings form. With `--check` it writes nothing, and fails where a file differs from what it would write.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Conformance, DriverCases, RuleCases } from "@lazaret/store-conformance"
import { openApiDocument } from "@lazaret/api"
import { CommandReference, Lazaret } from "@lazaret/cli"
import { SettingsChange } from "@lazaret/domain"
import { KnownFormat } from "@lazaret/ingest"
import { SettingsReference } from "@lazaret/server"
import { commands } from "@lazaret/server/commands"
import * as AccessPage from "./reference/AccessPage.ts"
import * as FormatsPage from "./reference/FormatsPage.ts"
import * as HttpPage from "./reference/HttpPage.ts"
import * as LimitsPage from "./reference/LimitsPage.ts"
import * as PackagesPage from "./reference/PackagesPage.ts"
import * as QueuePage from "./reference/QueuePage.ts"
import * as Policies from "./reference/Policies.ts"
import * as StorePage from "./reference/StorePage.ts"
import * as Workspace from "./Workspace.ts"

const published = Workspace.packages().filter(({ manifest }) => manifest.private !== true)

const commandLine = "docs/reference/command-line.md"
const configuration = "docs/reference/configuration.md"

// A broken engine alone does not test its law.
const tests = Workspace.files(["packages/{queue,services,forge-github,forge-gitlab,server}/test/**/*.ts"]).filter(
  ({ path }) => !path.endsWith("/Mutant.ts")
)

// The description is JSON by its nature; the pages read it as such.
const openApi = JSON.parse(JSON.stringify(openApiDocument())) as HttpPage.Description

const pages = new Map([
  ["docs/reference/http.md", HttpPage.make(openApi)],
  ["docs/reference/access.md", AccessPage.make()],
  [commandLine, CommandReference.page(textOf(commandLine) ?? "", Lazaret.commandWith(commands))],
  [configuration, SettingsReference.page(textOf(configuration) ?? "")],
  ["docs/reference/formats.md", FormatsPage.make(KnownFormat.all)],
  ["docs/reference/limits.md", LimitsPage.make(openApi)],
  ["docs/reference/policies.md", Policies.page(SettingsChange.policies)],
  [
    "docs/reference/store-contract.md",
    StorePage.make({
      driver: DriverCases.cases,
      executions: Conformance.cases,
      rules: RuleCases.cases
    })
  ],
  ["docs/reference/merge-queue-tests.md", QueuePage.make(tests)],
  ["docs/reference/packages.md", PackagesPage.make(published)],
  ["packages/web/app/pages/repository/settings/policies.json", Policies.form(SettingsChange.policies)]
])

const isCheck = process.argv.includes("--check")
const stale = [...pages].filter(([path, text]) => textOf(path) !== text).map(([path]) => path)

function textOf(path: string): string | null {
  const file = join(Workspace.root, path)
  return existsSync(file) ? readFileSync(file, "utf8") : null
}

const untested = QueuePage.untested(tests)
for (const number of untested) console.error(`packages/queue/test:1 no test names ${number} of the merge queue`)

if (isCheck) {
  for (const path of stale) {
    console.error(`${path}:1 differs from the code: run "npm run reference"`)
  }
} else {
  for (const [path, text] of pages) {
    writeFileSync(join(Workspace.root, path), text)
  }
}
console.log(`${pages.size} generated files, ${stale.length} ${isCheck ? "stale" : "written"}`)
if (untested.length > 0 || (isCheck && stale.length > 0)) process.exitCode = 1
