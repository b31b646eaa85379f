/** Questions that cases ask again and again, short. */
import {
  type HealthStatus,
  Instant,
  type Repository,
  Rollup,
  type TestDetails,
  type TestId,
  type TestSort
} from "@lazaret/domain"
import { ExecutionStore, type StoreError, type TestQuery, TestStore } from "@lazaret/store"
import { Effect, Option } from "effect"
import * as Sample from "./Sample.ts"
import { Violation } from "./Violation.ts"

/** The records of a test's identities at `Sample.noon`; empty when the test is unknown. */
export const records = (
  ref: Repository.RepositoryRef,
  testId: TestId.TestId = Sample.testId,
  now: Instant.Instant = Sample.noon
): Effect.Effect<ReadonlyArray<TestDetails.IdentityRecord>, StoreError, TestStore> =>
  Effect.map(
    TestStore.use((store) => store.get(ref, testId, now)),
    Option.getOrElse((): ReadonlyArray<TestDetails.IdentityRecord> => [])
  )

/** The record of a test that has one identity; a violation when it has none or more. */
export const record = (
  ref: Repository.RepositoryRef,
  testId: TestId.TestId = Sample.testId,
  now: Instant.Instant = Sample.noon
): Effect.Effect<TestDetails.IdentityRecord, StoreError | Violation, TestStore> =>
  Effect.flatMap(records(ref, testId, now), ([first, ...others]) =>
    first === undefined || others.length > 0
      ? Effect.fail(
          new Violation({
            message: `the test has ${first === undefined ? "no" : "more than one"} identity where the law asks for one`,
            actual: others.length,
            expected: 1
          })
        )
      : Effect.succeed(first)
  )

/** The health of a test that has one identity. */
export const status = (
  ref: Repository.RepositoryRef,
  testId: TestId.TestId = Sample.testId
): Effect.Effect<HealthStatus.HealthStatus, StoreError | Violation, TestStore> =>
  Effect.map(record(ref, testId), ({ state }) => state.status)

/**
 * The sum of the executions of a test in the 100 days up to the end of the day of `Sample.noon`; null when the test is
 * unknown.
 */
export const total = (
  ref: Repository.RepositoryRef,
  testId: TestId.TestId = Sample.testId
): Effect.Effect<Option.Option<Rollup.Rollup>, StoreError, ExecutionStore> => {
  const end = Instant.startOfLastDays(Sample.noon, 0)
  const window = { start: end - 100 * Instant.day, end }
  return Effect.map(
    ExecutionStore.use((store) => store.rollups(ref, testId, window, 100 * Instant.day)),
    Option.map(Rollup.combineAll)
  )
}

/** The rows of a search (`Sample.search`). */
export const rows = (
  ref: Repository.RepositoryRef,
  query: Partial<TestQuery> = {}
): Effect.Effect<ReadonlyArray<TestSort.Row>, StoreError, TestStore> =>
  Effect.map(
    TestStore.use((store) => store.page(ref, Sample.search(query))),
    (page) => page.rows
  )

/** The test names that a search finds. */
export const names = (
  ref: Repository.RepositoryRef,
  query: Partial<TestQuery> = {}
): Effect.Effect<ReadonlyArray<string>, StoreError, TestStore> =>
  Effect.map(rows(ref, query), (found) => found.map(({ testName }) => testName))
