/** The port of publications, and its rules over a driver: the commits whose report on the hosting platform is to be brought up to date. */
import type { Instant, Repository } from "@lazaret/domain"
import { Context, Effect } from "effect"
import type { StoreError } from "../StoreError.ts"
import type { LeaseRequest } from "../driver/LeaseRequest.ts"
import type { Driver } from "../Driver.ts"
import { type PublicationRow, publications } from "../Rows.ts"
import * as Due from "../driver/Due.ts"

/** A leased commit. */
export interface LeasedPublication extends Due.LeasedRepository {
  readonly commit: string
}

/**
 * The port of publications.
 *
 * **Laws**
 *
 * - A request is kept until a publication that was leased after it is done. So nothing is lost when a process dies.
 * - Requests for one commit are one publication. Its time is the earliest of theirs; after a failure, that of `defer`.
 * - One at a time has the lease of a commit, however many processes ask; a lease that has run out is anybody's.
 * - `finish` and `defer` count only for who still has the lease; they end it. A request that arrived during the lease
 *   stays due.
 */
export class PublicationStore extends Context.Service<
  PublicationStore,
  {
    /** Requests the publication of a commit from an instant on. Creates the repository. */
    readonly request: (
      ref: Repository.RepositoryRef,
      commit: string,
      at: Instant.Instant
    ) => Effect.Effect<void, StoreError>
    /** Leases commits of any repository whose time has come, the longest due first. */
    readonly lease: (request: LeaseRequest) => Effect.Effect<ReadonlyArray<LeasedPublication>, StoreError>
    /** Ends a publication that is done, or given up; `false`, and nothing changed, when the lease is not ours any more. */
    readonly finish: (leased: LeasedPublication) => Effect.Effect<boolean, StoreError>
    /** Keeps a publication that failed until an instant; `false`, and nothing changed, when the lease is not ours any more. */
    readonly defer: (leased: LeasedPublication, until: Instant.Instant) => Effect.Effect<boolean, StoreError>
  }
>()("@lazaret/store/PublicationStore") {
  /** The port over a driver. */
  static readonly over = (driver: Driver["Service"]): PublicationStore["Service"] => make(driver)
}

const kind: Due.Kind<PublicationRow> = {
  port: "PublicationStore",
  table: publications,
  subjectOf: ({ commit }) => commit,
  blank: (commit) => ({ commit, ...Due.unrequested }),
  where: (commit) => [["commit", "=", commit]]
}

const make = (driver: Driver["Service"]): PublicationStore["Service"] => {
  const due = Due.make(driver, kind)
  return PublicationStore.of({
    request: due.request,
    lease: (request) =>
      Effect.map(due.lease(request), (all) => all.map(({ subject: commit, ...leased }) => ({ ...leased, commit }))),
    finish: (leased) => due.finish(ofSubject(leased)),
    defer: (leased, until) => due.defer(ofSubject(leased), until)
  })
}

const ofSubject = ({ commit: subject, ...leased }: LeasedPublication): Due.Leased => ({ ...leased, subject })
