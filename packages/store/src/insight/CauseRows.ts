/** The tables of causes: their records, and the next round of each repository. */
import { CauseRecord } from "@lazaret/domain"
import { Schema } from "effect"
import * as Due from "../driver/Due.ts"
import type { Table } from "../driver/Table.ts"
import { Num, rowsOf } from "../driver/RowFields.ts"

/** The records of causes. */
export const causes: Table<CauseRecord.CauseRecord> = {
  name: "causes",
  scope: "repository",
  columns: {
    causeId: "uuid",
    known: "json",
    bornAt: "instant",
    goneAt: "instant",
    from: "json",
    owner: "text",
    ticket: "text",
    silencedUntil: "instant",
    closedAt: "instant",
    changedBy: "text",
    changedAt: "instant"
  },
  key: ["causeId"],
  ...rowsOf(CauseRecord.CauseRecord)
}

/**
 * The next round of a repository, the holder and end of its lease, and the last round.
 *
 * **Details**
 *
 * - `computedAt`: null before the first round; `redRuns`, `missingRuns`: of the last one (`CauseRound`).
 * - `changes`: counts the writes of records, so that a reader sees that its copy is old.
 */
export interface CauseRoundRow extends Due.Due {
  readonly computedAt: number | null
  readonly redRuns: number
  readonly missingRuns: number
  readonly changes: number
}

/** Rounds: one row per repository. */
export const causeRounds: Table<CauseRoundRow> = {
  name: "cause_rounds",
  scope: "repository",
  columns: {
    ...Due.columns,
    computedAt: "instant",
    redRuns: "integer",
    missingRuns: "integer",
    changes: "integer"
  },
  key: [],
  ...rowsOf(
    Schema.Struct({
      ...Due.fields,
      computedAt: Schema.NullOr(Num),
      redRuns: Num,
      missingRuns: Num,
      changes: Num
    })
  )
}
