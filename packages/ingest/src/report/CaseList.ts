/** The cases of one report while it is parsed: merges attempts, separates equal names, enforces limits. */
import type { Report } from "@lazaret/domain"
import * as Attempts from "./Attempts.ts"
import type { Limits } from "../text/Limits.ts"
import * as Names from "./Names.ts"
import * as Warnings from "../text/Warnings.ts"
import type { Refusal } from "../text/Refusal.ts"

/**
 * The fields of a listed case that are not part of the case.
 *
 * **Details**
 *
 * - `group`: distinguishes equal names in the report (suite, browser). Attempts of one execution have the same group.
 * - `isAttempt`: whether the producer says, or is known, to list a case again for each attempt of it.
 * - `hasPlace`: whether the case has a file or a class.
 * - `hasCopies`: whether the producer is known to list one failure twice.
 */
export interface Listing {
  readonly group: string
  readonly isAttempt: boolean
  readonly hasPlace: boolean
  readonly hasCopies: boolean
}

/** The listing of a case of a format that groups the attempts of an execution itself. */
export const separate: Listing = { group: "", isAttempt: false, hasPlace: false, hasCopies: false }

/** The cases of one report, collected while it is parsed. */
export interface CaseList {
  /** Adds a listed case. */
  readonly add: (attempt: Report.Case, listing: Listing) => Refusal | undefined
  /** Counts a listed case without a name that did not fail. */
  readonly skip: () => undefined
  /** The number of cases listed so far, including those without a name. */
  readonly listed: () => number
  /** The executions, and warnings about them as a whole. */
  readonly conclude: (warnings: Warnings.Warnings) => Executions
}

/**
 * The executions of a report.
 *
 * **Details**
 *
 * - `skipped`: how many listed cases were left out.
 * - `hasDistinctNames`: no two cases have the same name.
 */
export interface Executions extends Attempts.Executions {
  readonly skipped: number
  readonly hasDistinctNames: boolean
}

/**
 * An empty list.
 *
 * **Details**
 *
 * `equalNames` decides about executions with equal names: `ordinal` makes them separate tests, `asSent` keeps the names
 * that the client sent.
 *
 * Equal names are looked for in batches: a look-up per case takes twice the time, and one at the end would keep a server
 * from other work.
 */
export const make = (limits: Limits, equalNames: "ordinal" | "asSent" = "ordinal"): CaseList => {
  const attempts: Array<Report.Case> = []
  const listings: Array<Listing> = []
  const names = Attempts.nameIndex()
  let skipped = 0
  let cutNames = 0
  let cutExample = ""
  const append = (attempt: Report.Case, listing: Listing): undefined => {
    // Reading a character flattens the concatenated name; otherwise it would keep the source texts in memory.
    attempt.testName.charCodeAt(0)
    attempts.push(attempt)
    listings.push(listing)
    if (attempts.length % casesAtOnce === 0) names.read(attempts)
  }
  return {
    add: (attempt, listing) => {
      if (attempts.length + skipped >= limits.cases) return tooMany(limits)
      const { testName } = attempt
      if (testName.length <= limits.nameLength) return append(attempt, listing)
      if (testName.length > limits.refusedNameLength) return nameTooLong(testName, limits)
      const name = Names.fit(testName, limits.nameLength)
      if (name !== testName) {
        cutNames += 1
        cutExample ||= testName
      }
      return append({ ...attempt, testName: name }, listing)
    },
    skip: () => {
      skipped += 1
      return undefined
    },
    listed: () => attempts.length + skipped,
    conclude: (warnings) => {
      if (cutNames > 0) warnings.add(namesCut(cutNames, cutExample, limits))
      if (skipped > 0) warnings.add(`${Warnings.counted(skipped, "test case")} without a name left out: none failed.`)
      if (attempts.length + skipped === 0) warnings.add("The report lists no test cases.")
      const executions = Attempts.executions(attempts, listings, equalNames, { limits, names })
      return {
        ...executions,
        skipped,
        hasDistinctNames: equalNames === "ordinal" || names.repeats().length === 0
      }
    }
  }
}

/** The name of a failed test without a name: a failure must not be lost. */
export const nameless = "(test without a name)"

const casesAtOnce = 8192

/** The refusal of a report with too many cases. */
export const tooMany = (limits: Limits): Refusal => ({
  reason: "too_large",
  message: `The report lists more than ${limits.cases} test cases: send it in several uploads.`
})

/** The refusal of a report with an impossibly long name. */
export const nameTooLong = (name: string, limits: Limits): Refusal => ({
  reason: "malformed",
  message:
    `A test name is ${name.length} characters long (${Warnings.quoted(name)}): ` +
    `names of more than ${limits.refusedNameLength} characters are refused.`
})

const namesCut = (count: number, example: string, limits: Limits): string =>
  `${Warnings.counted(count, "test name")} of more than ${limits.nameLength} characters cut, for example ${Warnings.quoted(example)}.`
