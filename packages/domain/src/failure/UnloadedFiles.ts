/**
 * Files of tests that did not load.
 *
 * A runner reports such a file, module or package as one failed test with its name, and none of the tests in it.
 */
import * as Text from "../text/Text.ts"

/**
 * How much is compared.
 *
 * **Details**
 *
 * - `missing`: a run that lacks more tests of its reference is a part of the suite, and none of its files is compared.
 * - `files`: files of one run whose present tests are looked up, the first in code-point order.
 */
export const bounds = { missing: 10_000, files: 16 }

/** The texts between the name of a file, module or package and that of a test in it. */
export const separators: ReadonlyArray<string> = [" › ", "::", "."]

/** The number of tests by file. */
export type Counts = ReadonlyMap<string, number>

/**
 * The failures that may stand for a file, with the number of its missing tests: at most `bounds.files`.
 *
 * @example
 * ```ts
 * import { UnloadedFiles } from "@lazaret/domain"
 *
 * const missing = ["session.test.ts › opens", "session.test.ts › closes", "cart.test.ts › adds"]
 * UnloadedFiles.candidates(new Set(["session.test.ts", "user.test.ts"]), missing)
 * // => new Map([["session.test.ts", 2]])
 * ```
 */
export const candidates = (failed: ReadonlySet<string>, missing: Iterable<string>): Counts =>
  new Map([...countsOf(failed, missing)].sort(([a], [b]) => Text.compare(a, b)).slice(0, bounds.files))

/** The candidates of which no test ran: a file with a test that ran did load. */
export const confirmed = (found: Counts, ran: Iterable<string>): Counts => {
  const present = countsOf(new Set(found.keys()), ran)
  return new Map([...found].filter(([file]) => !present.has(file)))
}

const countsOf = (files: ReadonlySet<string>, tests: Iterable<string>): Counts => {
  const counts = new Map<string, number>()
  for (const test of tests) {
    const file = fileOf(files, test)
    if (file !== null) counts.set(file, (counts.get(file) ?? 0) + 1)
  }
  return counts
}

/** The longest name among some files that a test begins with. */
const fileOf = (files: ReadonlySet<string>, test: string): string | null => {
  let found: string | null = null
  for (const separator of separators) {
    for (let end = test.indexOf(separator); end !== -1; end = test.indexOf(separator, end + 1)) {
      const file = test.slice(0, end)
      if (files.has(file) && file.length > (found?.length ?? -1)) found = file
    }
  }
  return found
}
