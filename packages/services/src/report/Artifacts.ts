/** The use case of reading test reports from the artifacts of CI runs, without a change to the jobs. */
import { Glob, Instant, Report, Repository, UploadOrigin } from "@lazaret/domain"
import { type LeasedReading, ReadingStore, RepositoryStore, type StoreError } from "@lazaret/store"
import { Clock, Context, Effect, Layer, Option, Result, Stream } from "effect"
import * as RepositoryCreation from "../answer/RepositoryCreation.ts"
import * as Rounds from "../background/Rounds.ts"
import { v5 } from "uuid"
import { ArchiveReader, type ArchivedReport } from "./ArchiveReader.ts"
import type { ForgeError } from "../ports/Forge.ts"
import { Ingestion } from "./Ingestion.ts"
import { NoWorkflowRuns } from "../answer/ServiceError.ts"
import { type RunArtifact, type WorkflowRun, WorkflowRuns } from "../ports/WorkflowRuns.ts"

/**
 * The names of artifacts that hold test reports, as most projects choose them. With them, artifacts that the platform itself
 * takes for test reports are read, too, whatever their names.
 */
export const commonNames: ReadonlyArray<string> = ["*test*", "*junit*", "*report*", "*results*", "*ctrf*"]

/** The bounds of reading one run. */
export const limits = {
  /** Artifacts of a run that are read, and packed bytes of one. */
  artifacts: 50,
  bytes: 100 * 1024 * 1024,
  /** Runs that are read at once after deliveries, by this process; further ones wait, in the store. */
  atOnce: 2,
  /** Failures in a row, about four hours, after which the reading of a run is given up. */
  attempts: 50,
  /** Runs of one step of a backfill. */
  runs: 10
}

/**
 * When artifacts with common names are read without being asked for: in a repository whose jobs have not uploaded for
 * `quietFor`, and `after` the end of a run, so that an upload of one of its jobs has arrived.
 */
const unasked = { quietFor: 30 * Instant.day, after: 5 * Instant.minute }

/** The result of reading: artifacts, recorded reports, reports that were known already, and unreadable files. */
export interface ArtifactsRead {
  readonly runs: number
  readonly artifacts: number
  readonly recorded: number
  readonly duplicates: number
  readonly problems: ReadonlyArray<string>
}

/** A step of a backfill; `nextPage` is where the next one starts, null at the end. */
export interface BackfillStep extends ArtifactsRead {
  readonly nextPage: number | null
}

/** The time between two rounds of reading, in milliseconds. */
export const ReadingPace: Context.Reference<{ readonly every: number }> = Context.Reference<{ readonly every: number }>(
  "@lazaret/services/ReadingPace",
  { defaultValue: () => ({ every: 2 * Instant.second }) }
)

/**
 * Reads the reports of completed runs.
 *
 * **Laws**
 *
 * - *Once.* Each artifact counts once, however often it is read.
 * - *Nothing is lost.* A run that was noticed is read, also when the process dies or the platform fails for hours.
 */
export class Artifacts extends Context.Service<
  Artifacts,
  {
    /**
     * Requests the reading of a completed run, when the settings of its repository name artifacts, or leave them open and no
     * job uploads by itself; yields whether it will be read.
     */
    readonly notice: (ref: Repository.RepositoryRef, runId: string) => Effect.Effect<boolean, StoreError>
    /** Reads the runs that are due, and yields how many it took on. */
    readonly round: Effect.Effect<number, StoreError>
    /**
     * Reads the artifacts of a page of runs that were created since an instant, the newest first, with the times of their runs.
     *
     * A step that fails has recorded what it read; the same step again counts nothing twice. Runs that are created in the
     * meantime move others to the next page, so that none is left out.
     */
    readonly backfill: (
      ref: Repository.RepositoryRef,
      at: { readonly from: Instant.Instant; readonly page: number }
    ) => Effect.Effect<BackfillStep, ForgeError | NoWorkflowRuns | StoreError>
  }
