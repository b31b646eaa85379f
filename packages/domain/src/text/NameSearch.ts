/**
 * The text that people type to find a test: parts of its name, in any order, in any case.
 *
 * The patterns of the interface (`Glob`) match whole names and tell upper from lower case. This search is for the dashboard and
 * the command line (our choice, see `docs/explanation/what-is-not-specified.md`).
 */
import * as Glob from "./Glob.ts"

/**
 * Whether a name is found, for a search that was compiled once.
 *
 * **Details**
 *
 * - The words of the search are separated by white space. Each must occur somewhere in the name.
 * - A word that begins with `!` must not occur.
 * - In a word with `*` or `?` these stand for any text and for one character.
 * - Upper and lower case are the same (Unicode, whatever the locale). A search without words finds every name.
 *
 * @example
 * ```ts
 * import { NameSearch } from "@lazaret/domain"
 *
 * const isFound = NameSearch.compile("cart add*item !slow")
 * isFound("Cart > adds an Item") // => true
 * isFound("Cart > adds an item, slowly") // => false
 * ```
 */
export const compile = (search: string): ((name: string) => boolean) => {
  const words = search.toLowerCase().split(/\s+/u)
  const wanted = words.filter((word) => word !== "" && !isExcluded(word)).map(occurs)
  const unwanted = words
    .filter(isExcluded)
    .map((word) => word.slice(1))
    .filter((word) => word !== "")
    .map(occurs)
  if (wanted.length + unwanted.length === 0) return () => true
  return (name) => {
    const folded = name.toLowerCase()
    return wanted.every((each) => each(folded)) && !unwanted.some((each) => each(folded))
  }
}

const isExcluded = (word: string): boolean => word.startsWith("!")

const occurs = (word: string): ((folded: string) => boolean) =>
  Glob.isLiteral(word) ? (folded) => folded.includes(word) : Glob.compile(`*${word}*`)
