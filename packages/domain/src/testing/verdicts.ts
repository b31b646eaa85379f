/** Verdicts on failures, for tests of what is shown of them. */
import type { FailureVerdict } from "../failure/FailureVerdict.ts"
import * as TestId from "../report/TestId.ts"

/** The verdict `new_failure` on a test, which blocks its commit; `parts` says what differs. */
export const newFailure = (name: string, parts: Partial<FailureVerdict> = {}): FailureVerdict => ({
  executionId: `${name}.0`,
  testId: TestId.of(name),
  testName: name,
  pipelineName: "CI",
  jobName: "unit",
  verdict: "new_failure",
  cause: "change",
  causes: { flake: 0.1, change: 0.9, base: 0, environment: 0, dependency: 0 },
  probabilityFlaky: 0.1,
  odds: -3,
  score: -3,
  title: "new failure (probably this change)",
  reason: "passed in the last 12 runs of main",
  evidence: [],
  quarantined: false,
  isKnownFlake: false,
  isBlocking: true,
  gateReason: "the gate does not let new failures pass",
  message: null,
  exceptionType: null,
  file: null,
  jobUrl: null,
  line: name,
  ...parts
})
