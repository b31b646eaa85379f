/** The use case of recording a test report. */
import { Instant, Report, type Repository } from "@lazaret/domain"
import { type AppendOutcome, ExecutionStore, type StoreError } from "@lazaret/store"
import { Clock, Context, Effect, Layer } from "effect"
import { v5 } from "uuid"
import { Automation } from "./Automation.ts"
import * as Count from "./Count.ts"
import { Conflict } from "./ServiceError.ts"

/**
 * A parsed report as a caller uploads it.
 *
 * **Details**
 *
 * - `idempotencyKey`: null derives one from the job run and the content.
 * - `digest`: identifies the content, such as its SHA-256.
 * - `finishedAt`: when the run finished; null stands for the arrival.
 * - `warnings`: what the parser noticed; given back in the receipt.
 */
export interface Upload {
  readonly idempotencyKey: string | null
  readonly digest: string
  readonly finishedAt: number | null
  readonly run: Report.RunContext
  readonly cases: ReadonlyArray<Report.Case>
  readonly warnings: ReadonlyArray<string>
}

/**
 * The answer to an upload.
 *
 * **Details**
 *
 * `received` is `recorded` + `duplicates`, and what is older than the server keeps results: a warning tells how many.
 * `skipped` is how many of the received ones were skipped tests. `identities`
 * counts the identities in the report. A repeated upload has the `reportId` of the first one and only duplicates.
 */
export interface Receipt {
  readonly reportId: string
  readonly received: number
  readonly recorded: number
  readonly duplicates: number
  readonly skipped: number
  readonly identities: number
  readonly warnings: ReadonlyArray<string>
}

/** Records test reports: idempotent, in one transaction, safe to retry. */
export class Ingestion extends Context.Service<
  Ingestion,
  {
    /** Records a report; the same idempotency key with other content is a conflict. */
    readonly record: (ref: Repository.RepositoryRef, upload: Upload) => Effect.Effect<Receipt, Conflict | StoreError>
  }
>()("@lazaret/services/Ingestion") {
  /** The use case over the storage ports. */
  static readonly layer = Layer.effect(
    Ingestion,
    Effect.gen(function* () {
      const executions = yield* ExecutionStore
      const automation = yield* Automation

      const record = Effect.fn("Ingestion.record")(function* (ref: Repository.RepositoryRef, upload: Upload) {
        const receivedAt = yield* Clock.currentTimeMillis
        const report = Report.make({
          key: upload.idempotencyKey ?? v5(`${Report.runKey(upload.run)}\0${upload.digest}`, Report.namespace),
          digest: upload.digest,
          receivedAt,
          finishedAt: upload.finishedAt ?? receivedAt,
          run: upload.run,
          cases: upload.cases
        })
        // Of hundreds of thousands of cases every pass takes so long that other requests should get their turn.
        yield* Effect.yieldNow
        const outcome = yield* executions.append(ref, report)
        if (outcome._tag === "Conflict") return yield* Effect.andThen(Count.refusedReport, keyTaken)
        const receipt = receiptOf(report, outcome, upload.warnings)
        yield* Count.report(receipt, outcome._tag !== "Duplicate")
        if (receipt.recorded > 0) yield* automation.notice(ref, new Set(report.executions.map(nameOf)))
        return receipt
      })

      return Ingestion.of({ record })
    })
  )
}

const nameOf = ({ testName }: Report.Report["executions"][number]): string => testName

const receiptOf = (
  report: Report.Report,
  outcome: Exclude<AppendOutcome, { readonly _tag: "Conflict" }>,
  warnings: ReadonlyArray<string>
): Receipt => {
  const received = report.executions.length
  const isDuplicate = outcome._tag === "Duplicate"
  const expired = "expired" in outcome ? outcome.expired : 0
  return {
    reportId: "reportId" in outcome ? outcome.reportId : report.id,
    received,
    recorded: isDuplicate ? 0 : received - expired,
    duplicates: isDuplicate ? received : 0,
    skipped: report.executions.filter((execution) => execution.conclusion === "skipped").length,
    identities: Report.testCount(report),
    warnings: "expired" in outcome ? [...warnings, tooOld(outcome)] : warnings
  }
}

const tooOld = ({ expired, horizon }: { readonly expired: number; readonly horizon: Instant.Instant }): string => {
  const day = Instant.toIso(horizon).slice(0, 10)
  const results = expired === 1 ? "1 result" : `${expired} results`
  return `${results} from before ${day} ${expired === 1 ? "was" : "were"} not recorded: older results are no longer kept.`
}

const keyTaken = new Conflict({
  message:
    "This idempotency key was used for another report. Use a new key for new content, or repeat the first upload " +
    "unchanged."
})
