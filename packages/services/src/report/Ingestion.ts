/** The use case of recording a test report. */
import { ClockSkew, type Execution, Instant, Report, Repository } from "@lazaret/domain"
import { type AppendOutcome, ExecutionStore, ReadingStore, Slices, type StoreError } from "@lazaret/store"
import { Cache, Clock, Context, Effect, Exit, Layer } from "effect"
import { v5 } from "uuid"
import { Automation } from "../quarantine/Automation.ts"
import * as ServiceMetrics from "../background/ServiceMetrics.ts"
import { IdempotencyConflict, Invalid } from "../answer/ServiceError.ts"
import { FirstVerdicts } from "../failure/FirstVerdicts.ts"
import { CauseRounds } from "../insight/CauseRounds.ts"
import { MissingRounds } from "../insight/MissingRounds.ts"
import { CostRounds } from "../insight/CostRounds.ts"
import { SlowerRounds } from "../insight/SlowerRounds.ts"
import { CommitNotice } from "../ports/CommitNotice.ts"
import * as ChangingNames from "./ChangingNames.ts"
import { isCommitId, PullBases } from "./PullBases.ts"
import * as RunEnd from "./RunEnd.ts"

/**
 * A parsed report as a caller uploads it.
 *
 * **Details**
 *
 * - `idempotencyKey`: without it, one is derived from the job run and the content.
 * - `digest`: identifies the content, such as its SHA-256.
 * - `finishedAt`: when the run finished; without it, at the arrival.
 * - `hasDistinctNames`: no two of the cases have the same name; without it, equal names are looked for.
 * - `listed`: how many test cases the report lists, each attempt of an execution included; without it, the number of
 *   `cases`.
 * - `warnings`: the warnings of the parser; the receipt returns them.
 * - `hasPassed`: the tests of the job run ended with 0, and no report of it lists a failure.
 * - `isFetched`: this server read the report itself, from an artifact of the run.
 */
export interface Upload {
  readonly idempotencyKey?: string | null
  readonly digest: string
  readonly finishedAt?: number | null
  readonly run: Report.RunContext
  readonly cases: ReadonlyArray<Report.Case>
  readonly hasDistinctNames?: boolean
  readonly listed?: number
  readonly warnings?: ReadonlyArray<string>
  readonly hasPassed?: boolean
  readonly isFetched?: true
}

/**
 * The answer to an upload.
 *
 * **Details**
 *
 * `received` is the sum of `recorded`, `duplicates` and `expired`. `expired` are the results from before the retention
 * horizon, which are not recorded; null without such results. `skipped` counts the skipped tests among the received
 * results, `identities` the identities in the report. `unshownBranch` is the branch of the report while the repository has
 * no known default branch, so that it is not shown; else null. A repeated upload has the `reportId` of the first one and only
 * duplicates. `warnings` are those of the parser, and one of names that change with each run (`ChangingNames`).
 */
export interface Receipt {
  readonly reportId: string
  readonly received: number
  readonly recorded: number
  readonly duplicates: number
  readonly skipped: number
  readonly identities: number
  readonly expired: { readonly results: number; readonly horizon: Instant.Instant } | null
  readonly unshownBranch: string | null
  readonly warnings: ReadonlyArray<string>
}

/** Records test reports: idempotent, in one transaction, safe to retry. */
export class Ingestion extends Context.Service<
  Ingestion,
  {
    /**
     * Records a report; an idempotency key of another report is `IdempotencyConflict`, and a report of a fork with too many new tests
     * is `Invalid`.
     */
    readonly record: (
      ref: Repository.RepositoryRef,
      upload: Upload
    ) => Effect.Effect<Receipt, IdempotencyConflict | Invalid | StoreError>
  }
>()("@lazaret/services/Ingestion") {
  /** The use case over the storage ports. */
  static readonly layer = Layer.effect(
    Ingestion,
    Effect.gen(function* () {
      const executions = yield* ExecutionStore
      const automation = yield* Automation
      const { notice } = yield* CommitNotice
      const firstVerdicts = yield* FirstVerdicts
      const causes = yield* CauseRounds
      const missing = yield* MissingRounds
      const costs = yield* CostRounds
      const slower = yield* SlowerRounds
      const pullBase = yield* PullBases
      const noteUpload = yield* uploadNotes
      const changingNames = yield* ChangingNames.make
      const passOf = yield* RunEnd.make

      const record = Effect.fn("Ingestion.record")(function* (ref: Repository.RepositoryRef, given: Upload) {
        const receivedAt = yield* Clock.currentTimeMillis
        const upload = withCases(given, given.hasPassed === true ? yield* passOf(ref, given.run) : [])
        const base = yield* pullBase(ref, upload.run)
        const parts = {
          key: upload.idempotencyKey ?? v5(`${Report.runKey(upload.run)}\0${upload.digest}`, Report.namespace),
          digest: upload.digest,
          receivedAt,
          finishedAt: upload.finishedAt ?? receivedAt,
          run: base === null ? upload.run : { ...upload.run, baseBranch: base }
        }
        const made = yield* executionsOf(Report.executionOf(parts, upload), upload.cases)
        const report = Report.of(parts, made.executions)
        const outcome = yield* executions.append(ref, report)
        if (outcome._tag === "Conflict") {
          yield* ServiceMetrics.refusedReport
          return yield* new IdempotencyConflict({
            owner: ref.owner,
            repository: ref.repository,
            idempotencyKey: report.key
          })
        }
        if (outcome._tag === "Exceeded") {
          yield* ServiceMetrics.refusedReport
          return yield* new Invalid({ faults: [{ _tag: "TooManyNewTests", most: Report.mostTestsOfForks }] })
        }
        yield* Effect.yieldNow
        const receipt = receiptOf({ report, ...made }, outcome, upload)
        yield* ServiceMetrics.report(receipt, outcome._tag !== "Duplicate")
        if (upload.isFetched !== true && !Report.isFork(upload.run)) yield* noteUpload(ref)
        if (receipt.recorded > 0) {
          yield* noticed(automation, ref, report)
          if (made.failed > 0 && !Report.isFork(upload.run)) yield* causes.request(ref)
          if (upload.run.baseBranch === null && !Report.isFork(upload.run)) {
            yield* missing.request(ref)
            yield* slower.request(ref)
          }
          if (!Report.isFork(upload.run)) yield* costs.request(ref)
          yield* firstVerdicts.request({ ref, commit: upload.run.commit, hasFailed: made.failed > 0 })
        }
        if (isCommitId(upload.run.commit)) yield* notice(ref, upload.run.commit)
        if (receipt.recorded === 0) return receipt
        const changed = yield* changingNames(ref, upload.run, report.executions, receivedAt)
        return { ...receipt, warnings: [...receipt.warnings, ...changed] }
      })

      return Ingestion.of({ record })
    })
  )
}

