/** Tables: the small, plain rows that every driver keeps, as data that a driver can make columns from. */
import type { Effect, Schema } from "effect"

/** The type of a column: an instant is a number of milliseconds, JSON any value that `JSON.stringify` keeps. */
export type ColumnType = "text" | "uuid" | "integer" | "instant" | "json"

/**
 * The shape of a table.
 *
 * **Details**
 *
 * - `columns`: the type of every field of a row. Any field may be null.
 * - `key`: the fields that tell rows of one repository apart; without any there is one row for each repository.
 * - `unique`: a field that no two rows of the table share, in addition to the key.
 * - `scope`: whether a row belongs to one repository, or to the whole store.
 * - `row`: the schema of the rows: the values that each field may have.
 */
export interface Shape {
  readonly name: string
  readonly scope: "repository" | "store"
  readonly columns: { readonly [field: string]: ColumnType }
  readonly key: ReadonlyArray<string>
  readonly unique?: string
  readonly row: Schema.Codec<object, unknown>
}

/** A table of rows; `decode` reads rows that have left the process, and refuses values that are not rows. */
export interface Table<Row extends object> extends Shape {
  readonly columns: { readonly [Field in keyof Row & string]: ColumnType }
  readonly key: ReadonlyArray<keyof Row & string>
  readonly unique?: keyof Row & string
  /** The row with each of its secrets changed; absent for a table without secrets. */
  readonly secrets?: (row: Row, change: (text: string, field: string) => string) => Row
  readonly row: Schema.Codec<Row, unknown>
  readonly decode: (rows: unknown) => Effect.Effect<ReadonlyArray<Row>, Schema.SchemaError>
}

/** The value that a field is compared with. */
export type Value = string | number | null

/**
 * The condition on a row: a field compared with a value, or among several.
 *
 * **Details**
 *
 * `=` finds null where the value is null. The other comparisons never find null, and compare texts by code points.
 */
export type Condition<Row extends object> =
  | readonly [field: keyof Row & string, operator: "=" | "<" | "<=" | ">" | ">=", value: Value]
  | readonly [field: keyof Row & string, operator: "in", values: ReadonlyArray<string | number>]

/**
 * The rows to select, and their order.
 *
 * **Details**
 *
 * - `where`: all of the conditions hold.
 * - `order`: ascending by these fields, each of which breaks ties of those before it; `isDescending` turns the whole
 *   order round.
 * - `after`: only rows that come after this position in that order; it has a value for each field of `order`.
 * - `limit`: at most this many rows.
 */
export interface Query<Row extends object> {
  readonly where: ReadonlyArray<Condition<Row>>
  readonly order: ReadonlyArray<keyof Row & string>
  readonly isDescending?: boolean
  readonly after?: ReadonlyArray<string | number>
  readonly limit?: number
}
