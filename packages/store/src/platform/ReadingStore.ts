/** The port of readings, and its rules over a driver: CI runs, those whose artifacts are to be read, and how they stand. */
import { CiRun, Instant, type Repository, Text } from "@lazaret/domain"
import { Context, Effect, Option } from "effect"
import type { StoreError } from "../StoreError.ts"
import type { LeaseRequest } from "../driver/LeaseRequest.ts"
import type { Driver, View } from "../Driver.ts"
import { ciRuns, ownUploads, type ReadingRow, readings } from "../Rows.ts"
import * as Due from "../driver/Due.ts"

/** A leased run. */
export interface LeasedReading extends Due.LeasedRepository {
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
>()("@lazaret/store/ReadingStore") {
  /** The port over a driver. */
  static over(driver: Driver["Service"]): ReadingStore["Service"] {
    return make(driver)
  }
}

const kind: Due.Kind<ReadingRow> = {
  port: "ReadingStore",
  table: readings,
  subjectOf: ({ runId }) => runId,
  blank: (runId) => ({ runId, ...Due.unrequested }),
  where: (runId) => [["runId", "=", runId]]
}

const make = (driver: Driver["Service"]): ReadingStore["Service"] => {
  const due = Due.make(driver, kind)
  return ReadingStore.of({
    request: due.request,
    lease: (request) =>
      Effect.map(due.lease(request), (all) => all.map(({ subject: runId, ...leased }) => ({ ...leased, runId }))),
    finish: (leased) => due.finish(ofSubject(leased)),
    defer: (leased, until) => due.defer(ofSubject(leased), until),
    uploaded: (ref, at) =>
      driver.transact("ReadingStore.uploaded", ref, null, (transaction) =>
        Effect.flatMap(lastUpload(transaction), (last) =>
          last !== null && last >= at ? Effect.void : transaction.put(ownUploads, [{ at }])
        )
      ),
    noteRun: (ref, run) =>
      driver.transact("ReadingStore.noteRun", ref, null, (transaction) =>
        Effect.gen(function* () {
          const [known] = yield* transaction.select(ciRuns, { where: [["runId", "=", run.runId]], order: [] })
          const latest = known === undefined ? run : CiRun.later(run, known)
          if (latest === known) return
          yield* transaction.put(ciRuns, [latest])
          yield* transaction.remove(ciRuns, [["at", "<", run.at - Instant.day]])
        })
      ),
    runs: (ref, { commits, runIds }) =>
      driver.read("ReadingStore.runs", ref, (view) =>
        Effect.gen(function* () {
          const onCommits = yield* view.select(ciRuns, { where: [["commit", "in", commits]], order: [] })
          const named = yield* view.select(ciRuns, { where: [["runId", "in", runIds]], order: [] })
          const found = new Map([...onCommits, ...named].map((run) => [run.runId, run]))
          return [...found.values()].sort((a, b) => Text.compare(a.runId, b.runId))
        })
      ),
    lastUpload: (ref) => Effect.map(driver.read("ReadingStore.lastUpload", ref, lastUpload), Option.fromNullOr)
  })
}

const lastUpload = (view: View) =>
  Effect.map(view.select(ownUploads, { where: [], order: [] }), ([row]) => row?.at ?? null)

const ofSubject = ({ runId: subject, ...leased }: LeasedReading): Due.Leased => ({ ...leased, subject })