/**
 * Notes that jobs of a repository upload themselves, at most once an hour: a run whose artifacts are read as well would
 * count twice. The report is recorded already, so that a failure is logged, and the next upload tries again.
 */
const uploadNotes = Effect.gen(function* () {
  const readings = yield* ReadingStore
  const noted = yield* Cache.makeWith(
    (key: string) => {
      const [owner = "", repository = ""] = key.split("/")
      return Effect.flatMap(Clock.currentTimeMillis, (at) => readings.uploaded({ owner, repository }, at))
    },
    { capacity: 10_000, timeToLive: (exit) => (Exit.isSuccess(exit) ? "1 hour" : 0) }
  )
  return (ref: Repository.RepositoryRef) =>
    Cache.get(noted, Repository.key(ref)).pipe(
      Effect.catch((error) => Effect.logWarning("The upload of a job was not noted", error))
    )
})

const withCases = (upload: Upload, more: ReadonlyArray<Report.Case>): Upload =>
  more.length === 0
    ? upload
    : {
        ...upload,
        cases: [...upload.cases, ...more],
        hasDistinctNames: false,
        listed: (upload.listed ?? upload.cases.length) + more.length
      }

/** The executions of a report, how many of them failed, and how many the receipt counts as skipped and as identities. */
interface Made {
  readonly executions: Array<Execution.Execution>
  failed: number
  skipped: number
  identities: number
}

const executionsOf = Effect.fnUntraced(function* (
  executionOf: ReturnType<typeof Report.executionOf>,
  cases: ReadonlyArray<Report.Case>
) {
  const made: Made = { executions: [], failed: 0, skipped: 0, identities: 0 }
  yield* Slices.visit(cases, 8192, (case_) => {
    const execution = executionOf(case_)
    made.executions.push(execution)
    if (execution.conclusion === "failed") made.failed += 1
    if (execution.conclusion === "skipped") made.skipped += 1
    if (Report.isFirst(execution)) made.identities += 1
  })
  return made
})

/** The report is recorded already: a defect of the automation is logged, and does not fail the upload. */
const noticed = (automation: Automation["Service"], ref: Repository.RepositoryRef, report: Report.Report) =>
  automation.notice(ref, namesOf(report)).pipe(
    Effect.catchDefect((defect) => Effect.logError("The automation failed to notice a report", defect)),
    Effect.annotateLogs({ owner: ref.owner, repository: ref.repository, reportId: report.id })
  )

/** One after another: most repositories have no automatic quarantine, and then nobody reads them. */
function* namesOf({ executions }: Report.Report): Generator<string> {
  for (const { testName } of executions) yield testName
}

const receiptOf = (
  { identities, report, skipped }: Pick<Made, "identities" | "skipped"> & { readonly report: Report.Report },
  outcome: Exclude<AppendOutcome, { readonly _tag: "Conflict" | "Exceeded" }>,
  { finishedAt = null, listed, run, warnings = [] }: Upload
): Receipt => {
  const executions = report.executions.length
  const isDuplicate = outcome._tag === "Duplicate"
  const expired = "expired" in outcome ? outcome.expired : 0
  return {
    reportId: "reportId" in outcome ? outcome.reportId : report.id,
    received: listed ?? executions,
    recorded: isDuplicate ? 0 : executions - expired,
    duplicates: isDuplicate ? executions : 0,
    skipped,
    identities,
    expired: "expired" in outcome ? { results: outcome.expired, horizon: outcome.horizon } : null,
    unshownBranch: "withoutDefaultBranch" in outcome ? ownBranchOf(run) : null,
    warnings: [...clockWarnings(finishedAt, report.receivedAt), ...warnings]
  }
}

/** A run cannot have finished after its arrival. */
const clockWarnings = (finishedAt: Instant.Instant | null, receivedAt: Instant.Instant): ReadonlyArray<string> =>
  finishedAt === null || !ClockSkew.isTooFarAhead(finishedAt, receivedAt)
    ? []
    : [`The end of the run, ${Instant.toIso(finishedAt)}, is in the future: the time of arrival was recorded instead.`]

/** The branch of a run that could be the default branch: not that of a pull request or of a merge queue. */
const ownBranchOf = ({ baseBranch, branch }: Report.RunContext): string | null =>
  baseBranch !== null || branch === null || Repository.isMergeQueueBranch(branch) ? null : branch
