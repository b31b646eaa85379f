/** Contradictions on other branches as they are read back for a fold: rows of `branch_contradictions`. */
import type { Instant, Repository } from "@lazaret/domain"
import { Effect } from "effect"
import type { Where } from "./BlockRows.ts"
import type { BlockRange } from "./ChunkRows.ts"
import type { FoldContradiction } from "./Replay.ts"
import { slots } from "../codec/BlockCounts.ts"
import * as Surrogate from "../codec/Surrogate.ts"
import * as Parameter from "../database/Parameter.ts"

/** A contradiction with its run. */
export interface RunContradiction extends FoldContradiction {
  readonly runId: string
  readonly baseBranch: string | null
  readonly openedAt: Instant.Instant
}

/**
 * The contradictions on the tests of blocks that are later than an instant, by block. A block without such a contradiction is
 * absent; so are all blocks where the setting leaves contradictions out.
 */
export const select = (
  where: Where & { readonly settings: Pick<Repository.RepositorySettings, "flakinessEvidence"> },
  wanted: ReadonlyArray<BlockRange>
) =>
  Effect.map(
    wanted.length === 0 || where.settings.flakinessEvidence === "default_branch"
      ? Effect.succeed([])
      : selectRows(where, wanted),
    (rows): ReadonlyMap<number, ReadonlyArray<RunContradiction>> => {
      const found = new Map<number, Array<RunContradiction>>()
      for (const row of rows) {
        const blockNo = Math.floor(row.test_no / slots)
        const list = found.get(blockNo)
        if (list === undefined) found.set(blockNo, [contradictionOf(row)])
        else list.push(contradictionOf(row))
      }
      return found
    }
  )

interface Row {
  readonly test_no: number
  readonly at: Instant.Instant
  readonly upload_no: number
  readonly ordinal: number
  readonly commit_no: number
  readonly run_id: string
  readonly branch: string | null
  readonly base_branch: string | null
  readonly opened_at: Instant.Instant
}

const contradictionOf = (row: Row): RunContradiction => ({
  id: Surrogate.id(row.upload_no, row.ordinal),
  at: row.at,
  commit: row.commit_no,
  conclusion: "contradicted",
  branch: row.branch ?? "",
  slot: row.test_no % slots,
  upload: row.upload_no,
  ordinal: row.ordinal,
  runId: row.run_id,
  baseBranch: row.base_branch,
  openedAt: row.opened_at
})

const beginning: Instant.Instant = -62_135_596_800_000

const selectRows = ({ repositoryId, sql }: Where, wanted: ReadonlyArray<BlockRange>) => sql<Row>`
  SELECT c.test_no, c.at, c.upload_no, c.ordinal, c.commit_no, c.run_id, c.branch, c.base_branch, c.opened_at
  FROM unnest(
    ${Parameter.int4s(wanted.map(({ blockNo }) => blockNo * slots))},
    ${Parameter.instants(wanted.map(({ after }) => after ?? beginning))}
  ) AS n (first_test, after_at)
  CROSS JOIN LATERAL (
    SELECT test_no, at, upload_no, ordinal, commit_no, run_id, branch, base_branch, opened_at
    FROM branch_contradictions
    WHERE repository_id = ${repositoryId} AND test_no BETWEEN n.first_test AND n.first_test + ${slots - 1}::int
      AND at > n.after_at
    OFFSET 0
  ) c`
