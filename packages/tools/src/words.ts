/**
 * `npm run words`: refuses a word of `words/vocabulary.yml`, a name with such a word, a command of another's package in a page, and an
 * opening without a subject, where an area has more of them than `words/allowed.json` allows. `--lower` writes the counts that were reached into that file; `--list [path]` prints every place.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { TextlintKernel } from "@textlint/kernel"
import markdown from "@textlint/textlint-plugin-markdown"
import plainText from "@textlint/textlint-plugin-text"
import prh from "textlint-rule-prh"
import * as Commands from "./words/Commands.ts"
import * as Names from "./words/Names.ts"
import * as Openings from "./words/Openings.ts"
import * as Prose from "./words/Prose.ts"
import * as Ratchet from "./words/Ratchet.ts"
import * as Workspace from "./Workspace.ts"

const vocabulary = fileURLToPath(new URL("words/vocabulary.yml", import.meta.url))
const allowedFile = new URL("words/allowed.json", import.meta.url)

const kernel = new TextlintKernel()

const faultsOf = async (file: Workspace.TextFile): Promise<ReadonlyArray<Fault>> => {
  const isMarkdown = file.path.endsWith(".md")
  const { messages } = await kernel.lintText(Prose.of(file), {
    filePath: file.path,
    ext: isMarkdown ? ".md" : ".txt",
    plugins: [
      { pluginId: "markdown", plugin: markdown.default },
      { pluginId: "text", plugin: plainText.default }
    ],
    rules: [{ ruleId: "prh", rule: prh.default, options: { rulePaths: [vocabulary] } }]
  })
  return messages.map(({ loc, message }) => ({
    area: areaOf(file.path),
    line: `${file.path}:${loc.start.line}:${loc.start.column} ${message}`
  }))
}

interface Fault {
  readonly area: string
  readonly line: string
}

/** The top folder that a path belongs to; the pages at the top are one area. */
const areaOf = (path: string): string => (path.includes("/") ? path.slice(0, path.indexOf("/")) : "pages at the top")

const files = Workspace.files(["*.md", "{docs,examples}/**/*.{md,ts}", "packages/**/*.{md,ts,tsx}"]).filter(
  // The vocabulary's own words, and recorded input of other programs.
  ({ path }) => !path.includes("/fixtures/") && !path.startsWith("packages/tools/src/words/")
)

/** The lines of a page that run a package of the registry that is not ours. */
const foreignOf = ({ path, text }: Workspace.TextFile): ReadonlyArray<Fault> =>
  Commands.foreign(path.endsWith(".md") ? text : "").map((line) => ({
    area: areaOf(path),
    line: `${path}:${line}:1 runs a package that is not ours`
  }))

/** The lines of a source on which a docstring or a test title begins without its subject. */
const openingsOf = (file: Workspace.TextFile): ReadonlyArray<Fault> =>
  (file.path.endsWith(".md") ? [] : Openings.withoutSubject(file)).map((line) => ({
    area: areaOf(file.path),
    line: `${file.path}:${line}:1 begins without its subject`
  }))

/** The names of a source that hold a word to avoid; the names of each package are an area. */
const namesOf = (file: Workspace.TextFile): ReadonlyArray<Fault> =>
  (file.path.endsWith(".md") ? [] : Names.avoided(file)).map(({ instead, line, name }) => ({
    area: `names of ${file.path.split("/").slice(0, 2).join("/")}`,
    line: `${file.path}:${line}:1 ${name}: ${instead}`
  }))

const faults = [
  ...(await Promise.all(files.map(faultsOf))).flat(),
  ...files.flatMap(foreignOf),
  ...files.flatMap(openingsOf),
  ...files.flatMap(namesOf)
]
const found: Ratchet.Counts = Object.fromEntries(
  [...Map.groupBy(faults, ({ area }) => area)].map(([area, those]) => [area, those.length] as const)
)
// The file is written by this program.
const allowed = JSON.parse(readFileSync(allowedFile, "utf8")) as Ratchet.Counts

const [flag, prefix = ""] = process.argv.slice(2)
if (flag === "--list") for (const { line } of faults) if (line.startsWith(prefix)) console.log(line)
if (flag === "--lower") {
  writeFileSync(allowedFile, `${JSON.stringify(Ratchet.lowered(allowed, found), null, 2)}\n`)
} else {
  const exceeded = Ratchet.exceeded(allowed, found)
  for (const each of exceeded) {
    console.error(`${each.area}: ${each.found} words to avoid, ${each.allowed} allowed (npm run words -- --list)`)
  }
  process.exitCode = exceeded.length === 0 ? 0 : 1
}
console.log(`${files.length} files, ${faults.length} words to avoid`)