>()("@lazaret/services/Artifacts") {
  /** The use case over the platform, the parser and the ingestion. */
  static readonly layer = Layer.effect(
    Artifacts,
    Effect.gen(function* () {
      const runs = yield* WorkflowRuns
      const repositories = yield* RepositoryStore
      const readRun = yield* reader
      const readings = yield* ReadingStore
      const admits = RepositoryCreation.admits(repositories, yield* RepositoryCreation.RepositoryCreation)

      const namesOf = (ref: Repository.RepositoryRef) =>
        Effect.map(
          repositories.get(ref),
          Option.match({
            onNone: () => Repository.defaultSettings.artifacts,
            onSome: ({ settings }) => settings.artifacts
          })
        )

      /** The names to read at an instant; none where the jobs upload, unless the settings name artifacts. */
      const wantedAt = Effect.fnUntraced(function* (ref: Repository.RepositoryRef, now: Instant.Instant) {
        const names = yield* namesOf(ref)
        if (names !== null) return names
        const last = yield* readings.lastUpload(ref)
        return Option.exists(last, (at) => at > now - unasked.quietFor) ? [] : commonNames
      })

      const notice = Effect.fn("Artifacts.notice")(function* (ref: Repository.RepositoryRef, runId: string) {
        if (runs === null) return false
        const now = yield* Clock.currentTimeMillis
        const names = yield* wantedAt(ref, now)
        if (names.length === 0 || (names === commonNames && !(yield* admits(ref)))) return false
        yield* readings.request(ref, runId, names === commonNames ? now + unasked.after : now)
        return true
      })

      const readLeased = Effect.fnUntraced(function* ({ ref, runId }: LeasedReading) {
        const names = yield* wantedAt(ref, yield* Clock.currentTimeMillis)
        if (runs === null || names.length === 0) return
        // A run that is not completed is noticed again when it is.
        const run = yield* runs.get(ref, runId)
        if (run !== null) yield* logged(yield* readRun(ref, run, names))
      })

      const settle = Effect.fnUntraced(function* (leased: LeasedReading) {
        const result = yield* Effect.result(readLeased(leased))
        if (Result.isSuccess(result)) return yield* readings.finish(leased)
        const now = yield* Clock.currentTimeMillis
        const next = Rounds.retryAt(result.failure, { attempts: leased.attempts, most: limits.attempts, now })
        const then = next === null ? "given up" : `the next attempt is at ${Instant.toIso(next)}`
        yield* Effect.logWarning(`The artifacts of a run cannot be read (${result.failure.message}); ${then}`)
        return yield* next === null ? readings.finish(leased) : readings.defer(leased, next)
      })

      const round = yield* Rounds.ofLeases({
        lease: readings.lease,
        leaseTime,
        atOnce: limits.atOnce,
        work: settle,
        failure: "The artifacts of a run cannot be read",
        about: ({ ref, runId }) => ({ repository: Repository.key(ref), runId })
      })

      const backfill = Effect.fn("Artifacts.backfill")(function* (
        ref: Repository.RepositoryRef,
        { from, page }: { readonly from: Instant.Instant; readonly page: number }
      ) {
        if (runs === null) return yield* new NoWorkflowRuns({ owner: ref.owner, repository: ref.repository })
        const names = (yield* namesOf(ref)) ?? []
        const latest = yield* runs.latest(ref, { page, perPage: limits.runs })
        const found = latest.runs.filter(({ createdAt }) => createdAt >= from)
        const read = yield* Effect.forEach(found, (run) => readRun(ref, run, names.length === 0 ? commonNames : names))
        const isLast = latest.isLast || found.length < latest.runs.length
        return { ...read.reduce(sum, nothing), nextPage: isLast ? null : page + 1 }
      })

      return Artifacts.of({ notice, round, backfill })
    })
  )

  /** Reads in rounds, and continues at once while runs are due. */
  static readonly layerRounds = Rounds.layer(Artifacts, ReadingPace, "The artifacts of runs cannot be read")
}

/** After a process that died. A reading that takes longer may be made twice, which counts nothing twice. */
const leaseTime = 15 * Instant.minute

const nothing: ArtifactsRead = { runs: 0, artifacts: 0, recorded: 0, duplicates: 0, problems: [] }

const sum = (a: ArtifactsRead, b: ArtifactsRead): ArtifactsRead => ({
  runs: a.runs + b.runs,
  artifacts: a.artifacts + b.artifacts,
  recorded: a.recorded + b.recorded,
  duplicates: a.duplicates + b.duplicates,
  problems: [...a.problems, ...b.problems]
})

const logged = ({ artifacts, problems, recorded }: ArtifactsRead) =>
  Effect.logInfo("The artifacts of a run were read").pipe(
    Effect.annotateLogs({ artifacts, recorded, problems: problems.slice(0, 10) })
  )

