/** The imports of a source file, read with a real parser. */
import { parseSync, Visitor } from "rolldown/utils"
import type { TextFile } from "../Workspace.ts"

/**
 * One import of one module: `import`, `export … from`, `import()` or the type `import("…")`.
 *
 * **Details**
 *
 * `names` are the imported names; `"*"` stands for all of them. `specifier` is null when a dynamic import computes it.
 * `isType` says that the whole import is gone when the program runs, `isDynamic` that it is an `import()`.
 */
export interface ModuleImport {
  readonly specifier: string | null
  readonly names: ReadonlyArray<string>
  readonly line: number
  readonly isType: boolean
  readonly isDynamic: boolean
}

/**
 * The imports of a file in the order of the text, types included.
 *
 * **Gotchas**
 *
 * A file that does not parse is a defect: the type check reports it better.
 */
export const ofFile = (file: TextFile): ReadonlyArray<ModuleImport> => {
  const found: Array<{ readonly at: number } & Omit<ModuleImport, "line">> = []
  const add = (at: number, specifier: string | null, names: ReadonlyArray<string>, is: Kind = {}) =>
    found.push({ at, specifier, names, isType: is.type === true, isDynamic: is.dynamic === true })

  const { errors, program } = parseSync(file.path, file.text)
  const error = errors[0]
  if (error !== undefined) throw new Error(`${file.path}: ${error.message}`)

  new Visitor({
    ImportDeclaration: (node) =>
      add(
        node.start,
        node.source.value,
        node.specifiers.map((each) => (each.type === "ImportSpecifier" ? nameOf(each.imported) : star(each.type))),
        { type: node.importKind === "type" }
      ),
    ExportNamedDeclaration: (node) => {
      if (node.source === null) return
      add(
        node.start,
        node.source.value,
        node.specifiers.map((each) => nameOf(each.local)),
        { type: node.exportKind === "type" }
      )
    },
    ExportAllDeclaration: (node) => add(node.start, node.source.value, ["*"], { type: node.exportKind === "type" }),
    ImportExpression: (node) => add(node.start, literal(node.source), ["*"], { dynamic: true }),
    TSImportType: (node) => {
      const { qualifier } = node
      add(node.start, node.source.value, [qualifier === null ? "*" : firstName(file.text, qualifier)], { type: true })
    }
  }).visit(program)

  return found.sort((a, b) => a.at - b.at).map(({ at, ...each }) => ({ ...each, line: lineAt(file.text, at) }))
}

/**
 * The package that a bare specifier names: `@scope/name/path` → `@scope/name`. Null for a relative path or a `node:` module.
 */
export const packageOf = (specifier: string): string | null => {
  if (isRelative(specifier) || specifier.startsWith("node:")) return null
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/")
}

/** Whether a specifier is a path from the importing file. */
export const isRelative = (specifier: string): boolean => specifier.startsWith(".") || specifier.startsWith("/")

/** The line, counted from 1, of a position in a text. */
export const lineAt = (text: string, position: number): number => text.slice(0, position).split("\n").length

type Kind = { readonly type?: boolean; readonly dynamic?: boolean }

type Name = { readonly type: string; readonly name?: string; readonly value?: unknown }

const nameOf = (node: Name): string => node.name ?? String(node.value)

const star = (type: string): string => (type === "ImportDefaultSpecifier" ? "default" : "*")

const literal = (node: { readonly type: string; readonly value?: unknown }): string | null =>
  typeof node.value === "string" ? node.value : null

const firstName = (text: string, span: { readonly start: number; readonly end: number }): string =>
  text.slice(span.start, span.end).split(".", 1).join("")
