/** The port of missing tests: which tests job runs executed, the losses that follow, and when they are next computed. */
import type { Instant, LossRecord, MissingFacts, MissingRound, Repository } from "@lazaret/domain"
import { Context, type Effect } from "effect"
import type { LeaseRequest } from "../driver/LeaseRequest.ts"
import type { StoreError } from "../StoreError.ts"

/** A repository whose losses are computed by the holder of the lease; `attempts` says how often that failed in a row. */
export interface LeasedMissing {
  readonly ref: Repository.RepositoryRef
  readonly attempts: number
  readonly requests: number
  readonly lease: string
}

/** Runs that somebody asks about: those on a commit with one of these ids, forks included. `before`: the base counts up to then, exclusively. */
export interface AskedRuns {
  readonly commit: string
  readonly runIds: ReadonlyArray<string>
  readonly before: Instant.Instant
}

/**
 * A question about the tests that jobs executed.
 *
 * **Details**
 *
 * - `now`: job runs of the default branch count within `MissingFacts.bounds.days` before it.
 * - `runs`: null for all jobs, whose `others` and `own` are empty then; else the jobs of these runs, and the other shards of them.
 */
export interface MissingQuery {
  readonly now: Instant.Instant
  readonly runs: AskedRuns | null
}

/** The last round of a repository; `computedAt` is null before the first one. */
export interface MissingProgress extends Pick<MissingRound.MissingRound, "jobs" | "missingRuns"> {
  readonly computedAt: Instant.Instant | null
}

/**
 * The port of missing tests.
 *
 * **Laws**
 *
 * - *Facts.* The same reports give the same histories whatever their order of arrival and however they were cut into uploads.
 * - *Bounded.* Of each job at most `MissingFacts.bounds.runs` job runs are read; tests are numbers in sets, and names are read for those
 *   that are asked for. Numbers hold within one group.
 * - *One at a time.* One process has the lease of a repository, however many ask; a lease that has run out is anybody's.
 * - A request is kept until a round that was leased after it has ended. Requests are one piece of work per repository.
 * - `replace` and `fail` count only for the holder of the lease, and end it. `replace` writes the events of new losses to the log in
 *   the same transaction, each once.
 */
export class MissingStore extends Context.Service<
  MissingStore,
  {
    /** Calls `judge` for the jobs of each group, in the order of pipelines and groups, and yields its values with names. One moment. */
    readonly histories: <A>(
      ref: Repository.RepositoryRef,
      query: MissingQuery,
      judge: MissingFacts.Judge<A>
    ) => Effect.Effect<ReadonlyArray<MissingFacts.Named<A>>, StoreError>
    /** Requests a round from an instant on. Creates the repository. */
    readonly request: (ref: Repository.RepositoryRef, at: Instant.Instant) => Effect.Effect<void, StoreError>
    /** Leases repositories whose time has come, the longest due first. */
    readonly lease: (request: LeaseRequest) => Effect.Effect<ReadonlyArray<LeasedMissing>, StoreError>
    /** Stores what `compute` makes of the records that are stored; `false`, and nothing stored, when the lease is not ours any more. */
    readonly replace: (
      leased: LeasedMissing,
      times: { readonly computedAt: Instant.Instant; readonly againAt: Instant.Instant },
      compute: (before: ReadonlyArray<LossRecord.LossRecord>) => MissingRound.MissingRound
    ) => Effect.Effect<boolean, StoreError>
    /** Puts the round off after a failure; `false`, and nothing changed, when the lease is not ours any more. */
    readonly fail: (leased: LeasedMissing, until: Instant.Instant) => Effect.Effect<boolean, StoreError>
    /** The last round. */
    readonly progress: (ref: Repository.RepositoryRef) => Effect.Effect<MissingProgress, StoreError>
    /** The records of a repository, the latest first. */
    readonly list: (ref: Repository.RepositoryRef) => Effect.Effect<ReadonlyArray<LossRecord.LossRecord>, StoreError>
  }
>()("@lazaret/store/MissingStore") {}
