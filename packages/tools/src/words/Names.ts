/** The names of a source that hold a word which the prose avoids as well. */
import { parseSync, Visitor } from "rolldown/utils"
import type { TextFile } from "../Workspace.ts"

/** A name, the line on which it comes first, and what to write instead. */
export interface Name {
  readonly line: number
  readonly name: string
  readonly instead: string
}

/** What to write instead of each word of names. */
const words: ReadonlyMap<string, string> = new Map(
  (
    [
      ["tell tells told telling", "append, report, show"],
      ["obey obeys obeyed", "run"],
      ["wish wishes wished", "request"],
      ["oust ousts ousted", "remove"],
      ["vain", "permanent"],
      ["heard", "received"],
      ["mover", "trigger"],
      ["anew", "again"]
    ] as const
  ).flatMap(([avoid, instead]) => avoid.split(" ").map((word) => [word, instead] as const))
)

/** Finds the letters of such a word: most sources have none, and need no parsing. */
const letters = new RegExp([...words.keys()].join("|"), "iu")

/** Yields each name to avoid of a source once: of variables, functions, types, fields and methods. */
export const avoided = ({ path, text }: TextFile): ReadonlyArray<Name> => {
  if (!letters.test(text)) return []
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
    .map((part) => words.get(part))
    .find((instead) => instead !== undefined)
