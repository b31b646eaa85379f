/**
 * The pages on packages: every public module, and the first sentence on each of its exports.
 *
 * @since 0.1.0
 */
import { posix } from "node:path"
import type { Package, TextFile } from "../Workspace.ts"
import * as Markdown from "./Markdown.ts"

/**
 * The list of packages.
 *
 * @category constructors
 * @since 0.1.0
 */
export const index = (packages: ReadonlyArray<Package>): string =>
  Markdown.page([
    "# Packages",
    Markdown.generated,
    Markdown.table(
      ["Package", "Holds"],
      packages.map(({ folder, manifest }) => [`[\`${manifest.name}\`](${folder}.md)`, manifest.description ?? ""])
    )
  ])

/**
 * The page on one package.
 *
 * **Details**
 *
 * A module is public when the package's `index.ts` exports it. What is said of it is the first paragraph of its comment;
 * details, laws and examples stand with the code, where editors show them.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = ({ folder, manifest, sources }: Package): string => {
  const entries = sources.filter(({ path }) => /^packages\/[^/]+\/src\/(?:testing\/)?index\.ts$/.test(path))
  const modules = entries.flatMap((entry) => exportedBy(entry, sources))
  return Markdown.page([
    `# ${manifest.name}`,
    Markdown.generated,
    `${manifest.description ?? ""} [Source](../../../packages/${folder}/src).`,
    ...modules.flatMap(sectionOf)
  ])
}

interface Module {
  readonly name: string
  readonly from: string
  readonly file: TextFile
}

const exportedBy = (entry: TextFile, sources: ReadonlyArray<TextFile>): ReadonlyArray<Module> => {
  const from = entry.path.includes("/testing/") ? "testing" : ""
  return [...entry.text.matchAll(/^export (?:type )?(?:\* as (\w+)|\*|\{[^}]*\}) from "(\.[^"]+)"/gm)].flatMap(
    ([, namespace, specifier = ""]) => {
      const path = posix.join(posix.dirname(entry.path), specifier)
      const file = sources.find((each) => each.path === path)
      const name = namespace ?? posix.basename(path, ".ts")
      return file === undefined ? [] : [{ name, from, file }]
    }
  )
}

const sectionOf = ({ file, from, name }: Module): ReadonlyArray<string> => {
  const found = documented(file.text)
  const rows = found.map((each) => [Markdown.code(each.name), each.category, each.sentence])
  const head = `## ${name}${from === "" ? "" : ` (${from})`}`
  return [
    head,
    firstParagraph(/^\/\*\*([\s\S]*?)\*\//.exec(file.text)?.[1] ?? ""),
    rows.length === 0 ? "" : Markdown.table(["Export", "Kind", "What it is"], rows)
  ]
}

interface Documented {
  readonly name: string
  readonly category: string
  readonly sentence: string
}

/** A schema and the type of the same name are one concept: the first of them stands for both. */
const documented = (text: string): ReadonlyArray<Documented> => {
  const pattern =
    /\/\*\*((?:(?!\*\/)[\s\S])*?)\*\/\s*export (?:declare )?(?:abstract )?(?:const|function\*?|class|interface|type) (\w+)/g
  const all = [...text.matchAll(pattern)].map(([, comment = "", name = ""]) => ({
    name,
    category: /@category ([\w ]+)/.exec(comment)?.[1]?.trim() ?? "",
    sentence: firstParagraph(comment)
  }))
  return all.filter((each, position) => all.findIndex(({ name }) => name === each.name) === position)
}

const firstParagraph = (comment: string): string => {
  const lines = comment.split("\n").map((line) => line.replace(/^\s*\* ?/, "").trimEnd())
  const [paragraph = ""] = lines.join("\n").trim().split("\n\n")
  return paragraph.startsWith("@") ? "" : paragraph.replace(/\{@link (\w+)\}/g, "`$1`").replaceAll("\n", " ")
}
