/** Compares the totals that suites announce with the cases that they list. */
import type { Counts, Shortfall } from "../text/Parsed.ts"
import * as Warnings from "../text/Warnings.ts"
import type { Attributes } from "../xml/Xml.ts"

/**
 * The content that a file has listed up to some point.
 *
 * **Details**
 *
 * - `tests`: test cases. `attempts`: earlier and later attempts of them, which Surefire 3.0 to 3.2 counts as tests.
 * - `failures`: elements that say failure or error.
 * - `excused`: what did not fail and the producer may count as failed: a failing `todo` of node:test, a skip of
 *   minitest, a remark on a risky test of PHPUnit 9.
 */
export interface Listed {
  readonly tests: number
  readonly attempts: number
  readonly failures: number
  readonly excused: number
}

/** The numbers of a suite that can be compared: some producers count something else than test cases and failures. */
export interface Comparable {
  readonly tests: boolean
  readonly errors: boolean
}

/** Counts the cases of nested suites and finds those that announce more than they list. */
export interface SuiteCount {
  /** A suite opens after `listed`. */
  readonly open: (attributes: Attributes, listed: Listed) => void
  /** The innermost suite closes after `listed`. */
  readonly close: (listed: Listed, comparable: Comparable) => void
  /** The incomplete suites, in the order in which they closed. */
  readonly shortfalls: () => ReadonlyArray<Shortfall>
}

/** The number of incomplete suites that are reported: bounds the memory for a file with a million of them. */
const mostShortfalls = 100

interface Suite {
  readonly name: string
  readonly tests: number
  readonly failures: number
  readonly errors: number
  readonly before: Listed
  /** How many suites are directly within, and how many cases those list. */
  suites: number
  inner: number
  /** Whether an inner suite is incomplete: the outer suite is then not reported for the same reason. */
  isExplained: boolean
}

/**
 * A count before the first suite.
 *
 * **Details**
 *
 * A suite is incomplete when it announces more tests, or more failures and errors, than it lists, nested suites
 * included, and than its attempts and excused cases explain. A number of tests is also right when it counts what is directly within, suites as one (node:test).
 * Announcing less is right: producers disagree on whether reruns and skipped tests count.
 */
export const make = (): SuiteCount => {
  const open: Array<Suite> = []
  const found: Array<Shortfall> = []
  return {
    open: (attributes, before) => {
      open.push({
        name: attributes["name"] ?? "",
        tests: numberOf(attributes["tests"]),
        failures: numberOf(attributes["failures"]),
        errors: isTwice(attributes) ? 0 : numberOf(attributes["errors"]),
        before,
        suites: 0,
        inner: 0,
        isExplained: false
      })
    },
    close: (listed, comparable) => {
      const suite = open.pop()
      if (suite === undefined) return
      const tests = listed.tests - suite.before.tests
      const outer = open.at(-1)
      if (outer !== undefined) {
        outer.suites += 1
        outer.inner += tests
      }
      const shortfall = suite.isExplained ? null : shortfallOf(suite, listed, comparable)
      if (shortfall !== null && found.length < mostShortfalls) found.push(shortfall)
      if (outer !== undefined) outer.isExplained ||= suite.isExplained || shortfall !== null
    },
    shortfalls: () => found
  }
}

/** The warning for an incomplete suite. */
export const sentence = ({ failures, suite, tests }: Shortfall): string => {
  const announced = [
    failures === null ? [] : [`${Warnings.counted(failures.announced, "failure")} and lists ${failures.listed}`],
    tests === null ? [] : [`${Warnings.counted(tests.announced, "test")} and lists ${tests.listed}`]
  ].flat()
  const name = suite === "" ? "The report" : `The suite ${Warnings.quoted(suite)}`
  return `${name} announces ${announced.join(", ")}: only listed tests are recorded. Check that the file is complete.`
}

/** The reporter `xunit` of Mocha before version 6, and reporters derived from it, write the number of failures as errors, too. */
const isTwice = (attributes: Attributes): boolean =>
  attributes["errors"] === attributes["failures"] && Object.keys(attributes).join() === ofMocha

const ofMocha = "name,tests,failures,errors,skipped,timestamp,time"

const numberOf = (text: string | undefined): number => (/^\s*\d{1,15}\s*$/.test(text ?? "") ? Number(text) : 0)

const shortfallOf = (suite: Suite, after: Listed, comparable: Comparable): Shortfall | null => {
  const listed = after.tests - suite.before.tests
  const isDirect = suite.tests === listed - suite.inner + suite.suites
  const attempts = after.attempts - suite.before.attempts
  const tests = comparable.tests && !isDirect ? missing(suite.tests, listed, attempts) : null
  const announced = suite.failures + (comparable.errors ? suite.errors : 0)
  const excused = after.excused - suite.before.excused
  const failures = missing(announced, after.failures - suite.before.failures, excused)
  return tests === null && failures === null ? null : { suite: Warnings.shortened(suite.name), tests, failures }
}

/** An announced number and the listed one, when more was announced than listed and `excused` explain; null else. */
export const missing = (announced: number | null | undefined, listed: number, excused = 0): Counts | null =>
  typeof announced === "number" && announced > listed + excused ? { announced, listed } : null
