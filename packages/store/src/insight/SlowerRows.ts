/** The tables of slower tests: what is known of them, and the next round of each repository. */
import { SlowerKnown } from "@lazaret/domain"
import { Schema } from "effect"
import * as Due from "../driver/Due.ts"
import { Num, rowsOf } from "../driver/RowFields.ts"
import type { Table } from "../driver/Table.ts"

/** The slower tests of the last round. */
export interface SlowerRow {
  readonly known: SlowerKnown.SlowerKnown
}

/** The slower tests of the last rounds: one row per repository. */
export const slowerTests: Table<SlowerRow> = {
  name: "slower_tests",
  scope: "repository",
  columns: { known: "json" },
  key: [],
  ...rowsOf(Schema.Struct({ known: SlowerKnown.SlowerKnown }))
}

/** The next round of a repository, the holder and end of its lease, and when the last one was; null before the first. */
export interface SlowerRoundRow extends Due.Due {
  readonly computedAt: number | null
}

/** Rounds: one row per repository. */
export const slowerRounds: Table<SlowerRoundRow> = {
  name: "slower_rounds",
  scope: "repository",
  columns: { ...Due.columns, computedAt: "instant" },
  key: [],
  ...rowsOf(Schema.Struct({ ...Due.fields, computedAt: Schema.NullOr(Num) }))
}
