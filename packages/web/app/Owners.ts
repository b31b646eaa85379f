/** The words for the owners of tests. */

const nobody: Readonly<Record<string, string>> = { "no-owner": "no owner", "no-file": "no file" }

/** The word for a name under which tests are found by owner: the owner itself, "no owner" or "no file". */
export const wordsOf = (name: string): string => nobody[name] ?? name

/** The names under which a test is found by owner. */
export const namesOf = (of: {
  readonly file: string | null
  readonly owners: ReadonlyArray<string>
}): ReadonlyArray<string> => (of.owners.length > 0 ? of.owners : [of.file === null ? "no-file" : "no-owner"])

/** "owned by @acme/web, @acme/ops", "no owner" or "no file". */
export const phraseOf = (names: ReadonlyArray<string>): string =>
  `${names.some((name) => name in nobody) ? "" : "owned by "}${names.map(wordsOf).join(", ")}`
