/** The names of a source that hold a word which the prose avoids as well. */
import { parseSync, Visitor } from "rolldown/utils"
import type { TextFile } from "../Workspace.ts"

/** A name, the line on which it comes first, and what to write instead. */
export interface Name {
  readonly line: number
  readonly name: string
  readonly instead: string
}

/** Words of names, with the words of the field. */
const words: ReadonlyArray<readonly [RegExp, string]> = [
  [/^(?:tell|tells|told|telling)$/u, "append, report, show"],
  [/^(?:obey|obeys|obeyed)$/u, "run"],
  [/^(?:wish|wishes|wished)$/u, "request"],
  [/^(?:oust|ousts|ousted)$/u, "remove"],
  [/^vain$/u, "permanent"],
  [/^heard$/u, "received"],
  [/^mover$/u, "trigger"],
  [/^anew$/u, "again"]
]

/** Yields each name to avoid of a source once: of variables, functions, types, fields and methods. */
export const avoided = ({ path, text }: TextFile): ReadonlyArray<Name> => {
  const found = new Map<string, Name>()
  const add = ({ name, start }: { readonly name: string; readonly start: number }) => {
    const instead = found.has(name) ? undefined : insteadOf(name)
    if (instead !== undefined) found.set(name, { line: text.slice(0, start).split("\n").length, name, instead })
  }
  new Visitor({ Identifier: add }).visit(parseSync(path, text).program)
  return [...found.values()]
}

const insteadOf = (name: string): string | undefined =>
  name
    .replaceAll(/([\p{Ll}\d])(\p{Lu})/gu, "$1 $2")
    .toLowerCase()
    .split(/[\s_]+/u)
    .flatMap((part) => words.flatMap(([word, instead]) => (word.test(part) ? [instead] : [])))[0]
