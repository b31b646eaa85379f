/** One `testcase` element, read event by event. */
import type { Report } from "@lazaret/domain"
import * as Duration from "./Duration.ts"
import type { Limits } from "./Limits.ts"
import * as Outcome from "./Outcome.ts"
import * as Timestamp from "./Timestamp.ts"
import type { Attributes } from "./Xml.ts"

/** A case whose element is open. One value serves for all cases of a file, one after the other. */
export interface JUnitCase {
  attributes: Attributes
  failures: ReadonlyArray<Outcome.FailureElement>
  firstRerun: Outcome.FailureElement | undefined
  rerunCount: number
  flakyCount: number
  isSkipped: boolean
}

/** A case without attributes and outcome. */
export const make = (): JUnitCase => ({
  attributes: {},
  failures: none,
  firstRerun: undefined,
  rerunCount: 0,
  flakyCount: 0,
  isSkipped: false
})

/** Begins a case: forgets the one before. */
export const open = (self: JUnitCase, attributes: Attributes): void => {
  self.attributes = attributes
  self.failures = none
  self.firstRerun = undefined
  self.rerunCount = 0
  self.flakyCount = 0
  self.isSkipped = false
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
      return undefined
    case "flaky":
      self.flakyCount += 1
      return undefined
    case "failed": {
      const element = Outcome.failureElement(attributes)
      if (self.failures.length >= failuresKept) return undefined
      self.failures = [...self.failures, element]
      return element
    }
    case "rerun":
      self.rerunCount += 1
      if (self.rerunCount > 1) return undefined
      self.firstRerun = Outcome.failureElement(attributes)
      return self.firstRerun
  }
}

/**
 * The case at the end of its element.
 *
 * **Details**
 *
 * The worst outcome counts: failed, then skipped, then passed. `flakyFailure` and `flakyError` stand for attempts before a
 * pass, `rerunFailure` and `rerunError` for further attempts that failed like the first. Only the case's own timestamp is
 * its time: that of a suite says when the suite began.
 */
export const close = (
  self: JUnitCase,
  named: { readonly testName: string; readonly filepath: string | null },
  durationMs: number,
  limits: Limits
): Report.Case => {
  const { attributes, failures, flakyCount, rerunCount } = self
  const conclusion = conclusionOf(self)
  return {
    testName: named.testName,
    at: attributes["timestamp"] === undefined ? null : Timestamp.parse(attributes["timestamp"]),
    durationMs: conclusion === "skipped" ? 0 : durationMs,
    conclusion,
    flaky: conclusion === "passed" && flakyCount > 0,
    // Without a failure of its own, the first of the rerun elements is the first attempt.
    reruns: flakyCount + Math.max(0, failures.length > 0 ? rerunCount : rerunCount - 1),
    exception: conclusion === "failed" ? exceptionOf(self, limits) : null,
    filepath: named.filepath,
    functionName: null
  }
}

const exceptionOf = ({ failures, firstRerun }: JUnitCase, limits: Limits): Report.Case["exception"] =>
  Outcome.exceptionOf(failures.length === 0 && firstRerun !== undefined ? [firstRerun] : failures, limits)

const conclusionOf = ({
  attributes,
  failures,
  flakyCount,
  isSkipped,
  rerunCount
}: JUnitCase): Report.Case["conclusion"] => {
  if (failures.length > 0 || rerunCount > 0) return "failed"
  if (isSkipped) return "skipped"
  if (flakyCount > 0) return "passed"
  return Outcome.ofStatus(attributes["status"]) ?? Outcome.ofStatus(attributes["result"]) ?? "passed"
}

/** Whether a case failed without an element that says so. */
export const failsByStatus = (self: JUnitCase): boolean =>
  self.failures.length === 0 && self.rerunCount === 0 && conclusionOf(self) === "failed"

/** The duration of a case in milliseconds; null when its `time` cannot be read. */
export const durationOf = (self: JUnitCase): number | null => Duration.ofSeconds(self.attributes["time"])
