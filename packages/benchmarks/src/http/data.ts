/** A repository of 2,000 identities with 30 days of history, and 1,000 quarantines. */
import { Instant, type Report } from "@lazaret/domain"
import type { Upload } from "@lazaret/services"
import { seeded } from "../histories.ts"

export const ref = { owner: "acme", repository: "widgets" }

export const secret = "benchmark secret"

export const testName = (index: number): string => `src/area ${index % 40}/case.test.ts > keeps law ${index}`

export const quarantinedTests = Array.from({ length: 1000 }, (_, index) => testName(index))

/** One run a day, the oldest first; the first test is flaky. */
export const reports = (now: Instant.Instant): ReadonlyArray<Upload> => {
  const random = seeded(3)
  return Array.from({ length: 30 }, (_, index) => {
    const finishedAt = now - (30 - index) * Instant.day + Instant.hour
    return {
      idempotencyKey: null,
      digest: `${index}`,
      finishedAt,
      run: run(index),
      cases: cases(index, random),
      warnings: []
    }
  })
}

const cases = (run: number, random: () => number): ReadonlyArray<Report.Case> =>
  Array.from({ length: 2000 }, (_, index) => {
    const failed = random() < (index % 50 === 0 ? 0.3 : 0.002)
    return {
      testName: testName(index),
      at: null,
      durationMs: 10 + run,
      conclusion: failed ? "failed" : "passed",
      flaky: false,
      reruns: 0,
      exception: failed ? { type: "AssertionError", message: `expected ${index}`, stacktrace: null } : null,
      filepath: null,
      functionName: null
    }
  })

const run = (index: number): Report.RunContext => ({
  pipelineName: "CI",
  jobName: "unit",
  branch: "main",
  baseBranch: null,
  commit: `c${index}`,
  runId: `${index}`,
  runAttempt: 1,
  jobUrl: null,
  framework: "vitest",
  frameworkVersion: "5",
  language: "typescript",
  pullRequest: null,
  pullNumber: null
})
