/** Test details on the wire (interface 2.4). */
import type { Schemas } from "@lazaret/api"
import type { Details } from "@lazaret/services"

/** The details as the wire shows them. */
export const of = (details: Details): typeof Schemas.TestDetails.Type => ({
  repository: details.repository,
  test_name: details.testName,
  test_id: details.testId,
  health_status: details.healthStatus,
  last_conclusion: details.lastConclusion,
  failure_ratio: details.failureRatio,
  flakiness_ratio: details.flakinessRatio,
  success_ratio: details.successRatio,
  flaky_detection_enabled: details.flakyDetectionEnabled,
  first_failure_at: details.firstFailure?.at ?? null,
  first_failure_commit: details.firstFailure?.commit ?? null,
  first_failure_pull: details.firstFailurePull,
  last_failure_at: details.lastFailureAt,
  last_success_at: details.lastSuccessAt,
  test_framework: details.framework,
  test_framework_version: details.frameworkVersion,
  test_programming_language: details.language,
  test_filepath: details.filepath,
  test_function_name: details.functionName
})
