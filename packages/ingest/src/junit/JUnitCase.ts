/** One `testcase` element, read event by event. */
import type { Report } from "@lazaret/domain"
import type * as Dialect from "../report/Dialect.ts"
import * as Duration from "../text/Duration.ts"
import type { Limits } from "../text/Limits.ts"
import * as Outcome from "./Outcome.ts"
import * as Timestamp from "../text/Timestamp.ts"
import type { Attributes } from "../xml/Xml.ts"

/** A case whose element is open. One value is reused for all cases of a file. */
export interface JUnitCase {
  attributes: Attributes
  failures: ReadonlyArray<Outcome.FailureElement>
  /** The first attempt in a `rerunFailure` or `flakyFailure`. */
  firstAttempt: Outcome.FailureElement | undefined
  rerunCount: number
  flakyCount: number
  isSkipped: boolean
  /** Whether a failure is expected, and so does not count as a failure. */
  isExpected: boolean
  /** Whether a property says that it is a further attempt. */
  isRetry: boolean
}

/** A case without attributes and outcome. */
export const make = (): JUnitCase => ({
  attributes: {},
  failures: none,
  firstAttempt: undefined,
  rerunCount: 0,
  flakyCount: 0,
  isSkipped: false,
  isExpected: false,
  isRetry: false
})

/** Starts a case and clears the previous one. */
export const open = (self: JUnitCase, attributes: Attributes): void => {
  self.attributes = attributes
  self.failures = none
  self.firstAttempt = undefined
  self.rerunCount = 0
  self.flakyCount = 0
  self.isSkipped = false
  self.isExpected = false
  self.isRetry = false
}

const none: ReadonlyArray<Outcome.FailureElement> = []

/** The failure elements of one case that are kept: frameworks write one for each failed assertion. */
const failuresKept = 100

/** Notes a child element; yields where its text goes, undefined when its text is of no interest. */
export const note = (
  self: JUnitCase,
  verdict: Outcome.Verdict,
  attributes: Attributes
): Outcome.FailureElement | undefined => {
  switch (verdict) {
    case "skipped":
      self.isSkipped = true
      self.isExpected ||= Outcome.expectsFailure(attributes)
      return undefined
    case "flaky":
      self.flakyCount += 1
      return noteAttempt(self, attributes)
    case "failed": {
      const element = Outcome.failureElement(attributes)
      if (self.failures.length >= failuresKept) return undefined
      self.failures = [...self.failures, element]
      return element
    }
    case "rerun":
      self.rerunCount += 1
      return noteAttempt(self, attributes)
  }
}

/** Notes a property of the case: trainer of fastlane lists each attempt as a case, `First Run`, `Retry 1`, and so on. */
export const noteProperty = (self: JUnitCase, { name, value }: Attributes): void => {
  self.isRetry ||= name === "repetition" && /^Retry \d+$/.test(value ?? "")
}

const noteAttempt = (self: JUnitCase, attributes: Attributes): Outcome.FailureElement | undefined => {
  if (self.firstAttempt !== undefined) return undefined
  self.firstAttempt = Outcome.failureElement(attributes)
  return self.firstAttempt
}

/**
 * The case at the end of its element.
 *
 * **Details**
 *
 * The worst outcome counts: failed, then skipped, then passed; a failure that is expected (a `todo` of node:test) is
 * skipped. `flakyFailure` and `flakyError` stand for attempts before a pass, which keeps the exception of the first one;
 * `rerunFailure` and `rerunError` for further attempts that failed like the first. Only the case's own timestamp is its
 * time: that of a suite says when the suite began.
 */
export const close = (
  self: JUnitCase,
  named: { readonly testName: string; readonly filepath: string | null },
  durationMs: number,
  limits: Limits
): Report.Case => {
  const { attributes, failures, flakyCount, rerunCount } = self
  const conclusion = conclusionOf(self)
  const flaky = conclusion === "passed" && flakyCount > 0
  return {
    testName: named.testName,
    at: attributes["timestamp"] === undefined ? null : Timestamp.parse(attributes["timestamp"]),
    durationMs: conclusion === "skipped" ? 0 : durationMs,
    conclusion,
    flaky,
    // Without a failure of its own, the first of the rerun elements is the first attempt.
    reruns: flakyCount + Math.max(0, failures.length > 0 ? rerunCount : rerunCount - 1),
    exception: conclusion === "failed" || flaky ? exceptionOf(self, limits) : null,
    filepath: named.filepath,
    functionName: null
  }
}

const exceptionOf = ({ attributes, failures, firstAttempt }: JUnitCase, limits: Limits): Report.Case["exception"] => {
  const reported = failures.length === 0 && firstAttempt !== undefined ? [firstAttempt] : failures
  return Outcome.exceptionOf(reported, headingOf(attributes), limits)
}

/** PHPUnit writes `Class::test` above its message. */
const headingOf = (attributes: Attributes): string | undefined =>
  attributes["class"] ? `${attributes["class"]}::${attributes["name"]?.split(" ", 1)[0]}` : undefined

/** The conclusion of a case, from the elements so far. */
export const conclusionOf = ({
  attributes,
  failures,
  flakyCount,
  isExpected,
  isSkipped,
  rerunCount
}: JUnitCase): Report.Case["conclusion"] => {
  if (isExpected) return "skipped"
  if (failures.length > 0 || rerunCount > 0) return "failed"
  if (isSkipped) return "skipped"
  if (flakyCount > 0) return "passed"
  return Outcome.ofStatus(attributes["status"]) ?? Outcome.ofStatus(attributes["result"]) ?? "passed"
}

/** The further attempts of a case. */
export const attempts = ({ flakyCount, rerunCount }: JUnitCase): number => flakyCount + rerunCount

/** The failures of a case that its elements do not show: one for a status that fails; expected ones are taken back. */
export const uncounted = (self: JUnitCase): number => {
  if (self.isExpected) return -expected(self)
  return self.failures.length === 0 && self.rerunCount === 0 && conclusionOf(self) === "failed" ? 1 : 0
}

const expected = (self: JUnitCase): number => self.failures.length + attempts(self)

/**
 * The numbers of a suite's failures that a case explains though it lists no failure of its own.
 *
 * **Details**
 *
 * node:test counts a failing `todo` in the suites around it, minitest-junit every skip. The node reporter of currents counts
 * the suites around a failed test, whose titles are in its name.
 */
export const excused = (self: JUnitCase, producer: Dialect.Producer | undefined): number => {
  if (self.isExpected) return expected(self)
  const conclusion = conclusionOf(self)
  if (conclusion === "skipped") return isOfMinitest(self.attributes) ? 1 : 0
  const isNested = producer === "currents" && conclusion === "failed"
  return isNested ? (self.attributes["name"] ?? "").split(" > ").length - 1 : 0
}

/** PHPUnit has these attributes, too, and a class. */
const isOfMinitest = (attributes: Attributes): boolean =>
  attributes["assertions"] !== undefined && attributes["line"] !== undefined && attributes["class"] === undefined

/** The duration of a case in milliseconds; null when its `time` cannot be read. */
export const durationOf = (self: JUnitCase): number | null => Duration.ofSeconds(self.attributes["time"])
