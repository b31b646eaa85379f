/** Failures on the wire (interface 2.7). */
import type { Schemas } from "@lazaret/api"
import type { Failure } from "@lazaret/domain"
import type { FailureDetail as Detail } from "@lazaret/services"

/** The failures of a test as the wire shows them. */
export const listOf = (failures: ReadonlyArray<Failure.Failure>): typeof Schemas.TestFailures.Type => ({
  failures: failures.map(failureOf)
})

/** One failure with its events as the wire shows it. */
export const detailOf = ({ events, failure }: Detail): typeof Schemas.TestFailureDetail.Type => ({
  ...failureOf(failure),
  latest_events: events.map(eventOf)
})

const failureOf = (failure: Failure.Failure): typeof Schemas.TestFailure.Type => ({
  id: failure.id,
  exception_type: failure.exceptionType,
  exception_message: failure.exceptionMessage,
  failure_count: failure.failureCount,
  first_failure_at: failure.firstFailureAt,
  last_failure_at: failure.lastFailureAt
})

const eventOf = (event: Failure.FailureEvent): typeof Schemas.TestFailureEvent.Type => ({
  id: event.id,
  failed_at: event.failedAt,
  exception_stacktrace: event.stacktrace,
  test_filepath: event.filepath,
  test_programming_language: event.language,
  job_url: event.jobUrl
})
