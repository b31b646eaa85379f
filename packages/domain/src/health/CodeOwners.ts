/**
 * CODEOWNERS: the owners of the files of a repository, in the dialects of GitHub and of GitLab.
 *
 * A path is matched segment by segment in time proportional to its length times that of the pattern, and a path that takes
 * too many steps has no owners: no file can stop the server. See `docs/decisions/0039-code-owners.md`.
 */
import * as Glob from "../text/Glob.ts"

/** The platform whose rules a file follows. */
export type Dialect = "github" | "gitlab"

/** The places in which a platform looks for the file; the first one that exists counts. */
export const paths: { readonly [D in Dialect]: ReadonlyArray<string> } = {
  github: [".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS"],
  gitlab: ["CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS"]
}

/** Larger files are ignored, as GitHub does: 3 MB. */
export const mostCharacters = 3_000_000

/** The most characters of a path with owners: more than a file system has. */
const longestPath = 4096

/**
 * The most steps that the rules may take for one path: the usual rule takes one to ten, a wildcard at every depth of a deep
 * path about fifty (our choice, see `docs/decisions/0039-code-owners.md`).
 */
const stepsFor = (owners: CodeOwners): number => 50_000 + 100 * count(owners)

/** The steps that are left for a path. */
interface Steps {
  left: number
}

/** A part of a pattern: one segment of a path, or any number of segments, none included. */
type Segment = Name | "any"

/** `wildcards` is the length of a name with wildcards, 0 without. */
interface Name {
  readonly matches: Glob.Matcher
  readonly wildcards: number
}

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
 * `path` starts at the root of the repository and has slashes between its parts. A path of another place has no owners, nor
 * has one of more than 4,096 characters, or one that the rules take too many steps for.
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
export const ownersOf = (owners: CodeOwners, path: string): ReadonlyArray<string> => {
  if (path.length > longestPath) return []
  const parts = path.replace(/^\.\//u, "").split("/")
  if (parts.some((part) => part === "" || part === "." || part === "..")) return []
  const steps = { left: stepsFor(owners) }
  const found = owners.sections.flatMap((rules) => ownersIn(rules, parts, steps))
  return steps.left < 0 ? [] : [...new Set(found)]
}

const ownersIn = (rules: ReadonlyArray<Rule>, parts: ReadonlyArray<string>, steps: Steps): ReadonlyArray<string> => {
  const matches = ({ segments }: Rule): boolean => isMatch(segments, parts, steps)
  if (rules.some((rule) => rule.isExclusion && matches(rule))) return []
  return rules.findLast((rule) => !rule.isExclusion && matches(rule))?.owners ?? []
}

// --- lines -------------------------------------------------------------------------------------------------------

/** The words of a line; a space after a backslash belongs to its word. */
const wordsOf = (line: string): ReadonlyArray<string> => {
  const words = line.match(/(?:\\.|[^\s\\])+/gu) ?? []
  const comment = words.findIndex((word) => word.startsWith("#"))
  return comment < 0 ? words : words.slice(0, comment)
}

/** The most characters of an owner. The address of an e-mail takes time in proportion to the square of its length. */
const longestOwner = 255

const isOwner = (word: string): boolean =>
  word.length <= longestOwner && /^@[\w.@/-]+$|^[^\s@]+@[^\s@]+\.[^\s@]+$/u.test(word)

const unescaped = (pattern: string): string => pattern.replaceAll(/\\([ #])/gu, "$1")

const gitHubRule = (line: string): ReadonlyArray<Rule> => {
  const [pattern, ...owners] = wordsOf(line)
  if (pattern === undefined || /^!|[[\]]/u.test(pattern) || !owners.every(isOwner)) return []
  return [{ segments: gitHubSegments(unescaped(pattern)), owners, isExclusion: false }]
}

/** `[Name]`, `^[Optional name]`, `[Name][2]`: the name, and the owners of entries that name none. */
const heading = /^\^?\[([^\]]+)\](?:\[\d+\])?(?:\s(.*))?$/su

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

const one: Name = { matches: () => true, wildcards: 0 }

const named = (name: string): Name => ({
  matches: Glob.compile(name),
  wildcards: Glob.isLiteral(name) ? 0 : name.length
})

/** Everything in a folder, not the folder itself. */
const inside: ReadonlyArray<Segment> = [one, "any"]

const segmentsOf = (names: ReadonlyArray<string>): ReadonlyArray<Segment> =>
  names.flatMap((name, index): ReadonlyArray<Segment> => {
    if (name === "**") return index === names.length - 1 ? inside : ["any"]
    return [name === "*" ? one : named(name)]
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

/** The steps of matching a part with a name: a wildcard may take as many as the product of both lengths, which are small ones. */
const stepsOf = (part: string, { wildcards }: Name): number => 1 + Math.floor((part.length * wildcards) / 32)

/** One walk over the parts, back to the latest "any" where it fails: earlier ones need no retry. */
const isMatch = (segments: ReadonlyArray<Segment>, parts: ReadonlyArray<string>, steps: Steps): boolean => {
  let at = 0
  let next = 0
  let latest = -1
  let resume = 0
  while (at < parts.length) {
    const segment = segments[next]
    const part = parts[at] ?? ""
    steps.left -= segment === "any" || segment === undefined ? 1 : stepsOf(part, segment)
    if (steps.left < 0) return false
    if (segment === "any") {
      latest = next
      resume = at
      next += 1
    } else if (segment?.matches(part) === true) {
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
