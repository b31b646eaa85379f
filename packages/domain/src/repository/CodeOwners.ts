/**
 * CODEOWNERS: the owners of the files of a repository, in the dialects of GitHub and of GitLab.
 *
 * A path is matched segment by segment in time proportional to its length times that of the pattern: no pattern can slow the
 * server down. See `docs/decisions/0039-code-owners.md`.
 */
import * as Glob from "../listing/Glob.ts"

/** The platform whose rules a file follows. */
export type Dialect = "github" | "gitlab"

/** The places in which a platform looks for the file; the first one that exists counts. */
export const paths: { readonly [D in Dialect]: ReadonlyArray<string> } = {
  github: [".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS"],
  gitlab: ["CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS"]
}

/** Larger files are ignored, as GitHub does: 3 MB. */
export const mostCharacters = 3_000_000

/** A part of a pattern: a matcher of one segment, or any number of segments, none included. */
type Segment = Glob.Matcher | "any"

interface Rule {
  readonly segments: ReadonlyArray<Segment>
  readonly owners: ReadonlyArray<string>
  /** Takes its files out of the section (GitLab, `!pattern`). */
  readonly isExclusion: boolean
}

/** A parsed file: the rules of each section, in the order of the file. Only GitLab has more than one section. */
export interface CodeOwners {
  readonly sections: ReadonlyArray<ReadonlyArray<Rule>>
}

/** No rules: no file has owners. */
export const none: CodeOwners = { sections: [] }

/** The number of rules. */
export const count = ({ sections }: CodeOwners): number => sections.reduce((sum, rules) => sum + rules.length, 0)

/**
 * The rules of a text.
 *
 * **Details**
 *
 * - Lines that a platform ignores are ignored: comments, and at GitHub whole lines with `!`, with `[` or with a word that is
 *   not an owner. GitLab ignores the word alone.
 * - GitHub: a pattern without a slash before its end matches at every depth, others from the root; a pattern that names a
 *   folder matches everything in it, `folder/*` its direct children only.
 * - GitLab: a pattern without a leading slash matches at every depth; only `folder/` matches what is in a folder. An entry
 *   without owners has those of its section.
 *
 * **Gotchas**
 *
 * `[a-z]` in a pattern of GitLab stands for itself, and a backslash escapes spaces and `#` only.
 */
export const parse = (text: string, dialect: Dialect): CodeOwners => {
  if (text.length > mostCharacters) return none
  const lines = text.split(/\r\n|\r|\n/u).map((line) => line.trim())
  return { sections: dialect === "github" ? [lines.flatMap(gitHubRule)] : gitLabSections(lines) }
}

/**
 * The owners of a file, each once, in the order of the file: those of the last rule that matches in each section.
 *
 * **Details**
 *
 * `path` starts at the root of the repository and has slashes between its parts. A path of another place has no owners.
 *
 * @example
 * ```ts
 * import { CodeOwners } from "@lazaret/domain"
 *
 * const owners = CodeOwners.parse("*.ts @acme/web\n/packages/db/ @acme/data", "github")
 * CodeOwners.ownersOf(owners, "src/cart.ts") // => ["@acme/web"]
 * CodeOwners.ownersOf(owners, "packages/db/src/pool.ts") // => ["@acme/data"]
 * CodeOwners.ownersOf(owners, "README.md") // => []
 * ```
 */
