/** Drivers that break what is promised of rows and of queries, with the laws that they must turn red. */
import type { Query } from "@lazaret/store"
import { Effect } from "effect"
import * as TableLaws from "../../src/driver/TableLaws.ts"
import { withTransactions } from "./Broken.ts"
import {
  type BrokenDriver,
  isNull,
  keyOf,
  withOperators,
  withQueries,
  withReads,
  withRows,
  withTables
} from "./Faults.ts"

const kinds = ["compares integers", "compares instants, and finds no row whose instant is null"] as const
const texts = "compares texts by code points, and finds no row whose text is null"
const every = [...kinds, texts] as const

/** Drivers that break what is promised of rows. */
export const ofTables: ReadonlyArray<BrokenDriver> = [
  {
    fault: "keeps an empty text in place of null",
    laws: ["a row comes back as it was written: texts, UUIDs, integers, instants, and what is null"],
    change: (driver) =>
      withRows(driver, (row) =>
        Object.fromEntries(Object.entries(row).map(([field, value]) => [field, isNull(value) ? "" : value]))
      )
  },
  {
    fault: "loses the last field of every table",
    laws: TableLaws.cases.map(({ name }) => name),
    change: (driver) =>
      withReads(driver, ({ select }) => ({
        select: (table, query) =>
          Effect.map(select(table, query), (rows) =>
            rows.map((row) => ({ ...row, [Object.keys(table.columns).at(-1) ?? ""]: "lost" }))
          )
      }))
  },
  {
    fault: "keeps JSON without its details",
    laws: ["JSON comes back as it was written, whatever it holds"],
    change: (driver) =>
      withRows(driver, (row) => ("event" in row ? { ...row, event: { ...Object(row.event), detail: {} } } : row))
  },
  {
    fault: "keeps the row that was there before",
    laws: [
      "a row takes the place of the one with its key, in every field",
      "a key of several fields separates rows that differ in one of them",
      "a table without a key has one row for each repository"
    ],
    change: (driver) =>
      withTransactions(driver, ({ put, select }) => ({
        put: (table, rows) =>
          Effect.flatMap(select(table, { where: [], order: [] }), (found) => {
            const known = new Set(found.map((row) => keyOf(table, row)))
            return put(
              table,
              rows.filter((row) => !known.has(keyOf(table, row)))
            )
          })
      }))
  },
  {
    fault: "keeps the first of several rows with one key",
    laws: ["of several rows with one key that are written at once the last stays"],
    change: (driver) => withTransactions(driver, ({ put }) => ({ put: (table, rows) => put(table, rows.toReversed()) }))
  },
  {
    fault: "knows rows by the first field of their key alone",
    laws: [
      "a key of several fields separates rows that differ in one of them",
      "a row that is only its key is written once"
    ],
    change: (driver) => withTables(driver, (table) => ({ ...table, key: table.key.slice(0, 1) }))
  },
  {
    fault: "empties the table when it writes",
    laws: ["writing no rows changes nothing", "a row takes the place of the one with its key, in every field"],
    change: (driver) =>
      withTransactions(driver, ({ put, remove }) => ({
        put: (table, rows) => Effect.andThen(remove(table, []), put(table, rows))
      }))
  },
  {
    fault: "does not know unique fields",
    laws: ["a value of a unique field belongs to one row: a second row with it is refused, and nothing is written"],
    change: (driver) => withTables(driver, ({ unique: _unique, ...table }) => table)
  },
  {
    fault: "removes every row of a table",
    laws: [
      "removing yields the number of rows that were removed, and leaves the others",
      "a row meets all of the conditions of a query"
    ],
    change: (driver) => withTransactions(driver, ({ remove }) => ({ remove: (table) => remove(table, []) }))
  },
  {
    fault: "says that it removed a row which was not there",
    laws: [
      "removing yields the number of rows that were removed, and leaves the others",
      "forgetting a test removes the rows of its body, and yields whether anything was removed"
    ],
    change: (driver) => ({
      ...withTransactions(driver, ({ remove }) => ({ remove: (...what) => Effect.map(remove(...what), () => 1) })),
      forget: (...what) => Effect.as(driver.forget(...what), true)
    })
  },
  {
    fault: "yields a value twice",
    laws: ["counting and the distinct values of a field follow the conditions, null among the values"],
    change: (driver) =>
      withReads(driver, ({ distinct }) => ({
        distinct: (...what) => Effect.map(distinct(...what), (values) => [...values, ...values])
      }))
  },
  {
    fault: "counts one row too many",
    laws: [
      "counting and the distinct values of a field follow the conditions, null among the values",
      "rows of one repository are not those of another, nor of the whole store"
    ],
    change: (driver) =>
      withReads(driver, ({ count }) => ({ count: (...what) => Effect.map(count(...what), (found) => found + 1) }))
  }
]

