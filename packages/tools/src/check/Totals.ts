/** How many checks passed and failed, and which tests failed. */

/** Counts of checks; skipped ones count as neither. `failedTests` names the failed checks that are tests, as `file: name`. */
export interface Totals {
  readonly passed: number
  readonly failed: number
  readonly failedTests: ReadonlyArray<string>
}

/** No checks at all: the unit of {@link combine}. */
export const none: Totals = { passed: 0, failed: 0, failedTests: [] }

/** One check that passed, or failed. */
export const one = (passed: boolean): Totals => ({ ...none, ...(passed ? { passed: 1 } : { failed: 1 }) })

/** The counts of both together. */
export const combine = (a: Totals, b: Totals): Totals => ({
  passed: a.passed + b.passed,
  failed: a.failed + b.failed,
  failedTests: [...a.failedTests, ...b.failedTests]
})

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
  const totals = { passed, failed, failedTests: failedTests(report) }
  return isConsistent ? totals : combine(totals, one(false))
}

/** The failed tests, one per line. After 100 of them the last line says how many more there are. */
export const toLines = ({ failedTests }: Totals): ReadonlyArray<string> => {
  const lines = failedTests.slice(0, mostLines).map((each) => `  ${each}`)
  const more = failedTests.length - lines.length
  return more === 0 ? lines : [...lines, `  and ${more} more`]
}

const mostLines = 100

/** The counts as the last line of a check: `N passed, N failed`. */
export const toLine = ({ failed, passed }: Totals): string => `${passed} passed, ${failed} failed`

const failedTests = (report: string): ReadonlyArray<string> =>
  report
    .split("<testcase ")
    .slice(1)
    .filter((testcase) => /<(?:failure|error)\b/.test(testcase))
    .map((testcase) => {
      const file = text(testcase, "classname")
      const name = text(testcase, "name")
      // A file that does not load has one test, with the name of the file.
      return file === name ? file : `${file}: ${name}`
    })

const attribute = (tag: string, name: string): number => Number(new RegExp(` ${name}="(\\d+)"`).exec(tag)?.[1] ?? 0)

const text = (testcase: string, name: string): string => {
  const [, value = ""] = new RegExp(`\\b${name}="([^"]*)"`).exec(testcase) ?? []
  return value.replace(/&(lt|gt|quot|apos|amp);/g, (_, entity: keyof typeof entities) => entities[entity])
}

const entities = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" }
