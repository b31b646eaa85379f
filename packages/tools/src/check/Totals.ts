/** How many checks passed and failed. */

/** Counts of checks; skipped ones count as neither. */
export interface Totals {
  readonly passed: number
  readonly failed: number
}

/** No checks at all: the unit of {@link combine}. */
export const none: Totals = { passed: 0, failed: 0 }

/** One check that passed, or failed. */
export const one = (passed: boolean): Totals => (passed ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 })

/** The counts of both together. */
export const combine = (a: Totals, b: Totals): Totals => ({ passed: a.passed + b.passed, failed: a.failed + b.failed })

/**
 * The counts of the tests in a JUnit report of vitest.
 *
 * **Details**
 *
 * A test run that says more than its report is a failure more: one that broke off (no report), one that exits as a
 * failure although no test failed (an error outside of the tests), and one without any test.
 */
export const ofTests = (report: string | null, exitCode: number | null): Totals => {
  if (report === null) return one(false)
  const [root = ""] = /<testsuites\b[^>]*>/.exec(report) ?? []
  const failed = attribute(root, "failures") + attribute(root, "errors")
  const skipped = (report.match(/<testsuite\b[^>]*>/g) ?? []).reduce((sum, tag) => sum + attribute(tag, "skipped"), 0)
  const passed = attribute(root, "tests") - failed - skipped
  const isConsistent = (exitCode === 0) === (failed === 0) && passed + failed > 0
  return isConsistent ? { passed, failed } : combine({ passed, failed }, one(false))
}

/** The counts as the last line of a check: `N passed, N failed`. */
export const toLine = ({ failed, passed }: Totals): string => `${passed} passed, ${failed} failed`

const attribute = (tag: string, name: string): number => Number(new RegExp(` ${name}="(\\d+)"`).exec(tag)?.[1] ?? 0)
