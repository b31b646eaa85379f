/** A run of tests that failed although its report lists no failed test. */
import type { Schemas } from "@lazaret/api"
import { Report, TestIdentity } from "@lazaret/domain"
import type { Parsed } from "@lazaret/ingest"

/**
 * The failed case that stands for what a report leaves out, null where nothing is known to be left out: the report lists no failure, and
 * the tests ended with another code than 0, or the report itself announces failures.
 *
 * Such a case blocks (`FailureGate`): any test may be behind it.
 */
export const caseOf = (
  { tests_ended: ended = 0 }: Pick<Schemas.ReportQuery, "tests_ended">,
  { cases, incomplete }: Pick<Parsed.Parsed, "cases" | "incomplete">
): Report.Case | null => {
  if (hasFailed(cases)) return null
  const announced = announcedIn(incomplete)
  if (announced > 0)
    return failed(`The report announces ${announced === 1 ? "a failure" : `${announced} failures`}, and lists none.`)
  return ended === 0 ? null : failed(`The tests ended with ${ended}, and no report lists a failed test.`)
}

/** Whether the tests are known to have ended with 0, and the report neither lists nor announces a failure. */
export const hasPassed = (
  { tests_ended: ended }: Pick<Schemas.ReportQuery, "tests_ended">,
  { cases, incomplete }: Pick<Parsed.Parsed, "cases" | "incomplete">
): boolean => ended === 0 && !hasFailed(cases) && announcedIn(incomplete) === 0

const hasFailed = (cases: ReadonlyArray<Report.Case>): boolean =>
  cases.some(({ conclusion, flaky }) => conclusion === "failed" || flaky)

const announcedIn = (incomplete: Parsed.Parsed["incomplete"]): number =>
  incomplete.reduce((sum, { failures }) => sum + (failures?.announced ?? 0), 0)

const failed = (message: string): Report.Case =>
  Report.caseOf({
    testName: TestIdentity.testRun,
    conclusion: "failed",
    exception: { type: null, message: `${message} See the output of the run.`, stacktrace: null }
  })
