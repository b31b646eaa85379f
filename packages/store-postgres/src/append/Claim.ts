/** Idempotency: what of the reports at hand is new. */
import { createHash } from "node:crypto"
import { Report } from "@lazaret/domain"
import type { AppendOutcome } from "@lazaret/store"
import { Effect } from "effect"
import * as Parameter from "../database/Parameter.ts"
import type { Session } from "../repository/Session.ts"

/** A report that is new, with the hashes that it is known by. */
export interface NewReport {
  readonly report: Report.Report
  readonly keyHash: Uint8Array
  readonly contentHash: Uint8Array
}

/** What becomes of each report, and those that are new, in the same order. */
export interface Claims {
  readonly outcomes: ReadonlyArray<AppendOutcome>
  readonly fresh: ReadonlyArray<NewReport>
}

/**
 * Decides for each report whether it is new, a duplicate or a conflict, the earlier ones of the list counted.
 *
 * **Details**
 *
 * The key comes first: under a key that was used, only the same content of the same job run is a duplicate.
 */
export const claim = Effect.fnUntraced(function* (session: Session, reports: ReadonlyArray<Report.Report>) {
  const candidates = reports.map(hashed)
  const known = new Known(yield* select(session, candidates))
  const fresh: Array<NewReport> = []
  const outcomes = candidates.map((candidate): AppendOutcome => {
    const earlier = known.outcome(candidate)
    if (earlier !== null) return earlier
    known.add(candidate)
    fresh.push(candidate)
    return { _tag: "Recorded", reportId: candidate.report.id }
  })
  const claims: Claims = { outcomes, fresh }
  return claims
})

/** The hash of a text. */
export const hash = (text: string): Uint8Array => createHash("sha256").update(text, "utf8").digest()

/** A hash as a text that can be a key. */
export const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")

const hashed = (report: Report.Report): NewReport => ({
  report,
  keyHash: hash(report.key),
  // The same content of another job run is another report.
  contentHash: hash(`${Report.runKey(report.run)}\0${report.digest}`)
})

interface Row {
  readonly key_hash: Uint8Array
  readonly content_hash: Uint8Array
  readonly report_id: string
}

const select = ({ repositoryId, sql }: Session, candidates: ReadonlyArray<NewReport>) => sql<Row>`
  SELECT u.key_hash, u.content_hash, u.report_id
  FROM unnest(
    ${Parameter.byteas(candidates.map((each) => each.keyHash))},
    ${Parameter.byteas(candidates.map((each) => each.contentHash))}
  ) AS n (key_hash, content_hash)
  CROSS JOIN LATERAL (
    SELECT key_hash, content_hash, report_id
    FROM uploads
    WHERE repository_id = ${repositoryId} AND key_hash = n.key_hash
    UNION ALL
    SELECT key_hash, content_hash, report_id
    FROM uploads
    WHERE repository_id = ${repositoryId} AND content_hash = n.content_hash
  ) u`

/** Uploads by their key and by their content. */
class Known {
  private readonly byKey = new Map<string, { readonly reportId: string; readonly content: string }>()
  private readonly byContent = new Map<string, string>()

  constructor(rows: ReadonlyArray<Row>) {
    for (const row of rows) this.put(row.key_hash, row.content_hash, row.report_id)
  }

  add({ contentHash, keyHash, report }: NewReport): void {
    this.put(keyHash, contentHash, report.id)
  }

  outcome({ contentHash, keyHash }: NewReport): AppendOutcome | null {
    const content = hex(contentHash)
    const earlier = this.byKey.get(hex(keyHash))
    if (earlier !== undefined) {
      return earlier.content === content ? { _tag: "Duplicate", reportId: earlier.reportId } : { _tag: "Conflict" }
    }
    const same = this.byContent.get(content)
    return same === undefined ? null : { _tag: "Duplicate", reportId: same }
  }

  private put(keyHash: Uint8Array, contentHash: Uint8Array, reportId: string): void {
    this.byKey.set(hex(keyHash), { reportId, content: hex(contentHash) })
    this.byContent.set(hex(contentHash), reportId)
  }
}
