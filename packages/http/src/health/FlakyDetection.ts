/**
 * The context with which reporters look for flaky tests themselves, on the wire. Their parsers fail on any other key.
 */
import type { Schemas } from "@lazaret/api"
import { budget, type FlakyDetectionContext as Context } from "@lazaret/services"

/** The context as the wire shows it: unhealthy tests are the flaky and the broken ones. */
export const of = (context: Context): typeof Schemas.FlakyDetectionContext.Type => ({
  budget_ratio_for_new_tests: budget.newTests,
  budget_ratio_for_unhealthy_tests: budget.unhealthyTests,
  budget_ratio_for_test_retries: budget.retries,
  existing_test_names: context.existing,
  existing_tests_mean_duration_ms: context.meanDurationMs,
  unhealthy_test_names: context.existing.filter(isIn([...context.flaky, ...context.broken])),
  flaky_test_names: context.flaky,
  broken_test_names: context.broken,
  max_test_execution_count: budget.maximumExecutions,
  max_test_name_length: budget.maximumNameLength,
  min_budget_duration_ms: budget.minimumDurationMs,
  min_test_execution_count: budget.minimumExecutions
})

const isIn = (values: ReadonlyArray<string>): ((value: string) => boolean) => {
  const set = new Set(values)
  return (value) => set.has(value)
}
