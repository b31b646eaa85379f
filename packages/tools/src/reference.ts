/**
 * `npm run reference`: writes the pages of `docs/reference` that follow from the code. With `--check` it writes nothing,
 * and fails where a page is not what it would write.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Conformance } from "@lazaret/store-conformance"
import { openApiDocument } from "@lazaret/api"
import { CommandReference, Lazaret } from "@lazaret/cli"
import { KnownFormat } from "@lazaret/ingest"
import { SettingsReference } from "@lazaret/server"
import { commands } from "@lazaret/server/commands"
import * as FormatsPage from "./reference/FormatsPage.ts"
import * as HttpPage from "./reference/HttpPage.ts"
import * as PackagesPage from "./reference/PackagesPage.ts"
import * as StorePage from "./reference/StorePage.ts"
import * as Workspace from "./Workspace.ts"

const published = Workspace.packages().filter(({ manifest }) => manifest.private !== true)

const commandLine = join(Workspace.root, "docs/reference/command-line.md")

const pages = new Map([
  // The description is JSON by its nature; the page reads it as such.
  ["http.md", HttpPage.make(JSON.parse(JSON.stringify(openApiDocument())) as HttpPage.Description)],
  ["command-line.md", CommandReference.page(textOf(commandLine) ?? "", Lazaret.commandWith(commands))],
  ["configuration.md", SettingsReference.page(textOf(join(Workspace.root, "docs/reference/configuration.md")) ?? "")],
  ["formats.md", FormatsPage.make(KnownFormat.all)],
  ["store-contract.md", StorePage.make(Conformance.cases)],
  ["packages.md", PackagesPage.make(published)]
])

const folder = join(Workspace.root, "docs/reference")
const isCheck = process.argv.includes("--check")
const stale = [...pages].filter(([path, text]) => textOf(join(folder, path)) !== text).map(([path]) => path)

function textOf(path: string): string | null {
  return existsSync(path) ? readFileSync(path, "utf8") : null
}

if (isCheck) {
  for (const path of stale) {
    console.error(`docs/reference/${path}:1 is not what the code says: run "npm run reference"`)
  }
  process.exitCode = stale.length === 0 ? 0 : 1
} else {
  for (const [path, text] of pages) {
    writeFileSync(join(folder, path), text)
  }
}
console.log(`${pages.size} pages of reference, ${stale.length} ${isCheck ? "stale" : "written"}`)
