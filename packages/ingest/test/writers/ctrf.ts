import type { Report } from "@lazaret/domain"

const test = (each: Report.Case) => ({
  name: each.testName,
  status: each.conclusion,
  duration: each.durationMs,
  ...(each.at === null ? {} : { stop: each.at }),
  ...(each.exception === null ? {} : { message: each.exception.message, trace: each.exception.stacktrace }),
  retries: each.reruns,
  flaky: each.flaky,
  extra: { unknown: true }
})

/** A CTRF report with what the format requires. */
export const write = (cases: ReadonlyArray<Report.Case>): string =>
  JSON.stringify({
    reportFormat: "CTRF",
    specVersion: "0.0.0",
    results: {
      tool: { name: "writer" },
      summary: { tests: cases.length, passed: 0, failed: 0, pending: 0, skipped: 0, other: 0, start: 0, stop: 0 },
      tests: cases.map(test)
    }
  })
