import { type FailureVerdict, TestId } from "@lazaret/domain"

/** The commit of the verdicts. */
export const commit = "0123456789abcdef0123456789abcdef01234567"

/** A blocking new failure of the test; says only what matters. */
export const verdict = (
  name: string,
  parts: Partial<FailureVerdict.FailureVerdict> = {}
): FailureVerdict.FailureVerdict => ({
  test_id: TestId.of(name),
  test_name: name,
  pipeline_name: "CI",
  job_name: "unit",
  verdict: "new_failure",
  probability_flaky: 0.1,
  score: -3,
  reason: "passed in the last 12 runs of main",
  evidence: [],
  quarantined: false,
  is_blocking: true,
  gate_reason: "the gate does not let new_failure pass",
  message: null,
  exception_type: null,
  file: null,
  job_url: null,
  line: name,
  ...parts
})
