/** Attempts of one execution, and the case that they make together. */
import type { Execution, Instant, Report } from "@lazaret/domain"

/**
 * One attempt to run a test.
 *
 * **Details**
 *
 * `at` is when it finished, null when the report does not say. `exception` is null unless it failed.
 */
export interface Attempt {
  readonly conclusion: Execution.Conclusion
  readonly at: Instant.Instant | null
  readonly durationMs: number
  readonly exception: Execution.ExceptionReport | null
}

/** The largest number of runs of a test that a report may state: a larger one is wrong, and counts as this. */
export const mostRuns = 1_000_000

/** The name and the source file of a test. */
export interface Source {
  readonly testName: string
  readonly filepath: string | null
}

/**
 * The case of attempts that the producer calls attempts of one execution (semantics of executions).
 *
 * **Details**
 *
 * Passed when one attempt passed, and flaky when another one failed; else failed when one failed, else skipped. Time and
 * duration are those of the last attempt that ran. The exception is that of the first failed attempt, of a flaky pass,
 * too.
 */
export const caseOf = (source: Source, attempts: ReadonlyArray<Attempt>): Report.Case => {
  const ran = attempts.filter(({ conclusion }) => conclusion !== "skipped")
  const failed = ran.find(({ conclusion }) => conclusion === "failed")
  const isPassed = ran.some(({ conclusion }) => conclusion === "passed")
  const last = ran.at(-1)
  return {
    testName: source.testName,
    at: last?.at ?? null,
    durationMs: last?.durationMs ?? 0,
    conclusion: isPassed ? "passed" : failed === undefined ? "skipped" : "failed",
    flaky: isPassed && failed !== undefined,
    reruns: Math.max(0, ran.length - 1),
    exception: failed?.exception ?? null,
    filepath: source.filepath,
    functionName: null
  }
}
