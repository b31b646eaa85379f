/** The tables of losses: their records, and the next round of each repository. */
import { LossRecord } from "@lazaret/domain"
import { Schema } from "effect"
import * as Due from "../driver/Due.ts"
import { Num, rowsOf } from "../driver/RowFields.ts"
import type { Table } from "../driver/Table.ts"

/** A loss, and the instant of its first run. */
export interface LossRow {
  readonly lossId: string
  readonly at: number
  readonly known: LossRecord.LossRecord
}

/** Losses: one row for each. */
export const losses: Table<LossRow> = {
  name: "losses",
  scope: "repository",
  columns: { lossId: "uuid", at: "instant", known: "json" },
  key: ["lossId"],
  ...rowsOf(Schema.Struct({ lossId: Schema.String, at: Num, known: LossRecord.LossRecord }))
}

/** The next round of a repository, the holder and end of its lease, and the last round (`MissingRound`). */
export interface MissingRoundRow extends Due.Due {
  readonly computedAt: number | null
  readonly jobs: number
  readonly missingRuns: number
}

/** Rounds: one row per repository. */
export const missingRounds: Table<MissingRoundRow> = {
  name: "missing_rounds",
  scope: "repository",
  columns: { ...Due.columns, computedAt: "instant", jobs: "integer", missingRuns: "integer" },
  key: [],
  ...rowsOf(Schema.Struct({ ...Due.fields, computedAt: Schema.NullOr(Num), jobs: Num, missingRuns: Num }))
}
