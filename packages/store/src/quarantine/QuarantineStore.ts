/** The port of quarantines (interface 2.9, 3.3). */
import type { Event, Instant, Page, Quarantine, QuarantineLife, Repository, TestId } from "@lazaret/domain"
import { Context, type Effect, type Option } from "effect"
import type { StoreError } from "../StoreError.ts"

/** The start of a page of quarantines: creation time, then id. */
export interface QuarantinePosition {
  readonly createdAt: Instant.Instant
  readonly id: string
}

/**
 * The quarantines to list that are active at `now`.
 *
 * **Details**
 *
 * `branch` yields the records that hold in runs of that branch (`Repository.placeOf`); null fields filter nothing; `limit`
 * null yields all.
 */
export interface QuarantineQuery {
  readonly branch: string | null
  readonly testId: TestId.TestId | null
  readonly source: Quarantine.Source | null
  readonly from: Page.From<QuarantinePosition>
  readonly limit: number | null
  readonly now: Instant.Instant
}

/** The names of tests, the branch of a run (null: of any run), and the instant. */
export interface AmongQuery {
  readonly testNames: ReadonlyArray<string>
  readonly branch: string | null
  readonly now: Instant.Instant
}

/** The records that an instant has ended, and those whose reminder it has made due. */
export interface Elapsed {
  readonly expired: ReadonlyArray<Quarantine.Quarantine>
  readonly reminded: ReadonlyArray<Quarantine.Quarantine>
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
 * - A test of which a record ended at or after `restSince`, other than by the automation, is left alone.
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
 * - *On time.* From the instant at which its life ends, a record is active for no read and no write (`Quarantine.isActive`),
 *   whether that end is stored or not.
 * - *Once.* The end of a life is stored with one event, at the end itself, by the first write of the repository that comes
 *   after it: `elapse`, or another one of this port. So is a reminder, by `elapse`.
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
     * processes do it concurrently. A record was ended by the automation when its `removedBy` is `Event.auto`.
     */
    readonly insertAutomatic: (
      ref: Repository.RepositoryRef,
      proposals: ReadonlyArray<Proposal>,
      limits: AutomationLimits
    ) => Effect.Effect<ReadonlyArray<Quarantine.Quarantine>, StoreError>
    /** The record with this id that is active at an instant. */
    readonly get: (
      ref: Repository.RepositoryRef,
      id: string,
      now: Instant.Instant
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
    /**
     * Changes the life of the active record with this id, logs an event when that changes something, and yields the record;
     * none when no active record has this id. A field that is absent stays, also under concurrent changes of other fields. While
     * its end stays, its reminder stays as it is.
     */
    readonly setLife: (
      ref: Repository.RepositoryRef,
      id: string,
      life: Partial<QuarantineLife.Life>,
      change: Event.Change
    ) => Effect.Effect<Option.Option<Quarantine.Quarantine>, StoreError>
    /** The repositories in which `elapse` has something to do, each once. */
    readonly elapsing: (now: Instant.Instant) => Effect.Effect<ReadonlyArray<Repository.RepositoryRef>, StoreError>
    /** Stores the ends and the reminders that are due, with their events, and yields them. */
    readonly elapse: (ref: Repository.RepositoryRef, now: Instant.Instant) => Effect.Effect<Elapsed, StoreError>
    /** Those of the test names that are quarantined in runs of a branch (null: by a record that holds in every run). */
    readonly among: (ref: Repository.RepositoryRef, query: AmongQuery) => Effect.Effect<ReadonlySet<string>, StoreError>
    /** Every record of a test, ended ones included, in list order. */
    readonly past: (
      ref: Repository.RepositoryRef,
      testId: TestId.TestId
    ) => Effect.Effect<ReadonlyArray<Quarantine.Quarantine>, StoreError>
  }
>()("@lazaret/store/QuarantineStore") {}
