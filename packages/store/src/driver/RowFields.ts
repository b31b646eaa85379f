/** The schemas of the fields of rows, and the decoder of rows. */
import { Schema } from "effect"
import type { Table } from "./Table.ts"

/** Any number. */
export const Num = Schema.Number

/** Any text. */
export const Str = Schema.String

/** The schema of the rows of a table, and the decoder of rows that have left the process; made once for each table. */
export const rowsOf = <Row extends object>(row: Schema.Codec<Row, unknown>): Pick<Table<Row>, "row" | "decode"> => ({
  row,
  decode: Schema.decodeUnknownEffect(Schema.Array(row))
})
