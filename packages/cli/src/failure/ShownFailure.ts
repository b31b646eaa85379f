/** The failures of a job as a command shows them: on the terminal, as annotations, in a summary. */
import type { Parsed } from "@lazaret/ingest"

/**
 * One failed case.
 *
 * **Details**
 *
 * - `sentence`: what it is, such as `quarantined`.
 * - `isBlocking`: whether the gate stops for it.
 * - `file`: the path that the report names, and `line` the first line of it in the stack; null when the report does not say.
 * - `url`: the page of the test in the dashboard.
 */
export interface ShownFailure {
  readonly testName: string
  readonly sentence: string
  readonly isBlocking: boolean
  readonly message: string | null
  readonly file: string | null
  readonly line: number | null
  readonly url: string
}

/** The verdict of the server on the failures of a test. */
export interface Judgement {
  readonly sentence: string
  readonly isBlocking: boolean
  readonly url: string
}

/** Every failed case in the order of the reports, those that block first. */
export const of = (
  reports: ReadonlyArray<Parsed.Parsed>,
  judgementOf: (testName: string) => Judgement
): ReadonlyArray<ShownFailure> =>
  reports
    .flatMap(({ cases }) => cases)
    .filter(({ conclusion }) => conclusion === "failed")
    .map(({ exception, filepath, testName }) => ({
      ...judgementOf(testName),
      testName,
      message: exception?.message ?? null,
      file: filepath,
      line: filepath === null ? null : lineIn(exception?.stacktrace ?? "", filepath)
    }))
    .toSorted((a, b) => Number(b.isBlocking) - Number(a.isBlocking))

/** The first line number that a stack names for a file: `cart.test.ts:12:5`, `test_cart.py:31: AssertionError`. */
const lineIn = (stack: string, file: string): number | null => {
  for (let at = stack.indexOf(file); at !== -1; at = stack.indexOf(file, at + 1)) {
    const digits = /^(?::|", line )(\d{1,7})\b/.exec(stack.slice(at + file.length, at + file.length + 20))?.[1]
    if (digits !== undefined && !/[\w.-]/.test(stack[at - 1] ?? " ")) return Number(digits)
  }
  return null
}
