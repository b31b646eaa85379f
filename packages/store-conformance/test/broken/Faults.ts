/** The tools of broken drivers: changes of what is read, of what is asked, and of the tables that are written. */
import type { Query, Scope, Table, Transaction, View } from "@lazaret/store"
import { Effect } from "effect"
import { type Engine, withTransactions, withViews } from "./Broken.ts"

/** A fault: how it changes a driver, and the laws that it breaks. */
export interface BrokenDriver {
  readonly fault: string
  readonly laws: ReadonlyArray<string>
  readonly change: (driver: Engine) => Engine
}

type Rewritten = <Row extends object>(query: Query<Row>, table: Table<Row>) => Query<Row>

/** Changes what is read, in transactions and outside of them. */
export const withReads = (driver: Engine, change: (view: View) => Partial<View>): Engine =>
  withViews(withTransactions(driver, change), change)

/** Asks for other rows than those of the query. */
export const withQueries = (driver: Engine, change: Rewritten): Engine =>
  withReads(driver, ({ page, select }) => ({
    select: (table, query) => select(table, change(query, table)),
    page: (table, query) => page(table, change(query, table))
  }))

/** Compares by other operators. */
export const withOperators = (
  driver: Engine,
  others: Readonly<Record<string, "=" | "<" | "<=" | ">" | ">=">>
): Engine =>
  withQueries(driver, (query) => ({
    ...query,
    where: query.where.map((one) =>
      one[1] === "in" || one[2] === null ? one : [one[0], others[one[1]] ?? one[1], one[2]]
    )
  }))

/** Yields other rows than those that were found. */
export const withRows = (driver: Engine, change: (row: object) => object): Engine =>
  withReads(driver, ({ select }) => ({
    select: (table, query) =>
      // The rows keep their type in all but the fault.
      Effect.map(select(table, query), (rows) => rows.map((row) => change(row) as typeof row))
  }))

/** Takes tables for other ones when it writes. */
export const withTables = (driver: Engine, change: <Row extends object>(table: Table<Row>) => Table<Row>): Engine =>
  withTransactions(driver, ({ put }) => ({ put: (table, rows) => put(change(table), rows) }))

/** The operations of a transaction, each in a transaction of its own. */
export const apart = (driver: Engine, operation: string, scope: Scope, at: number | null): Transaction => ({
  ...reading(driver, operation, scope),
  put: (...what) => driver.transact(operation, scope, at, (each) => each.put(...what)),
  remove: (...what) => driver.transact(operation, scope, at, (each) => each.remove(...what)),
  log: (events) => driver.transact(operation, scope, at, (each) => each.log(events))
})

export const reading = (driver: Engine, operation: string, scope: Scope): View => ({
  select: (...what) => driver.read(operation, scope, (view) => view.select(...what)),
  page: (...what) => driver.read(operation, scope, (view) => view.page(...what)),
  count: (...what) => driver.read(operation, scope, (view) => view.count(...what)),
  distinct: (...what) => driver.read(operation, scope, (view) => view.distinct(...what)),
  head: driver.read(operation, scope, (view) => view.head)
})

export const keyOf = <Row extends object>(table: Table<Row>, row: Row): string =>
  JSON.stringify(table.key.map((field) => row[field]))

export const isNull = (value: unknown): boolean => value === null
