/** Idempotency: which reports are stored under the key or with the content of others. */
import { createHash } from "node:crypto"
import type { Report } from "@lazaret/domain"
import { Claim as Rules } from "@lazaret/store"
import { Effect } from "effect"
import * as Parameter from "../database/Parameter.ts"
import type { Session } from "../repository/Session.ts"

/** A report with the hashes that identify it, and the same hashes as texts. */
export interface Candidate extends Rules.Candidate {
  readonly keyHash: Uint8Array
  readonly contentHash: Uint8Array
}

/** A report as a candidate. */
export const candidateOf = (report: Report.Report, added: number): Candidate => {
  const [keyHash, contentHash] = [hash(report.key), hash(Rules.contentOf(report))]
  return { report, keyHash, contentHash, key: hex(keyHash), content: hex(contentHash), added }
}

/** The stored reports that share a key or a content with a candidate. */
export const claimed = (session: Session, candidates: ReadonlyArray<Candidate>) =>
  Effect.map(select(session, candidates), (rows): ReadonlyArray<Rules.Claimed> =>
    rows.map((row) => ({ key: hex(row.key_hash), content: hex(row.content_hash), reportId: row.report_id }))
  )

/** The hash of a text. */
export const hash = (text: string): Uint8Array => createHash("sha256").update(text, "utf8").digest()

/** A hash as a text that can be a key. */
export const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")

interface Row {
  readonly key_hash: Uint8Array
  readonly content_hash: Uint8Array
  readonly report_id: string
}

const select = ({ repositoryId, sql }: Session, candidates: ReadonlyArray<Candidate>) => sql<Row>`
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
