/** The port of readings: CI runs, those whose artifacts are to be read, and how they stand. */
import type { CiRun, Instant, Repository } from "@lazaret/domain"
import { Context, type Effect, type Option } from "effect"
import type { LeasedPublication } from "./PublicationStore.ts"
import type { StoreError } from "../StoreError.ts"
import type { LeaseRequest } from "../driver/LeaseRequest.ts"

/** A leased run; the other fields are those of a leased publication. */
export interface LeasedReading extends Omit<LeasedPublication, "commit"> {
  readonly runId: string
}

/**
 * Keeps the runs that are to be read.
 *
 * **Laws**
 *
 * Those of `PublicationStore`, about runs instead of commits: a request is kept until a reading that was leased after it is
 * done; requests for one run are one reading; one process at a time has the lease of a run.
 *
 * - *Order-free.* States of a run may be noted in any order, and repeatedly: the latest one is kept (`CiRun.later`).
 */
export class ReadingStore extends Context.Service<
  ReadingStore,
  {
    /** Requests the reading of a run from an instant on. Creates the repository. */
    readonly request: (
      ref: Repository.RepositoryRef,
      runId: string,
      at: Instant.Instant
    ) => Effect.Effect<void, StoreError>
    /** Leases runs of any repository whose time has come, the longest due first. */
    readonly lease: (request: LeaseRequest) => Effect.Effect<ReadonlyArray<LeasedReading>, StoreError>
    /** Ends a reading that is done, or given up; `false`, and nothing changed, when the lease is not ours any more. */
    readonly finish: (leased: LeasedReading) => Effect.Effect<boolean, StoreError>
    /** Keeps a reading that failed until an instant; `false`, and nothing changed, when the lease is not ours any more. */
    readonly defer: (leased: LeasedReading, until: Instant.Instant) => Effect.Effect<boolean, StoreError>
    /** Notes that a job of the repository uploaded a report itself; nothing where the repository does not exist. */
    readonly uploaded: (ref: Repository.RepositoryRef, at: Instant.Instant) => Effect.Effect<void, StoreError>
    /** Notes the state of a run, and deletes those of a day before it; changes nothing where the repository does not exist. */
    readonly noteRun: (ref: Repository.RepositoryRef, run: CiRun.CiRun) => Effect.Effect<void, StoreError>
    /** The runs on these commits, and those with these ids, in the order of their ids. */
    readonly runs: (
      ref: Repository.RepositoryRef,
      of: { readonly commits: ReadonlyArray<string>; readonly runIds: ReadonlyArray<string> }
    ) => Effect.Effect<ReadonlyArray<CiRun.CiRun>, StoreError>
    /** When a job uploaded a report itself, as noted last: the latest instant. */
    readonly lastUpload: (ref: Repository.RepositoryRef) => Effect.Effect<Option.Option<Instant.Instant>, StoreError>
  }
>()("@lazaret/store/ReadingStore") {}
