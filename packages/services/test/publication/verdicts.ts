import { type FailureVerdict, TestId } from "@lazaret/domain"

/** The commit of the verdicts. */
export const commit = "0123456789abcdef0123456789abcdef01234567"

/** A blocking new failure of the test; says only what matters. */
export const verdict = (
  name: string,
  parts: Partial<FailureVerdict.FailureVerdict> = {}
): FailureVerdict.FailureVerdict => ({
  executionId: `${name}.0`,
  testId: TestId.of(name),
  testName: name,
  pipelineName: "CI",
  jobName: "unit",
  verdict: "new_failure",
  probabilityFlaky: 0.1,
  score: -3,
  reason: "passed in the last 12 runs of main",
  evidence: [],
  quarantined: false,
  isBlocking: true,
  gateReason: "the gate does not let new failures pass",
  message: null,
  exceptionType: null,
  file: null,
  jobUrl: null,
  line: name,
  ...parts
})
