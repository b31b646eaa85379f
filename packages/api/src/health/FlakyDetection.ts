/**
 * The wire form of the context with which reporters look for flaky tests themselves. Their parsers fail on any other
 * key.
 */
import { Schema } from "effect"

const names = Schema.Array(Schema.String)

/** The context of flaky detection. */
export const FlakyDetectionContext = Schema.Struct({
  budget_ratio_for_new_tests: Schema.Finite,
  budget_ratio_for_unhealthy_tests: Schema.Finite,
  budget_ratio_for_test_retries: Schema.Finite,
  existing_test_names: names,
  existing_tests_mean_duration_ms: Schema.Finite,
  unhealthy_test_names: names,
  flaky_test_names: names,
  broken_test_names: names,
  max_test_execution_count: Schema.Int,
  max_test_name_length: Schema.Int,
  min_budget_duration_ms: Schema.Int,
  min_test_execution_count: Schema.Int
}).annotate({ identifier: "FlakyDetectionContext", description: "What reporters need to find flaky tests." })
