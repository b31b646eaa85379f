/**
 * Readings of the system clock that the linter has no rule for.
 *
 * `Date.now`, `Math.random` and `process` are refused by the linter (`.oxlintrc.json`). It cannot tell `new Date()`, which
 * reads the clock, from `new Date(at)`, which does not.
 */
import { parseSync, Visitor } from "rolldown/utils"
import type { TextFile } from "../Workspace.ts"
import { lineAt } from "./ModuleImport.ts"
import type { Violation } from "./Violation.ts"

/** Every `new Date()` and `Date()` of a file. */
export const readings = (file: TextFile): ReadonlyArray<Violation> => {
  const found: Array<Violation> = []
  const add = (start: number) =>
    found.push({
      path: file.path,
      line: lineAt(file.text, start),
      message: "reads the clock: pure code takes the time as an argument"
    })
  new Visitor({
    NewExpression: (node) => {
      if (isDate(node.callee) && node.arguments.length === 0) add(node.start)
    },
    CallExpression: (node) => {
      if (isDate(node.callee)) add(node.start)
    }
  }).visit(parseSync(file.path, file.text).program)
  return found
}

const isDate = (node: { readonly type: string; readonly name?: unknown }): boolean =>
  node.type === "Identifier" && node.name === "Date"
