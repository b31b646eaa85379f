/** The port of issues: the record of each, and when the issues of a repository are next compared with its tests. */
import type { Event, Instant, Repository, TestIssue } from "@lazaret/domain"
import { Context, type Effect, type Option } from "effect"
import type { StoreError } from "../StoreError.ts"
import type { LeaseRequest } from "../driver/LeaseRequest.ts"

/** A repository whose issues are leased; `attempts` says how often the work failed in a row. */
export interface LeasedIssues {
  readonly ref: Repository.RepositoryRef
  readonly attempts: number
  readonly requests: number
  readonly lease: string
}

/** The last comparison of the issues of a repository with its tests; `failure` says why it failed, null after a success. */
export interface IssueProgress {
  readonly attempts: number
  readonly failure: string | null
  readonly checkedAt: Instant.Instant
  readonly nextAt: Instant.Instant
}

/** The progress at the end of a lease; `againAt` is the next time where a request arrived during the lease. */
export interface SettledIssues extends IssueProgress {
  readonly againAt: Instant.Instant
}

/**
 * The port of issues.
 *
 * **Laws**
 *
 * - A request is kept until work that was leased after it is settled. Requests are one piece of work per repository, at the
 *   earliest of their times; after a failure, at the time of `settle`.
 * - One at a time has the lease of a repository, however many processes ask; a lease that has run out is anybody's.
 * - `keep` and `settle` count only for who still has the lease; `settle` ends it.
 * - A test has one record. It is stored with its events, or not at all.
 * - The removal of a test removes its name from the record of its issue; `drop` ends the record.
 */
export class IssueStore extends Context.Service<
  IssueStore,
  {
    /** Requests a comparison from an instant on. Creates the repository. */
    readonly request: (ref: Repository.RepositoryRef, at: Instant.Instant) => Effect.Effect<void, StoreError>
    /** Leases repositories whose time has come, the longest due first. */
    readonly lease: (request: LeaseRequest) => Effect.Effect<ReadonlyArray<LeasedIssues>, StoreError>
    /** Stores a record and appends events; `false`, and nothing stored, when the lease is not ours any more. */
    readonly keep: (
      leased: LeasedIssues,
      record: TestIssue.TestIssue,
      events: ReadonlyArray<Event.Event>
    ) => Effect.Effect<boolean, StoreError>
    /** Removes the record of a test that was deleted; `false`, and nothing removed, when the lease is not ours any more. */
    readonly drop: (leased: LeasedIssues, testId: TestIssue.TestIssue["testId"]) => Effect.Effect<boolean, StoreError>
    /**
     * Stores the progress and ends the lease; with null, nothing more is due but what was requested during the lease. `false`,
     * and nothing changed, when the lease is not ours any more.
     */
    readonly settle: (leased: LeasedIssues, progress: SettledIssues | null) => Effect.Effect<boolean, StoreError>
    /** The records of a repository, by test id. */
    readonly list: (ref: Repository.RepositoryRef) => Effect.Effect<ReadonlyArray<TestIssue.TestIssue>, StoreError>
    /** The last comparison; none before the first. */
    readonly progress: (ref: Repository.RepositoryRef) => Effect.Effect<Option.Option<IssueProgress>, StoreError>
  }
>()("@lazaret/store/IssueStore") {}
