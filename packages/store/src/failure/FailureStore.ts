/** The port of failure groups (interface 2.7). */
import type { Failure, Repository, TestId } from "@lazaret/domain"
import { Context, type Effect, type Option } from "effect"
import type { StoreError } from "../StoreError.ts"

/** A failure group with its latest events, newest first. */
export interface FailureDetail {
  readonly failure: Failure.Failure
  readonly events: ReadonlyArray<Failure.FailureEvent>
}

/**
 * The port that reads failure groups. They are written by `ExecutionStore.append`.
 *
 * **Laws**
 *
 * An execution of the default branch with exception data belongs to exactly one group (`Failure.groupOf`): a failed one,
 * or a flaky pass with the exception of its first failed attempt. A test keeps the `Failure.maximumGroups` groups that failed last, a group its `Failure.latestEvents` latest events; counts
 * stay exact while a group is kept.
 */
export class FailureStore extends Context.Service<
  FailureStore,
  {
    /** The groups of a test, the one that failed last first, ties by id; none when the test is unknown. */
    readonly list: (
      ref: Repository.RepositoryRef,
      testId: TestId.TestId
    ) => Effect.Effect<Option.Option<ReadonlyArray<Failure.Failure>>, StoreError>
    /** One group of a test; none when test or group is unknown. */
    readonly get: (
      ref: Repository.RepositoryRef,
      testId: TestId.TestId,
      failureId: Failure.FailureId
    ) => Effect.Effect<Option.Option<FailureDetail>, StoreError>
  }
>()("@lazaret/store/FailureStore") {}
