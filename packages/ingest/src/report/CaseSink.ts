/** The cases of one report, for formats that group the attempts of an execution themselves. */
import type { Instant, Report } from "@lazaret/domain"
import * as CaseList from "./CaseList.ts"
import * as NameAdvice from "./NameAdvice.ts"
import type { Limits } from "../text/Limits.ts"
import type { Hints, Parsed } from "../text/Parsed.ts"
import type { Refusal } from "../text/Refusal.ts"
import * as SuiteCount from "./SuiteCount.ts"
import * as Warnings from "../text/Warnings.ts"

/**
 * The run of a report.
 *
 * **Details**
 *
 * The announced numbers are null where the format has none that can be compared. `isOrderExplained`: see `NameAdvice.Names`.
 */
export interface Run {
  readonly context: Hints
  readonly finishedAt: Instant.Instant | null
  readonly announced: { readonly tests: number | null; readonly failures: number | null }
  readonly isOrderExplained?: boolean
}

/** Takes executions and yields the report. */
export interface CaseSink {
  readonly warnings: Warnings.Warnings
  /** Adds an execution that the report lists with this many attempts. */
  readonly add: (execution: Report.Case, attempts?: number) => Refusal | undefined
  /** How many of the executions so far failed. */
  readonly failed: () => number
  /** The content of the report. */
  readonly parsed: (run: Run) => Parsed
}

/** An empty sink. */
export const make = (limits: Limits): CaseSink => {
  const list = CaseList.make(limits)
  const warnings = Warnings.make(limits.warnings)
  let failed = 0
  let retries = 0
  return {
    warnings,
    add: (execution, attempts = 1) => {
      retries += Math.max(0, attempts - 1)
      if (execution.conclusion === "failed") failed += 1
      return list.add(execution, CaseList.separate)
    },
    failed: () => failed,
    parsed: ({ announced, isOrderExplained = false, ...run }) => {
      const executions = list.conclude(warnings)
      NameAdvice.add({ ...executions, producer: undefined, isOrderExplained }, warnings)
      const tests = SuiteCount.missing(announced.tests, list.listed())
      const failures = SuiteCount.missing(announced.failures, failed)
      const incomplete = tests === null && failures === null ? [] : [{ suite: "", tests, failures }]
      for (const each of incomplete) warnings.add(SuiteCount.sentence(each))
      return {
        cases: executions.cases,
        attempts: executions.attempts,
        hasDistinctNames: executions.hasDistinctNames,
        listed: list.listed() + retries,
        skippedCount: executions.skipped,
        incomplete,
        warnings: warnings.all(),
        ...run
      }
    }
  }
}
