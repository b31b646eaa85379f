/** The port of readings, and its rules over a driver: CI runs, those whose artifacts are to be read, and how they stand. */
import { CiRun, Instant, JobTime, type Repository, Text } from "@lazaret/domain"
import { Context, Effect, Option } from "effect"
import type { StoreError } from "../StoreError.ts"
import type { LeaseRequest } from "../driver/LeaseRequest.ts"
import type { Driver, View } from "../Driver.ts"
import { ciRuns, jobTimes, ownUploads, type ReadingRow, readings } from "../Rows.ts"
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
    /**
     * Notes the times of jobs, and deletes those that ended `JobTime.bounds.days` before one of them; changes nothing where the repository
     * does not exist. Of two times of one job the one that ended last is kept.
     */
    readonly noteTimes: (
      ref: Repository.RepositoryRef,
      times: ReadonlyArray<JobTime.JobTime>
    ) => Effect.Effect<void, StoreError>
    /** The times of jobs that ended at an instant or later, in the order of their ends, runs, attempts and names. */
    readonly times: (
      ref: Repository.RepositoryRef,
      since: Instant.Instant
    ) => Effect.Effect<ReadonlyArray<JobTime.JobTime>, StoreError>
    /** When a job uploaded a report itself, as noted last: the latest instant. */
    readonly lastUpload: (ref: Repository.RepositoryRef) => Effect.Effect<Option.Option<Instant.Instant>, StoreError>
  }
>()("@lazaret/store/ReadingStore") {
  /** The port over a driver. */
  static readonly over = (driver: Driver["Service"]): ReadingStore["Service"] => make(driver)
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
    noteTimes: (ref, times) =>
      times.length === 0
        ? Effect.void
        : driver.transact("ReadingStore.noteTimes", ref, null, (transaction) =>
            Effect.gen(function* () {
              const runIds = [...new Set(times.map(({ runId }) => runId))]
              const known = yield* transaction.select(jobTimes, { where: [["runId", "in", runIds]], order: [] })
              const latest = new Map(known.map((time) => [timeKey(time), time]))
              const last = times.reduce((latestEnd, { at }) => Math.max(latestEnd, at), 0)
              for (const time of times) {
                if ((latest.get(timeKey(time))?.at ?? -1) < time.at) latest.set(timeKey(time), time)
              }
              const before = new Set(known)
              const changed = [...latest.values()].filter((time) => !before.has(time))
              if (changed.length > 0) yield* transaction.put(jobTimes, changed)
              yield* transaction.remove(jobTimes, [["at", "<", last - JobTime.bounds.days * Instant.day]])
            })
          ),
    times: (ref, since) =>
      Effect.gen(function* () {
        const found: Array<JobTime.JobTime> = []
        let last: JobTime.JobTime | undefined
        do {
          const after: ReadonlyArray<string | number> | undefined =
            last === undefined ? undefined : [last.at, last.runId, last.runAttempt, last.jobName]
          const page: ReadonlyArray<JobTime.JobTime> = yield* driver.read("ReadingStore.times", ref, (view) =>
            view.select(jobTimes, {
              where: [["at", ">=", since]],
              order: ["at", "runId", "runAttempt", "jobName"],
              ...(after !== undefined && { after }),
              limit: timesOfPage
            })
          )
          found.push(...page)
          last = page.length < timesOfPage ? undefined : page.at(-1)
          yield* Effect.yieldNow
        } while (last !== undefined)
        return found
      }),
    lastUpload: (ref) => Effect.map(driver.read("ReadingStore.lastUpload", ref, lastUpload), Option.fromNullOr)
  })
}

/** Times that are read before other fibers run. */
const timesOfPage = 2000

const timeKey = ({ jobName, runAttempt, runId }: JobTime.JobTime): string => [runId, runAttempt, jobName].join("\0")

const lastUpload = (view: View) =>
  Effect.map(view.select(ownUploads, { where: [], order: [] }), ([row]) => row?.at ?? null)

const ofSubject = ({ runId: subject, ...leased }: LeasedReading): Due.Leased => ({ ...leased, subject })
