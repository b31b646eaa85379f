/** Idempotency: which of the reports at hand are new. */
import { createHash } from "node:crypto"
import type { Report } from "@lazaret/domain"
import { Claim } from "@lazaret/store"
import { Effect } from "effect"
import * as Parameter from "../database/Parameter.ts"
import type { Session } from "../repository/Session.ts"

/** A new report with the hashes that identify it. */
export interface NewReport {
  readonly report: Report.Report
  readonly keyHash: Uint8Array
  readonly contentHash: Uint8Array
}

/** Decides about each report (`Claim.claim` of the rules of storage), and yields those that are new, in the same order. */
export const claim = Effect.fnUntraced(function* (session: Session, reports: ReadonlyArray<Report.Report>) {
  const hashed = reports.map((report) => {
    const [keyHash, contentHash] = [hash(report.key), hash(Claim.contentOf(report))]
    return { report, keyHash, contentHash, key: hex(keyHash), content: hex(contentHash) }
  })
  const known = (yield* select(session, hashed)).map((row) => ({
    key: hex(row.key_hash),
    content: hex(row.content_hash),
    reportId: row.report_id
  }))
  const { fresh, outcomes } = Claim.claim(hashed, known, session.horizon)
  return { fresh, outcomes }
})

/** The hash of a text. */
export const hash = (text: string): Uint8Array => createHash("sha256").update(text, "utf8").digest()

/** A hash as a text that can be a key. */
export const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")

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
