/** The result of every parser: the test cases of one report, and the run context that the report holds. */
import type { Instant, Report } from "@lazaret/domain"

/** The run context in a report; it fills the fields that the upload leaves open. */
export type Hints = Partial<Report.RunContext>

/**
 * A part of a report that announces more tests or failures than it lists.
 *
 * **Details**
 *
 * - `suite`: the name of the suite; empty for a suite without a name and for a report as a whole.
 * - `tests`, `failures`: null where the announced number is not above the listed one, or where the producer is known to
 *   count something else (assertions, subtests, pending tests).
 * - `failures`: failures and errors together. A case can list several.
 */
export interface Shortfall {
  readonly suite: string
  readonly tests: Counts | null
  readonly failures: Counts | null
}

/** A number as a report announces it, and the number of what it lists. */
export interface Counts {
  readonly announced: number
  readonly listed: number
}

/**
 * The content of a report.
 *
 * **Details**
 *
 * - `cases`: one per execution, in the order of the report; in-job reruns of one test are one case (semantics of
 *   executions). Every case can be stored: names are 1 to 10,000 characters, texts hold no NUL and are well-formed.
 * - `attempts`: names with an ordinal (`x #2`) that the report proves to be attempts of the test without it (`x`), by producers
 *   that do not say so. A quarantine of `x` holds for them.
 * - `hasDistinctNames`: no two cases have the same name, as in all formats but OTLP.
 * - `listed`: the test cases as the report lists them, reruns included.
 * - `skippedCount`: listed cases that were left out because they have no name and did not fail.
 * - `incomplete`: empty for a whole report. Otherwise the report is half a report: a failure may be missing from `cases`,
 *   so that a gate must not let it pass. At most 100 entries; an outer suite is left out when a suite within is listed.
 * - `warnings`: sentences for the person who sent the report; empty when nothing is wrong.
 * - `context`: hints about the run, each key only when the report says so.
 * - `finishedAt`: when the run finished, null when the report does not say.
 */
export interface Parsed {
  readonly cases: ReadonlyArray<Report.Case>
  readonly attempts: ReadonlyMap<string, string>
  readonly hasDistinctNames: boolean
  readonly listed: number
  readonly skippedCount: number
  readonly incomplete: ReadonlyArray<Shortfall>
  readonly warnings: ReadonlyArray<string>
  readonly context: Hints
  readonly finishedAt: Instant.Instant | null
}
