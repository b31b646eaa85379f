/** The tables of cost: the last result, and the next round of each repository. */
import { CostKnown } from "@lazaret/domain"
import { Schema } from "effect"
import * as Due from "../driver/Due.ts"
import { Num, rowsOf } from "../driver/RowFields.ts"
import type { Table } from "../driver/Table.ts"

/** The last result. */
export interface CostRow {
  readonly known: CostKnown.CostKnown
}

/** The last results: one row per repository. */
export const costs: Table<CostRow> = {
  name: "costs",
  scope: "repository",
  columns: { known: "json" },
  key: [],
  ...rowsOf(Schema.Struct({ known: CostKnown.CostKnown }))
}

/**
 * The next round of a repository, the holder and end of its lease, and when the last one was; null before the first.
 *
 * **Details**
 *
 * `restUntil`: the earliest time of the next round that a report requests.
 */
export interface CostRoundRow extends Due.Due {
  readonly computedAt: number | null
  readonly restUntil: number
}

/** Rounds: one row per repository. */
export const costRounds: Table<CostRoundRow> = {
  name: "cost_rounds",
  scope: "repository",
  columns: { ...Due.columns, computedAt: "instant", restUntil: "instant" },
  key: [],
  ...rowsOf(Schema.Struct({ ...Due.fields, computedAt: Schema.NullOr(Num), restUntil: Num }))
}
