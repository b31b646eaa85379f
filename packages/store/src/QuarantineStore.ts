/** The port of quarantines (interface 2.9, 3.3). */
import type { Event, Instant, Page, Quarantine, Repository, TestId } from "@lazaret/domain"
import { Context, type Effect, type Option } from "effect"
import type { StoreError } from "./StoreError.ts"

/** The start of a page of quarantines: creation time, then id. */
export interface QuarantinePosition {
  readonly createdAt: Instant.Instant
  readonly id: string
}

/**
 * The active quarantines to list.
 *
 * **Details**
 *
 * `branch` yields the records of that branch and those of every branch; null fields filter nothing; `limit` null yields
 * all.
 */
export interface QuarantineQuery {
  readonly branch: string | null
  readonly testId: TestId.TestId | null
  readonly source: Quarantine.Source | null
  readonly from: Page.From<QuarantinePosition>
  readonly limit: number | null
}

/** A quarantine that the automation wants, with what it saw. */
export interface Proposal {
  readonly quarantine: Quarantine.Quarantine
  readonly evidence: Event.Detail
}

/**
 * The limits of the automation within a repository.
 *
 * **Details**
 *
 * - `most` automatic records may have been created after `since`, ended ones included.
 * - A test of which a person ended a record at or after `restSince` is left alone.
 */
export interface AutomationLimits {
  readonly since: Instant.Instant
  readonly most: number
  readonly restSince: Instant.Instant
}

/**
 * The port of quarantines.
 *
 * **Laws**
 *
 * - Of two records with the same `Quarantine.key` at most one is active, also when both are inserted at the same time.
 * - Lists are ordered by creation time, then id, ascending.
 * - A removed record is kept with who and when, and is in no list.
 */
export class QuarantineStore extends Context.Service<
  QuarantineStore,
  {
    /**
     * Stores an active record; `false`, and nothing stored, when an active one has its key. Creates the repository. Its
     * beginning is in the log of events.
     */
    readonly insert: (
      ref: Repository.RepositoryRef,
      quarantine: Quarantine.Quarantine
    ) => Effect.Effect<boolean, StoreError>
    /**
     * Stores those of the automation's records that the limits allow, in the order given, and yields them: as many as
     * there is room for, none whose key an active record has, and none of a test that rests. Exact, also when several
     * processes do it concurrently. A record was ended by a person when its `removedBy` is not `Event.auto`.
     */
    readonly insertAutomatic: (
      ref: Repository.RepositoryRef,
      proposals: ReadonlyArray<Proposal>,
      limits: AutomationLimits
    ) => Effect.Effect<ReadonlyArray<Quarantine.Quarantine>, StoreError>
    /** The active record with this id. */
    readonly get: (
      ref: Repository.RepositoryRef,
      id: string
    ) => Effect.Effect<Option.Option<Quarantine.Quarantine>, StoreError>
    /** One page of the active records, with the number of all that match. */
    readonly page: (
      ref: Repository.RepositoryRef,
      query: QuarantineQuery
    ) => Effect.Effect<Page.Page<Quarantine.Quarantine>, StoreError>
    /** Ends the active record with this id and logs an event; `false` when no active record has this id. */
    readonly remove: (
      ref: Repository.RepositoryRef,
      id: string,
      removal: Event.Removal
    ) => Effect.Effect<boolean, StoreError>
    /** Those of the test names that are quarantined on a branch (null: by a record for every branch). */
    readonly among: (
      ref: Repository.RepositoryRef,
      testNames: ReadonlyArray<string>,
      branch: string | null
    ) => Effect.Effect<ReadonlySet<string>, StoreError>
    /** Every record of a test, ended ones included, in list order. */
    readonly past: (
      ref: Repository.RepositoryRef,
      testId: TestId.TestId
    ) => Effect.Effect<ReadonlyArray<Quarantine.Quarantine>, StoreError>
  }
>()("@lazaret/store/QuarantineStore") {}
