/** The cases of one report while it is read: reruns become one case, limits hold. */
import type { Report } from "@lazaret/domain"
import type { Limits } from "./Limits.ts"
import * as Names from "./Names.ts"
import * as Warnings from "./Warnings.ts"
import type { Refusal } from "./Refusal.ts"

/** One report's cases, growing. */
export interface CaseList {
  /**
   * Adds a listed case. Cases of the same name, group and file path are attempts of one execution; `group` is what tells
   * equal names apart in the report (the suite).
   */
  readonly add: (attempt: Report.Case, group: string) => Refusal | undefined
  /** Counts a listed case that has no name. */
  readonly skip: () => undefined
  /** The cases so far as the report lists them, those without a name included. */
  readonly listed: () => number
  /** The executions, and what was noticed about them as a whole. */
  readonly conclude: (warnings: Warnings.Warnings) => Executions
}

/**
 * The executions of a report.
 *
 * **Details**
 *
 * - `cases`: one per execution.
 * - `isRerun`: for each listed case that has a name, whether it was a further attempt of an earlier one.
 * - `skipped`: how many listed cases have no name.
 */
export interface Executions {
  readonly cases: ReadonlyArray<Report.Case>
  readonly isRerun: (listed: number) => boolean
  readonly skipped: number
}

/**
 * An empty list.
 *
 * Reruns are only found at the end: looking for each case as it comes takes twice the time.
 */
export const make = (limits: Limits): CaseList => {
  const attempts: Array<Report.Case> = []
  const groups: Array<string> = []
  let skipped = 0
  let cutNames = 0
  let cutExample = ""
  const append = (attempt: Report.Case, group: string): undefined => {
    // Reading a character joins the parts of the name, which would keep the texts alive that they were taken from.
    attempt.testName.charCodeAt(0)
    attempts.push(attempt)
    groups.push(group)
  }
  return {
    add: (attempt, group) => {
      if (attempts.length + skipped >= limits.cases) return tooMany(limits)
      const { testName } = attempt
      if (testName.length <= limits.nameLength) return append(attempt, group)
      if (testName.length > limits.refusedNameLength) return nameTooLong(testName, limits)
      const name = Names.fit(testName, limits.nameLength)
      if (name !== testName) {
        cutNames += 1
        cutExample ||= testName
      }
      return append({ ...attempt, testName: name }, group)
    },
    skip: () => {
      skipped += 1
      return undefined
    },
    listed: () => attempts.length + skipped,
    conclude: (warnings) => {
      const found = executionsOf(attempts, groups)
      if (cutNames > 0) warnings.add(namesCut(cutNames, cutExample, limits))
      if (found.sameNames > 0) warnings.add(namesShared(found.sameNames, found.sameExample))
      if (skipped > 0) warnings.add(`${skipped} test cases without a name were left out.`)
      if (attempts.length === 0) warnings.add("The report lists no test cases.")
      return { cases: found.cases, isRerun: (listed) => found.reruns.has(listed), skipped }
    }
  }
}

interface Found {
  readonly cases: ReadonlyArray<Report.Case>
  readonly reruns: ReadonlySet<number>
  readonly sameNames: number
  readonly sameExample: string
}

const executionsOf = (attempts: ReadonlyArray<Report.Case>, groups: ReadonlyArray<string>): Found => {
  const again = indexesOfKnownNames(attempts)
  if (again.length === 0) return { cases: attempts, reruns: new Set(), sameNames: 0, sameExample: "" }
  const cases = [...attempts]
  const reruns = new Set<number>()
  const places = new Map<string, Map<string, number>>()
  let sameNames = 0
  let sameExample = ""
  for (const { first, index } of again) {
    const attempt = cases[index]
    const earlier = cases[first]
    if (attempt === undefined || earlier === undefined) continue
    const key = `${groups[index]}\0${attempt.filepath}`
    const known = places.get(attempt.testName) ?? new Map([[`${groups[first]}\0${earlier.filepath}`, first]])
    places.set(attempt.testName, known)
    const same = known.get(key)
    const execution = same === undefined ? undefined : cases[same]
    if (same !== undefined && execution !== undefined) {
      cases[same] = merge(execution, attempt)
      reruns.add(index)
    } else {
      known.set(key, index)
      sameNames += 1
      sameExample ||= attempt.testName
    }
  }
  return { cases: cases.filter((_, index) => !reruns.has(index)), reruns, sameNames, sameExample }
}

const indexesOfKnownNames = (
  attempts: ReadonlyArray<Report.Case>
): ReadonlyArray<{ readonly first: number; readonly index: number }> => {
  const firstOfName = new Map<string, number>()
  const again: Array<{ first: number; index: number }> = []
  for (let index = 0; index < attempts.length; index++) {
    const name = attempts[index]?.testName ?? ""
    const first = firstOfName.get(name)
    if (first === undefined) firstOfName.set(name, index)
    else again.push({ first, index })
  }
  return again
}

/**
 * Two attempts of one execution as one case (semantics of executions).
 *
 * **Details**
 *
 * Passed and failed inside one job is passed and flaky, in either order; a skipped attempt counts for nothing beside one
 * that ran. Time and duration are those of the later attempt, the exception is that of the first failure.
 * pytest lists a case again when it fails and its teardown does, too: that is no further attempt.
 */
export const merge = (earlier: Report.Case, later: Report.Case): Report.Case => {
  if (later.conclusion === "skipped") return earlier
  if (earlier.conclusion === "skipped") return later
  const isPassed = earlier.conclusion === "passed" || later.conclusion === "passed"
  return {
    testName: earlier.testName,
    at: later.at ?? earlier.at,
    durationMs: later.durationMs,
    conclusion: isPassed ? "passed" : "failed",
    flaky: earlier.flaky || later.flaky || earlier.conclusion !== later.conclusion,
    reruns: earlier.reruns + later.reruns + (isTeardown(later) ? 0 : 1),
    exception: isPassed ? null : (earlier.exception ?? later.exception),
    filepath: earlier.filepath,
    functionName: earlier.functionName ?? later.functionName
  }
}

const isTeardown = (attempt: Report.Case): boolean =>
  attempt.exception?.message?.startsWith("failed on teardown with ") === true

/** The refusal of a report with too many cases. */
export const tooMany = (limits: Limits): Refusal => ({
  reason: "too_large",
  message: `The report lists more than ${limits.cases} test cases: send it in several uploads.`
})

/** The refusal of a report with a name that no test has. */
export const nameTooLong = (name: string, limits: Limits): Refusal => ({
  reason: "malformed",
  message:
    `A test name is ${name.length} characters long (${Warnings.quoted(name)}): ` +
    `names of more than ${limits.refusedNameLength} characters are refused.`
})

const namesCut = (count: number, example: string, limits: Limits): string =>
  `${count} test names are longer than ${limits.nameLength} characters and were cut, for example ${Warnings.quoted(example)}.`

const namesShared = (count: number, example: string): string =>
  `${count} test cases have the name of another case in another suite or file, for example ${Warnings.quoted(example)}: ` +
  "each counts as an execution of the same test. Send each browser, project or device under its own job name."
