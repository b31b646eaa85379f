/** What every parser yields: the test cases of one report, and what the report says about its run. */
import type { Instant, Report } from "@lazaret/domain"

/** What a report says about its run; it fills what the upload itself leaves open. */
export type Hints = Partial<Report.RunContext>

/**
 * The content of a report.
 *
 * **Details**
 *
 * - `cases`: one per execution, in the order of the report; in-job reruns of one test are one case (semantics of
 *   executions). Every case can be stored: names are 1 to 10,000 characters, texts hold no NUL and are well-formed.
 * - `listed`: the test cases as the report lists them, reruns included.
 * - `skippedCount`: listed cases that were left out because they have no name.
 * - `warnings`: sentences for the person who sent the report; none when all is well.
 * - `context`: hints about the run, each key only when the report says so.
 * - `finishedAt`: when the run finished, null when the report does not say.
 */
export interface Parsed {
  readonly cases: ReadonlyArray<Report.Case>
  readonly listed: number
  readonly skippedCount: number
  readonly warnings: ReadonlyArray<string>
  readonly context: Hints
  readonly finishedAt: Instant.Instant | null
}