/** Reads the artifacts of a run whose names match, and records the reports in them. */
const reader = Effect.gen(function* () {
  const runs = yield* WorkflowRuns
  const read = yield* ArchiveReader
  const ingestion = yield* Ingestion

  const readArtifact = Effect.fnUntraced(function* (
    ref: Repository.RepositoryRef,
    run: WorkflowRun,
    artifact: RunArtifact
  ) {
    if (runs === null) return nothing
    if (artifact.size > limits.bytes) return problem(artifact, `it has more than ${limits.bytes} bytes.`)
    const counts = { recorded: 0, duplicates: 0 }
    const problems: Array<string> = []
    const opened = yield* Effect.result(runs.download(ref, artifact.id))
    if (Result.isFailure(opened)) {
      const { message, reason } = opened.failure
      // Skip an artifact that was deleted or is not an archive.
      return reason === "refused" ? problem(artifact, message) : yield* opened.failure
    }
    const bytes = bounded(opened.success)
    const unreadable = yield* read(bytes, (report) => {
      const bound = UploadOrigin.bind(run.origin, contextOf(run, artifact, report))
      if (Result.isFailure(bound)) return Effect.sync(() => void problems.push(`${report.path}: it is of another run`))
      const upload = {
        ...report,
        idempotencyKey: keyOf(artifact, report),
        run: bound.success,
        isFetched: true
      } as const
      return ingestion.record(ref, { ...upload, finishedAt: report.finishedAt ?? artifact.createdAt }).pipe(
        Effect.map(({ duplicates, recorded }) => {
          counts.recorded += recorded
          counts.duplicates += duplicates
        }),
        // The artifact was recorded before with other content: the first one counts.
        Effect.catchTag("IdempotencyConflict", () => Effect.void),
        // The report of a fork is refused; the other reports of the run still count.
        Effect.catchTag("Invalid", () =>
          Effect.sync(() => void problems.push(`${report.path}: it has too many new tests`))
        )
      )
    })
    problems.push(...unreadable.map(({ message, path }) => `${path === "" ? "" : `${path}: `}${message}`))
    return { ...nothing, ...counts, artifacts: 1, problems: problems.map((each) => `${artifact.name}: ${each}`) }
  })

  return Effect.fnUntraced(function* (ref: Repository.RepositoryRef, run: WorkflowRun, names: ReadonlyArray<string>) {
    if (runs === null) return nothing
    const matchers = names.map((name) => Glob.compile(name.toLowerCase()))
    const kept = yield* runs.artifacts(ref, run.id)
    const isCommon = names === commonNames
    const chosen = kept.filter(
      ({ isReport, name }) => (isCommon && isReport) || matchers.some((matches) => matches(name.toLowerCase()))
    )
    const all = yield* Effect.forEach(chosen.slice(0, limits.artifacts), (artifact) => readArtifact(ref, run, artifact))
    return { ...all.reduce(sum, nothing), runs: 1 }
  })
})

const problem = ({ name }: RunArtifact, message: string): ArtifactsRead => ({
  ...nothing,
  artifacts: 1,
  problems: [`${name}: ${message}`]
})

/** The stated size is that of the platform; the bytes that arrive are counted, too. */
const bounded = <E>(bytes: Stream.Stream<Uint8Array, E>): Stream.Stream<Uint8Array, E> =>
  Stream.suspend(() => {
    let total = 0
    return Stream.takeWhile(bytes, (piece) => {
      total += piece.length
      return total <= limits.bytes
    })
  })

/**
 * The run of a report: what the platform knows about it. The job is the artifact, which is all that names one.
 *
 * An artifact from before the latest attempt belongs to an earlier one.
 */
const contextOf = (run: WorkflowRun, artifact: RunArtifact, { hints }: ArchivedReport): Report.RunContext => ({
  ...Report.contextOf({ pipelineName: run.workflow, jobName: artifact.name, commit: run.commit }),
  runId: run.id,
  runAttempt:
    artifact.attempt ?? (artifact.createdAt < run.attemptStartedAt ? Math.max(1, run.attempt - 1) : run.attempt),
  jobUrl: run.url,
  framework: hints.framework ?? null,
  frameworkVersion: hints.frameworkVersion ?? null,
  language: hints.language ?? null
})

/** A run lists its artifacts after each of its attempts. */
const keyOf = ({ key }: RunArtifact, { path }: ArchivedReport): string => `${key}:${v5(path, Report.namespace)}`