export const ownersOf = ({ sections }: CodeOwners, path: string): ReadonlyArray<string> => {
  const parts = path.replace(/^\.\//u, "").split("/")
  if (parts.some((part) => part === "" || part === "." || part === "..")) return []
  return [...new Set(sections.flatMap((rules) => ownersIn(rules, parts)))]
}

const ownersIn = (rules: ReadonlyArray<Rule>, parts: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (rules.some(({ isExclusion, segments }) => isExclusion && isMatch(segments, parts))) return []
  return rules.findLast(({ isExclusion, segments }) => !isExclusion && isMatch(segments, parts))?.owners ?? []
}

// --- lines -------------------------------------------------------------------------------------------------------

/** The words of a line; a space after a backslash belongs to its word. */
const wordsOf = (line: string): ReadonlyArray<string> => {
  const words = line.match(/(?:\\.|[^\s\\])+/gu) ?? []
  const comment = words.findIndex((word) => word.startsWith("#"))
  return comment < 0 ? words : words.slice(0, comment)
}

const isOwner = (word: string): boolean => /^@[\w.@/-]+$|^[^\s@]+@[^\s@]+\.[^\s@]+$/u.test(word)

const unescaped = (pattern: string): string => pattern.replaceAll(/\\([ #])/gu, "$1")

const gitHubRule = (line: string): ReadonlyArray<Rule> => {
  const [pattern, ...owners] = wordsOf(line)
  if (pattern === undefined || /^!|[[\]]/u.test(pattern) || !owners.every(isOwner)) return []
  return [{ segments: gitHubSegments(unescaped(pattern)), owners, isExclusion: false }]
}

/** `[Name]`, `^[Optional name]`, `[Name][2]`: the name, and the owners of entries that name none. */
const heading = /^\^?\[([^\]]+)\](?:\[\d+\])?(?:\s+(.*))?$/u

const gitLabSections = (lines: ReadonlyArray<string>): CodeOwners["sections"] => {
  // Sections of one name are one section, whatever its case.
  const sections = new Map<string, Array<Rule>>()
  let current: Array<Rule> = []
  let inherited: ReadonlyArray<string> = []
  sections.set("", current)
  for (const line of lines) {
    const [, name, owners = ""] = heading.exec(line) ?? []
    if (name === undefined) {
      current.push(...gitLabRule(line, inherited))
    } else {
      current = sections.get(name.toLowerCase()) ?? []
      sections.set(name.toLowerCase(), current)
      inherited = wordsOf(owners).filter(isOwner)
    }
  }
  return [...sections.values()]
}

const gitLabRule = (line: string, inherited: ReadonlyArray<string>): ReadonlyArray<Rule> => {
  const [first, ...words] = wordsOf(line)
  if (first === undefined) return []
  const isExclusion = first.startsWith("!")
  const own = words.filter(isOwner)
  const segments = gitLabSegments(unescaped(isExclusion ? first.slice(1) : first))
  return [{ segments, owners: own.length === 0 ? inherited : own, isExclusion }]
}

// --- patterns ----------------------------------------------------------------------------------------------------

const one: Glob.Matcher = () => true

/** Everything in a folder, not the folder itself. */
const inside: ReadonlyArray<Segment> = [one, "any"]

const segmentsOf = (names: ReadonlyArray<string>): ReadonlyArray<Segment> =>
  names.flatMap((name, index): ReadonlyArray<Segment> => {
    if (name === "**") return index === names.length - 1 ? inside : ["any"]
    return [name === "*" ? one : Glob.compile(name)]
  })

/** The names between the slashes of a pattern; a folder ends with `**`. */
const namesOf = (pattern: string): ReadonlyArray<string> => {
  const names = pattern.split("/").filter((name) => name !== "")
  return pattern.endsWith("/") ? [...names, "**"] : names
}

const gitHubSegments = (pattern: string): ReadonlyArray<Segment> => {
  const names = namesOf(pattern)
  const isAnchored = pattern.slice(0, -1).includes("/")
  const last = names.at(-1)
  const segments = segmentsOf(names)
  const below: ReadonlyArray<Segment> = last === "*" || last === "**" ? [] : ["any"]
  return isAnchored ? [...segments, ...below] : ["any", ...segments, ...below]
}

const gitLabSegments = (pattern: string): ReadonlyArray<Segment> => {
  const segments = segmentsOf(namesOf(pattern))
  return pattern.startsWith("/") ? segments : ["any", ...segments]
}

/** One walk over the parts, back to the latest "any" where it fails: earlier ones need no retry. */
const isMatch = (segments: ReadonlyArray<Segment>, parts: ReadonlyArray<string>): boolean => {
  let at = 0
  let next = 0
  let latest = -1
  let resume = 0
  while (at < parts.length) {
    const segment = segments[next]
    if (segment === "any") {
      latest = next
      resume = at
      next += 1
    } else if (segment !== undefined && segment(parts[at] ?? "")) {
      at += 1
      next += 1
    } else {
      if (latest < 0) return false
      resume += 1
      at = resume
      next = latest + 1
    }
  }
  return segments.slice(next).every((segment) => segment === "any")
}
