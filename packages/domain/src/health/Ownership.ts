/** The tests of owners: which files an owner has, and what the tests of each owner add up to (beyond the interface). */
import { Schema } from "effect"
import * as Text from "../text/Text.ts"
import type * as TestFile from "./TestFile.ts"

/** Stands for tests whose file nobody owns. No owner has this name: names of owners contain an `@`. */
export const noOwner = "no-owner"

/** Stands for tests whose reports name no file. */
export const noFile = "no-file"

/** Schema of what tests are found by: an owner as CODEOWNERS writes it, in any case, {@link noOwner} or {@link noFile}. */
export const Owner = Text.between(1, 255).check(
  Schema.isPattern(new RegExp(`@|^${noOwner}$|^${noFile}$`, "u"), {
    expected: `an owner such as @acme/web, ${noOwner} or ${noFile}`
  })
)

/** The names under which tests of a file are found: those of its owners, else {@link noOwner} or {@link noFile}. */
export const namesOf = (file: string | null, owners: ReadonlyArray<string>): ReadonlyArray<string> =>
  file === null ? [noFile] : owners.length === 0 ? [noOwner] : owners

const nobody: ReadonlyMap<string, string> = new Map([
  [noOwner, "no owner"],
  [noFile, "no file"]
])

/** The words for a name under which a test is found: an owner in this form, `no owner` or `no file`. */
export const wordsOf = (name: string, form: (owner: string) => string = (owner) => owner): string =>
  nobody.get(name) ?? form(name)

/**
 * The words of a sentence for the names under which a test is found.
 *
 * @example
 * ```ts
 * import { Ownership } from "@lazaret/domain"
 *
 * Ownership.phraseOf(["@acme/web", "ada@example.com"]) // => "owned by @acme/web, ada@example.com"
 * Ownership.phraseOf(Ownership.namesOf(null, [])) // => "no file"
 * ```
 */
export const phraseOf = (names: ReadonlyArray<string>): string =>
  `${names.some((name) => nobody.has(name)) ? "" : "owned by "}${names.map((name) => wordsOf(name)).join(", ")}`

/** A text for each name that is equal for names that find the same tests: a cursor is bound to them. */
export const keyOf = (names: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...new Set(names.map(lower))].sort(Text.compare)

/**
 * A search of names, and the owners that its words of the form `owner:name` ask for. An `@` before the name may be left out.
 *
 * @example
 * ```ts
 * import { Ownership } from "@lazaret/domain"
 *
 * Ownership.split("cart owner:acme/web pays") // => { search: "cart pays", owners: ["@acme/web"] }
 * Ownership.split("owner:no-file") // => { search: "", owners: ["no-file"] }
 * ```
 */
export const split = (search: string): { readonly search: string; readonly owners: ReadonlyArray<string> } => {
  const words = search.split(/\s+/u)
  const owners = words.flatMap((word) => (isOwnerWord(word) ? [ownerOf(word.slice(prefix.length))] : []))
  return owners.length === 0
    ? { search, owners }
    : { search: words.filter((word) => !isOwnerWord(word)).join(" "), owners }
}

const prefix = "owner:"

const isOwnerWord = (word: string): boolean => lower(word).startsWith(prefix) && word.length > prefix.length

const ownerOf = (name: string): string =>
  name.includes("@") || [noOwner, noFile].includes(lower(name)) ? name : `@${name}`

/** The owners of a file. */
export interface OwnersOf {
  (file: string): ReadonlyArray<string>
}

/**
 * The files whose tests are found by one of these names, null for tests without a file.
 *
 * @example
 * ```ts
 * import { Ownership } from "@lazaret/domain"
 *
 * const ownersOf = (file: string) => (file.endsWith(".tsx") ? ["@acme/Web"] : [])
 * Ownership.filesOf(["a.tsx", "a.go", null], ["@acme/web"], ownersOf) // => new Set(["a.tsx"])
 * Ownership.filesOf(["a.tsx", "a.go", null], ["no-owner", "no-file"], ownersOf) // => new Set(["a.go", null])
 * ```
 */
export const filesOf = (
  files: ReadonlyArray<string | null>,
  names: ReadonlyArray<string>,
  ownersOf: OwnersOf
): ReadonlySet<string | null> => {
  const wanted = new Set(names.map(lower))
  return new Set(
    files.filter((file) => namesOf(file, file === null ? [] : ownersOf(file)).some((name) => wanted.has(lower(name))))
  )
}

/** The tests of one owner; `owner` may be {@link noOwner} or {@link noFile}. */
export interface OwnerCounts extends TestFile.Counts {
  readonly owner: string
}

/**
 * The tests of each owner: those with most unhealthy tests first, then by name; tests that nobody owns come last, then those
 * without a file.
 *
 * **Details**
 *
 * A test with several owners counts for each of them. Owners that differ in case alone are one, as first written.
 */
export const byOwner = (files: ReadonlyArray<TestFile.FileCounts>, ownersOf: OwnersOf): ReadonlyArray<OwnerCounts> => {
  const found = new Map<string, OwnerCounts>()
  for (const counts of files) {
    const owners = namesOf(counts.file, counts.file === null ? [] : ownersOf(counts.file))
    for (const [key, owner] of new Map(owners.map((each) => [lower(each), each]))) {
      found.set(key, plus(found.get(key) ?? { owner, ...nothing }, counts))
    }
  }
  return [...found.values()].sort(order)
}

const nothing: TestFile.Counts = { healthy: 0, flaky: 0, broken: 0, quarantined: 0 }

const plus = (a: OwnerCounts, b: TestFile.Counts): OwnerCounts => ({
  owner: a.owner,
  healthy: a.healthy + b.healthy,
  flaky: a.flaky + b.flaky,
  broken: a.broken + b.broken,
  quarantined: a.quarantined + b.quarantined
})

const rank = ({ owner }: OwnerCounts): number => [noOwner, noFile].indexOf(owner)

const order = (a: OwnerCounts, b: OwnerCounts): number =>
  rank(a) - rank(b) || b.broken + b.flaky - (a.broken + a.flaky) || Text.compare(a.owner, b.owner)

const lower = (name: string): string => name.toLowerCase()