/** Drivers that break what is promised of queries. */
export const ofQueries: ReadonlyArray<BrokenDriver> = [
  {
    fault: "takes a bound for one that is not inclusive, and the other way round",
    laws: ["<", "<=", ">", ">="].flatMap((operator) => every.map((kind) => `"${operator}" ${kind}`)),
    change: (driver) => withOperators(driver, { "<": "<=", "<=": "<", ">": ">=", ">=": ">" })
  },
  {
    fault: "finds greater values, too, where equal ones are asked for",
    laws: [
      ...every.map((kind) => `"=" ${kind}`),
      "a UUID is found by its text, and a text that is not a UUID finds no row"
    ],
    change: (driver) => withOperators(driver, { "=": ">=" })
  },
  {
    fault: "finds any value where null is asked for",
    laws: ['"=" finds null where null is asked for, and nothing else', "no comparison but = finds a row by null"],
    change: (driver) =>
      withQueries(driver, (query) => ({ ...query, where: query.where.filter((one) => one[2] !== null) }))
  },
  {
    fault: "looks for the first of several values alone",
    laws: [
      '"in" finds each of the values, no null, and nothing in an empty list',
      "a UUID is found by its text, and a text that is not a UUID finds no row"
    ],
    change: (driver) =>
      withQueries(driver, (query) => ({
        ...query,
        where: query.where.map((one) => (one[1] === "in" ? [one[0], "in", one[2].slice(0, 1)] : one))
      }))
  },
  {
    fault: "ignores the last condition of a query",
    laws: ["a row meets all of the conditions of a query"],
    change: (driver) => withQueries(driver, (query) => ({ ...query, where: query.where.slice(0, -1) }))
  },
  {
    fault: "orders by the first field alone",
    laws: [
      "rows are in the order of the fields, each of which breaks ties of those before it",
      "pages after a position join up to the whole list, whatever their size and direction",
      "a limit cuts the rows after they are ordered, and a limit of 0 yields none"
    ],
    change: (driver) =>
      withQueries(driver, ({ after, ...query }) => ({
        ...query,
        order: query.order.slice(0, 1),
        ...(after && { after: after.slice(0, 1) })
      }))
  },
  {
    fault: "orders by UTF-16 code units",
    laws: ["rows are in the order of the fields, each of which breaks ties of those before it"],
    change: (driver) =>
      withReads(driver, ({ select }) => ({
        select: (table, query) =>
          Effect.map(select(table, query), (rows) =>
            query.order.length === 2
              ? rows.toSorted((a, b) =>
                  JSON.stringify(placeOf(a, query)) < JSON.stringify(placeOf(b, query)) ? -1 : 1
                )
              : rows
          )
      }))
  },
  {
    fault: "ignores the limit of a query",
    laws: [
      "a limit cuts the rows after they are ordered, and a limit of 0 yields none",
      "a page counts all rows that meet its conditions, also where it has no row"
    ],
    change: (driver) => withQueries(driver, ({ limit: _limit, ...query }) => query)
  },
  {
    fault: "ignores the position after which rows are asked for",
    laws: [
      "pages after a position join up to the whole list, whatever their size and direction",
      "rows continue after a position that no row has",
      "rows are ordered and continued by UUIDs, too"
    ],
    change: (driver) => withQueries(driver, ({ after: _after, ...query }) => query)
  },
  {
    fault: "counts the rows of a page alone",
    laws: ["a page counts all rows that meet its conditions, also where it has no row"],
    change: (driver) =>
      withReads(driver, ({ page }) => ({
        page: (...what) => Effect.map(page(...what), ({ rows }) => ({ rows, total: rows.length }))
      }))
  }
]

const placeOf = <Row extends object>(row: Row, { order }: Query<Row>) => order.map((field) => row[field])
